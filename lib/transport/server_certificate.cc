#include "lib/transport/server_certificate.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace xdscope::transport {
namespace {

using Kind = NameMatcher::Kind;

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::string AddressOf(const ASN1_OCTET_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return text.data();
}

// Splits "a.b.c" into "a" and "b.c". The second part is empty for a name of one label.
std::pair<std::string_view, std::string_view> SplitLabel(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// Compares a DNS name with one of a certificate, whose first label may have one "*" (RFC 6125, 6.4.3, as Envoy reads
// it: not in the A-label of an international name).
bool IsDnsName(std::string_view wanted, std::string_view held) {
  const std::string name = absl::AsciiStrToLower(base::ToAbsl(wanted));
  const std::string pattern = absl::AsciiStrToLower(base::ToAbsl(held));
  if (name == pattern) return true;
  const auto [label, domain] = SplitLabel(name);
  const auto [label_pattern, domain_pattern] = SplitLabel(pattern);
  const std::size_t star = label_pattern.find('*');
  if (star == std::string_view::npos || label_pattern.find('*', star + 1) != std::string_view::npos) return false;
  if (label_pattern.starts_with("xn--") || domain.empty() || domain != domain_pattern) return false;
  const std::string_view before = label_pattern.substr(0, star);
  const std::string_view behind = label_pattern.substr(star + 1);
  return label.size() >= before.size() + behind.size() && label.starts_with(before) && label.ends_with(behind);
}

// Looks for the digest of what `encode` makes, an i2d function of OpenSSL.
template <typename Encode>
bool IsAmong(const std::vector<std::string>& hashes, const Encode& encode) {
  unsigned char* bytes = nullptr;
  const int size = encode(&bytes);
  if (size < 0) return false;
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(bytes, static_cast<std::size_t>(size), reinterpret_cast<unsigned char*>(digest.data()));
  OPENSSL_free(bytes);
  return std::ranges::find(hashes, digest) != hashes.end();
}

bool IsForHost(X509& certificate, const std::string& host) {
  if (X509_check_ip_asc(&certificate, host.c_str(), 0) == 1) return true;
  return X509_check_host(&certificate, host.data(), host.size(), 0, nullptr) == 1;
}

bool HasName(const X509& certificate, const std::vector<NameMatcher>& matchers) {
  const std::vector<CertificateName> names = NamesOf(certificate);
  return std::ranges::any_of(matchers, [&](const NameMatcher& matcher) {
    return std::ranges::any_of(names, [&](const CertificateName& name) { return Matches(matcher, name); });
  });
}

}  // namespace

void CertificateDeleter::operator()(x509_st* certificate) const {
  X509_free(certificate);
}

Certificate ReadCertificate(std::string_view pem) {
  BIO* const reader = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(reader, nullptr, nullptr, nullptr));
  BIO_free(reader);
  ERR_clear_error();
  return certificate;
}

std::vector<CertificateName> NamesOf(const x509_st& certificate) {
  std::vector<CertificateName> names;
  auto* list = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(list); ++i) {
    const GENERAL_NAME& name = *sk_GENERAL_NAME_value(list, i);
    if (name.type == GEN_DNS) names.push_back({Kind::kDns, TextOf(name.d.dNSName)});
    if (name.type == GEN_URI) names.push_back({Kind::kUri, TextOf(name.d.uniformResourceIdentifier)});
    if (name.type == GEN_EMAIL) names.push_back({Kind::kEmail, TextOf(name.d.rfc822Name)});
    if (name.type == GEN_IPADD) names.push_back({Kind::kAddress, AddressOf(name.d.iPAddress)});
  }
  GENERAL_NAMES_free(list);
  return names;
}

bool Matches(const NameMatcher& matcher, const CertificateName& name) {
  if (matcher.kind != Kind::kAny && matcher.kind != name.kind) return false;
  const absl::string_view text = name.text;
  const absl::string_view wanted = matcher.text;
  switch (matcher.how) {
    case NameMatcher::How::kExact:
      if (name.kind == Kind::kDns) return IsDnsName(matcher.text, name.text);
      return matcher.ignore_case ? absl::EqualsIgnoreCase(text, wanted) : text == wanted;
    case NameMatcher::How::kPrefix:
      return matcher.ignore_case ? absl::StartsWithIgnoreCase(text, wanted) : absl::StartsWith(text, wanted);
    case NameMatcher::How::kSuffix:
      return matcher.ignore_case ? absl::EndsWithIgnoreCase(text, wanted) : absl::EndsWith(text, wanted);
    case NameMatcher::How::kContains:
      if (!matcher.ignore_case) return absl::StrContains(text, wanted);
      return absl::StrContains(absl::AsciiStrToLower(text), absl::AsciiStrToLower(wanted));
    case NameMatcher::How::kRegex:
      return RE2::FullMatch(name.text, RE2(matcher.text, RE2::Quiet));
  }
  return false;
}

Mismatch CompareCertificate(x509_st& certificate, const std::string& host, const Tls& tls) {
  if (tls.insecure) return Mismatch::kNone;
  if (tls.check_host && !IsForHost(certificate, host)) return Mismatch::kName;
  if (!tls.names.empty() && !HasName(certificate, tls.names)) return Mismatch::kName;
  if (tls.certificate_hashes.empty() && tls.key_hashes.empty()) return Mismatch::kNone;
  const X509_PUBKEY* const key = X509_get_X509_PUBKEY(&certificate);
  const bool pinned =
      IsAmong(tls.certificate_hashes, [&](unsigned char** bytes) { return i2d_X509(&certificate, bytes); }) ||
      IsAmong(tls.key_hashes, [&](unsigned char** bytes) { return i2d_X509_PUBKEY(key, bytes); });
  return pinned ? Mismatch::kNone : Mismatch::kHash;
}

absl::Status CheckRegex(std::string_view text) {
  const RE2 regex(std::string(text), RE2::Quiet);
  return regex.ok() ? absl::OkStatus() : base::Error(absl::StatusCode::kInvalidArgument, regex.error());
}

}  // namespace xdscope::transport
