// Certificates and keys as PEM text: whether Envoy can use them. No message has a piece of the text in it.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/status.h"

namespace xdscope::base {

// Checks a chain of certificates, the first of which is its owner's: that all of them can be read, and that the owner's
// key is of a kind that Envoy takes. Fails with INVALID_ARGUMENT, as all of these do.
absl::Status CheckCertificateChain(std::string_view pem);
// Checks that there is a private key. Nobody looks into an encrypted one, which is good where there is a password.
absl::Status CheckPrivateKey(std::string_view pem, bool has_password);
// Checks that there is at least one certificate, and that all of them can be read.
absl::Status CheckAuthorities(std::string_view pem);
// Checks that there is a list of revoked certificates.
absl::Status CheckRevocations(std::string_view pem);

// Tells whether a private key is the one of the first certificate. Where either cannot be read it has no objection.
bool BelongTogether(std::string_view certificate_pem, std::string_view key_pem);

// Says what keeps the first certificate from being valid now: "it expired on 2021-01-31"; empty where nothing does.
std::string WhyNotValid(std::string_view certificate_pem);

}  // namespace xdscope::base
