// The secrets of an Envoy bootstrap: certificates and validation contexts that a TLS context refers to by name. Knows
// those of static_resources and those that SDS reads from files; connects nowhere. For the .cc files of this folder.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "lib/config/document.h"
#include "lib/config/setting.h"
#include "lib/config/surroundings.h"

namespace xdscope::config {

class Secrets {
 public:
  // `root` is the bootstrap. It and `surroundings` must outlive the secrets.
  Secrets(const Setting& root, const Surroundings& surroundings);
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;

  // Returns the member `kind` ("validation_context", "tls_certificate") of the Secret that an SdsSecretConfig names; it
  // lives as long as this. INVALID_ARGUMENT, "FILE:LINE: path: what": there is none, or it would come over gRPC.
  absl::StatusOr<Setting> Find(const Setting& config, std::string_view kind);

 private:
  // A file that SDS reads. Settings refer to it, so it stays where it is.
  struct File {
    std::string text;
    absl::StatusOr<Document> document = absl::UnknownError("not read");
  };

  absl::StatusOr<Setting> FindInFile(const Setting& path, std::string_view name);
  absl::StatusOr<const Document*> Open(const Setting& path);

  const Surroundings& surroundings_;
  absl::flat_hash_map<absl::string_view, Setting> static_secrets_;  // by name
  absl::flat_hash_map<std::string, std::unique_ptr<File>> files_;   // by path
};

}  // namespace xdscope::config
