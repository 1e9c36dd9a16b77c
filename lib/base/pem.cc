#include "lib/base/pem.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <climits>
#include <ctime>
#include <memory>

namespace xdscope::base {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Revocations = std::unique_ptr<X509_CRL, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

absl::Status Invalid(std::string_view what) {
  ERR_clear_error();
  return Error(absl::StatusCode::kInvalidArgument, what);
}

Bio Reader(std::string_view pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<std::size_t>(pem.size(), INT_MAX))));
}

Certificate NextCertificate(BIO* reader) {
  return Certificate(PEM_read_bio_X509(reader, nullptr, nullptr, nullptr));
}

// Tells whether a reader stopped because there is no more: to OpenSSL that is an error like others.
bool AtEnd() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

Certificate FirstCertificate(std::string_view pem) {
  Certificate first = NextCertificate(Reader(pem).get());
  ERR_clear_error();
  return first;
}

// Notes that a key is encrypted, and gives no password: to try one can take as long as its author likes, and without
// this OpenSSL would ask at the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return 0;
}

Key ReadKey(std::string_view pem, bool* encrypted) {
  Key key(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, NoPassword, encrypted));
  ERR_clear_error();
  return key;
}

absl::Status CheckKind(const X509& certificate) {
  constexpr int kLeastRsaBits = 2048;
  constexpr std::array<std::string_view, 3> kCurves = {"prime256v1", "secp384r1", "secp521r1"};
  const EVP_PKEY* const key = X509_get0_pubkey(&certificate);
  if (key == nullptr) return Invalid("the key of the certificate is of no known kind");
  if (EVP_PKEY_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_bits(key) < kLeastRsaBits) {
    return Invalid(
        fmt::format("an RSA key has {} bits at least, and this one has {}", kLeastRsaBits, EVP_PKEY_bits(key)));
  }
  if (EVP_PKEY_base_id(key) == EVP_PKEY_EC) {
    std::array<char, 64> curve{};
    EVP_PKEY_get_group_name(key, curve.data(), curve.size(), nullptr);
    if (std::find(kCurves.begin(), kCurves.end(), std::string_view(curve.data())) == kCurves.end()) {
      return Invalid("the key of the certificate is on none of the curves P-256, P-384 and P-521");
    }
  }
  return absl::OkStatus();
}

std::string Day(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown day";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace

absl::Status CheckAuthorities(std::string_view pem) {
  const Bio reader = Reader(pem);
  bool some = false;
  while (NextCertificate(reader.get()) != nullptr) some = true;
  if (!AtEnd()) return Invalid("a certificate in it cannot be read");
  return some ? absl::OkStatus() : Invalid("there is no PEM certificate in it");
}

absl::Status CheckCertificateChain(std::string_view pem) {
  const absl::Status readable = CheckAuthorities(pem);
  return readable.ok() ? CheckKind(*FirstCertificate(pem)) : readable;
}

absl::Status CheckPrivateKey(std::string_view pem, bool has_password) {
  bool encrypted = false;
  if (ReadKey(pem, &encrypted) != nullptr) return absl::OkStatus();
  if (!encrypted) return Invalid("there is no PEM private key in it");
  return has_password ? absl::OkStatus() : Invalid("the private key is encrypted, and there is no password");
}

absl::Status CheckRevocations(std::string_view pem) {
  const Revocations list(PEM_read_bio_X509_CRL(Reader(pem).get(), nullptr, nullptr, nullptr));
  return list == nullptr ? Invalid("there is no PEM list of revoked certificates in it") : absl::OkStatus();
}

bool BelongTogether(std::string_view certificate_pem, std::string_view key_pem) {
  bool encrypted = false;
  const Key key = ReadKey(key_pem, &encrypted);
  const Certificate certificate = FirstCertificate(certificate_pem);
  if (key == nullptr || certificate == nullptr) return true;
  const bool belong = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return belong;
}

std::string WhyNotValid(std::string_view certificate_pem) {
  const Certificate certificate = FirstCertificate(certificate_pem);
  if (certificate == nullptr) return {};
  const ASN1_TIME* const from = X509_get0_notBefore(certificate.get());
  const ASN1_TIME* const to = X509_get0_notAfter(certificate.get());
  if (X509_cmp_current_time(to) < 0) return fmt::format("it expired on {}", Day(to));
  if (X509_cmp_current_time(from) > 0) return fmt::format("it is not valid before {}", Day(from));
  return {};
}

}  // namespace xdscope::base
