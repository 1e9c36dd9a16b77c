#include "lib/config/credentials.h"

#include <fmt/format.h>

#include "absl/strings/escaping.h"
#include "lib/base/status.h"

namespace xdscope::config {

absl::StatusOr<std::string> ReadNamedFile(const Setting& path, const Surroundings& surroundings) {
  if (!path) return std::string();
  absl::StatusOr<std::string> contents = surroundings.read_file(std::string(path.Text()), kMostOfFile);
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

absl::Status ReadAuthorities(PemReader* read, const Setting& source, const Surroundings& surroundings,
                             transport::Tls* tls) {
  absl::StatusOr<std::string> pem = read(source, surroundings);
  if (!pem.ok()) return pem.status();
  if (source && pem->find_first_not_of(" \t\r\n") == std::string::npos) {
    return source.Error("is empty, so that no certificate could be verified");
  }
  if (pem->find("-----BEGIN X509 CRL-----") != std::string::npos) {
    return source.Error("holds a list of revoked certificates, which is not checked");
  }
  if (source) tls->ca_pem = *std::move(pem);
  return absl::OkStatus();
}

absl::Status ReadIdentity(PemReader* read, const Setting& certificate, const Setting& key,
                          const Surroundings& surroundings, transport::Tls* tls) {
  absl::StatusOr<std::string> cert_pem = read(certificate, surroundings);
  if (!cert_pem.ok()) return cert_pem.status();
  absl::StatusOr<std::string> key_pem = read(key, surroundings);
  if (!key_pem.ok()) return key_pem.status();
  tls->cert_pem = *std::move(cert_pem);
  tls->key_pem = *std::move(key_pem);
  return absl::OkStatus();
}

}  // namespace xdscope::config
