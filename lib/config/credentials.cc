#include "lib/config/credentials.h"

#include <array>

#include <fmt/format.h>

#include "absl/strings/escaping.h"
#include "lib/base/status.h"

namespace xdscope::config {
namespace {

// Names that Envoy wants to see in the server's certificate; the last spelling is the oldest.
constexpr std::array<std::string_view, 3> kNameMatchers = {"match_typed_subject_alt_names", "match_subject_alt_names",
                                                           "verify_subject_alt_name"};

// The first exact DNS name that a validation context asks for, or nothing.
std::string ExpectedName(const Place& validation) {
  for (const std::string_view list : kNameMatchers) {
    for (const Place& entry : validation[list].All()) {
      const std::string type = entry["san_type"].Text();
      if (!type.empty() && type != "DNS") continue;
      const Place matcher = entry["matcher"] ? entry["matcher"] : entry;
      const std::string name = matcher["exact"] ? matcher["exact"].Text() : entry.Text();
      if (!name.empty() && name.find("://") == std::string::npos) return name;
    }
  }
  return {};
}

absl::Status ReadInto(const Place& source, const Surroundings& surroundings, std::string* pem) {
  absl::StatusOr<std::string> read = ReadDataSource(source, surroundings);
  if (!read.ok()) return read.status();
  *pem = *std::move(read);
  return absl::OkStatus();
}

void NoteSecrets(const Place& common, std::vector<std::string>* notes) {
  for (const std::string_view name : {"tls_certificate_sds_secret_configs", "validation_context_sds_secret_config"}) {
    const Place secrets = common[name];
    if (!secrets) continue;
    const absl::Status note = secrets.Error("secrets by SDS are not fetched; give --cacert, --cert and --key");
    notes->emplace_back(base::Message(note));
  }
}

}  // namespace

absl::StatusOr<std::string> ReadNamedFile(const Place& path, const Surroundings& surroundings) {
  if (!path) return std::string();
  absl::StatusOr<std::string> contents = surroundings.read_file(path.Text());
  if (!contents.ok()) return path.Error(base::Message(contents.status()));
  return contents;
}

absl::StatusOr<std::string> ReadDataSource(const Place& source, const Surroundings& surroundings) {
  if (!source) return std::string();
  if (const Place path = source["filename"]) return ReadNamedFile(path, surroundings);
  if (const Place text = source["inline_string"]) return text.Text();
  if (const Place bytes = source["inline_bytes"]) {
    std::string decoded;
    if (!absl::Base64Unescape(base::ToAbsl(bytes.value().text), &decoded)) return bytes.Error("is not base64");
    return decoded;
  }
  const Place variable = source["environment_variable"];
  if (!variable) return source.Error("expected filename, inline_string, inline_bytes or environment_variable");
  std::optional<std::string> value = surroundings.environment(variable.Text());
  if (!value) return variable.Error(fmt::format("{} is not set", variable.Text()));
  return *std::move(value);
}

absl::Status ReadTransportSocket(const Place& socket, const Surroundings& surroundings,
                                 transport::ChannelSettings* channel, std::vector<std::string>* notes) {
  const Place config = socket["typed_config"];
  const std::string type = config["@type"].Text();
  if (!socket || type.ends_with(".RawBuffer")) return absl::OkStatus();
  if (!type.ends_with(".UpstreamTlsContext")) {
    return (config ? config : socket).Error("only UpstreamTlsContext and RawBuffer are understood");
  }
  const Place common = config["common_tls_context"];
  const Place combined = common["combined_validation_context"];
  const Place validation = combined ? combined["default_validation_context"] : common["validation_context"];
  const Place certificate = common["tls_certificates"].First();
  transport::Tls tls;
  const struct {
    Place source;
    std::string* pem;
  } parts[] = {{validation["trusted_ca"], &tls.ca_pem},
               {certificate["certificate_chain"], &tls.cert_pem},
               {certificate["private_key"], &tls.key_pem}};
  for (const auto& part : parts) {
    const absl::Status status = ReadInto(part.source, surroundings, part.pem);
    if (!status.ok()) return status;
  }
  // Envoy verifies nothing that it is given no authority for.
  tls.insecure = tls.ca_pem.empty() || validation["trust_chain_verification"].Text() == "ACCEPT_UNTRUSTED";
  NoteSecrets(common, notes);
  NoteSecrets(combined, notes);
  channel->tls = std::move(tls);
  const std::string sni = config["sni"].Text();
  channel->authority = sni.empty() ? ExpectedName(validation) : sni;
  return absl::OkStatus();
}

}  // namespace xdscope::config
