// What an Envoy bootstrap demands of a server's certificate, by the rules of Envoy's default validator. For the .cc
// files of this folder.
#pragma once

#include <span>

#include "lib/config/setting.h"
#include "lib/config/surroundings.h"
#include "lib/transport/settings.h"

namespace xdscope::config {

// Puts CertificateValidationContexts (one or more; absent settings too) into `tls`, each merged over the ones before.
// Where none of them asks for anything,
// nothing will be verified (insecure), as Envoy does. INVALID_ARGUMENT, "FILE:LINE: path: what", for the first thing
// that is asked for and not understood, cannot be checked, or that Envoy refuses; what is understood is in `tls` then
// too.
absl::Status ReadValidation(std::span<const Setting> contexts, const Surroundings& surroundings, transport::Tls* tls);

}  // namespace xdscope::config
