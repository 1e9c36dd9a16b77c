// Whether a server's certificate is the one that the settings ask for, by its names and digests, as Envoy decides it.
// Does not know who signed it: that is for the TLS library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/transport/settings.h"

struct x509_st;

namespace xdscope::transport {

struct CertificateDeleter {
  void operator()(x509_st* certificate) const;
};
using Certificate = std::unique_ptr<x509_st, CertificateDeleter>;

// Reads the first certificate of a PEM text; nullptr where there is none.
Certificate ReadCertificate(std::string_view pem);

// A name that a certificate is for: DNS names, URIs, e-mail addresses and IP addresses, as text.
struct CertificateName {
  NameMatcher::Kind kind;  // never kAny
  std::string text;
};
std::vector<CertificateName> NamesOf(const x509_st& certificate);

bool Matches(const NameMatcher& matcher, const CertificateName& name);

enum class Mismatch : std::uint8_t { kNone, kName, kHash };

// Compares a certificate with check_host, names and hashes of the settings. `host` is the name by which the server is
// called.
Mismatch CompareCertificate(x509_st& certificate, const std::string& host, const Tls& tls);

// Returns INVALID_ARGUMENT with RE2's reason where a text cannot be a kRegex.
absl::Status CheckRegex(std::string_view text);

}  // namespace xdscope::transport
