#include "lib/config/secrets.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/status.h"

namespace xdscope::config {

Secrets::Secrets(const Setting& root, const Surroundings& surroundings) : surroundings_(surroundings) {
  for (const Setting& secret : root["static_resources"]["secrets"].Elements()) {
    static_secrets_.try_emplace(base::ToAbsl(secret["name"].Text()), secret);
  }
}

absl::StatusOr<Setting> Secrets::Find(const Setting& config, std::string_view kind) {
  const Setting name = config["name"];
  const Setting source = config["sds_config"];
  const Setting path = source["path_config_source"]["path"] ? source["path_config_source"]["path"] : source["path"];
  absl::StatusOr<Setting> secret = config.Error("secrets that come by SDS over gRPC are not fetched");
  if (path) {
    secret = FindInFile(path, name.Text());
  } else if (!source) {
    const auto found = static_secrets_.find(base::ToAbsl(name.Text()));
    if (found == static_secrets_.end()) {
      return config.Error(fmt::format("static_resources has no secret \"{}\"", name.Text()));
    }
    secret = found->second;
  }
  if (!secret.ok()) return secret;
  const Setting wanted = (*secret)[kind];
  return wanted ? absl::StatusOr<Setting>(wanted) : wanted.Error("is missing in this secret");
}

// Envoy takes a file with one secret alone, and only where it has the name that was asked for.
absl::StatusOr<Setting> Secrets::FindInFile(const Setting& path, std::string_view name) {
  const absl::StatusOr<const Document*> document = Open(path);
  if (!document.ok()) return document.status();
  const Setting root(**document, (*document)->root());
  const std::vector<Setting> resources = root["resources"].Elements();
  if (resources.size() != 1) {
    return root["resources"].Error(fmt::format("expected one secret, not {}", resources.size()));
  }
  const bool wrapped = resources[0]["@type"].Text().ends_with(".Resource");
  const Setting secret = wrapped ? resources[0]["resource"] : resources[0];
  if (!secret["@type"].Text().ends_with(".Secret")) return secret.Error("is no Secret");
  if (secret["name"].Text() != name) {
    return secret.Error(fmt::format("is the secret \"{}\"; expected \"{}\"", secret["name"].Text(), name));
  }
  return secret;
}

absl::StatusOr<const Document*> Secrets::Open(const Setting& path) {
  const std::string name(path.Text());
  std::unique_ptr<File>& file = files_[name];
  if (file == nullptr) {
    file = std::make_unique<File>();
    if (name.ends_with(".pb") || name.ends_with(".pb_text")) {
      file->document = path.Error("only YAML and JSON are read");
    } else if (absl::StatusOr<std::string> text = surroundings_.read_file(name, kMostOfFile); text.ok()) {
      file->text = *std::move(text);
      file->document = ParseDocument(file->text, name);
    } else {
      file->document = path.Error(base::Message(text.status()));
    }
  }
  if (!file->document.ok()) return file->document.status();
  return &*file->document;
}

}  // namespace xdscope::config
