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

// Returns the first exact DNS name that a validation context asks for, or nothing.
std::string ExpectedName(const Setting& validation) {
  for (const std::string_view list : kNameMatchers) {
    for (const Setting& entry : validation[list].Elements()) {
      const std::string_view type = entry["san_type"].Text();
      if (!type.empty() && type != "DNS") continue;
      const Setting matcher = entry["matcher"] ? entry["matcher"] : entry;
      const std::string_view name = matcher["exact"] ? matcher["exact"].Text() : entry.Text();
      if (!name.empty() && name.find("://") == std::string_view::npos) return std::string(name);
    }
  }
  return {};
}

// Notes that a certificate would come by SDS. Fetching it would need a second control plane before the first.
void NoteSecrets(const Setting& common, std::vector<std::string>* notes) {
  for (const std::string_view name : {"tls_certificate_sds_secret_configs", "validation_context_sds_secret_config"}) {
    const Setting secrets = common[name];
    if (!secrets) continue;
    const absl::Status note = secrets.Error("secrets by SDS are not fetched; give --cacert, --cert and --key");
    notes->emplace_back(base::Message(note));
  }
}

}  // namespace

absl::StatusOr<std::string> ReadNamedFile(const Setting& path, const Surroundings& surroundings) {
  if (!path) return std::string();
  absl::StatusOr<std::string> contents = surroundings.read_file(std::string(path.Text()));
  if (!contents.ok()) return path.Error(base::Message(contents.status()));
  return contents;
}

absl::StatusOr<std::string> ReadDataSource(const Setting& source, const Surroundings& surroundings) {
  if (!source) return std::string();
  if (const Setting path = source["filename"]) return ReadNamedFile(path, surroundings);
  if (const Setting text = source["inline_string"]) return std::string(text.Text());
  if (const Setting bytes = source["inline_bytes"]) {
    std::string decoded;
    if (!absl::Base64Unescape(base::ToAbsl(bytes.Text()), &decoded)) return bytes.Error("is not base64");
    return decoded;
  }
  const Setting variable = source["environment_variable"];
  if (!variable) return source.Error("expected filename, inline_string, inline_bytes or environment_variable");
  std::optional<std::string> value = surroundings.environment(variable.Text());
  if (!value) return variable.Error(fmt::format("{} is not set", variable.Text()));
  return *std::move(value);
}

absl::StatusOr<transport::Tls> ReadTls(PemReader* read, const Setting& ca, const Setting& certificate,
                                       const Setting& key, const Surroundings& surroundings) {
  transport::Tls tls;
  const struct {
    const Setting& source;
    std::string& pem;
  } parts[] = {{ca, tls.ca_pem}, {certificate, tls.cert_pem}, {key, tls.key_pem}};
  for (const auto& part : parts) {
    absl::StatusOr<std::string> pem = read(part.source, surroundings);
    if (!pem.ok()) return pem.status();
    part.pem = *std::move(pem);
  }
  return tls;
}

absl::Status ReadTransportSocket(const Setting& socket, const Surroundings& surroundings,
                                 transport::ChannelSettings* channel, std::vector<std::string>* notes) {
  const Setting config = socket["typed_config"];
  const std::string_view type = config["@type"].Text();
  if (!socket || type.ends_with(".RawBuffer")) return absl::OkStatus();
  if (!type.ends_with(".UpstreamTlsContext")) {
    return (config ? config : socket).Error("only UpstreamTlsContext and RawBuffer are understood");
  }
  const Setting common = config["common_tls_context"];
  const Setting combined = common["combined_validation_context"];
  const Setting validation = combined ? combined["default_validation_context"] : common["validation_context"];
  const Setting certificate = common["tls_certificates"].First();
  absl::StatusOr<transport::Tls> tls =
      ReadTls(ReadDataSource, validation["trusted_ca"], certificate["certificate_chain"], certificate["private_key"],
              surroundings);
  if (!tls.ok()) return tls.status();
  // Envoy verifies nothing that it is given no authority for, whatever a person may expect of the word TLS.
  tls->insecure = tls->ca_pem.empty() || validation["trust_chain_verification"].Text() == "ACCEPT_UNTRUSTED";
  NoteSecrets(common, notes);
  NoteSecrets(combined, notes);
  channel->tls = *std::move(tls);
  const std::string_view sni = config["sni"].Text();
  channel->authority = sni.empty() ? ExpectedName(validation) : std::string(sni);
  return absl::OkStatus();
}

}  // namespace xdscope::config
