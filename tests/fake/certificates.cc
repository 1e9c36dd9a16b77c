#include "tests/fake/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace xdscope::fake {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

constexpr long kDay = 24L * 3600;

Certificate NewCertificate(const std::string& name, EVP_PKEY* key, int from_day, int to_day) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  static long serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from_day * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to_day * kDay);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

void AddExtension(X509* certificate, int id, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
std::string ToPem(Write write) {
  BIO* out = BIO_new(BIO_s_mem());
  write(out);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(out);
  return pem;
}

std::string ToPem(X509* certificate) {
  return ToPem([certificate](BIO* out) { PEM_write_bio_X509(out, certificate); });
}

}  // namespace

std::string EncryptedKey() {
  const Key key(EVP_EC_gen("P-256"));
  unsigned char password[] = "secret";
  return ToPem([&](BIO* out) {
    PEM_write_bio_PrivateKey(out, key.get(), EVP_aes_128_cbc(), password, sizeof password - 1, nullptr, nullptr);
  });
}

struct Authority::State {
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate;
};

Authority::Authority(const std::string& name) : state_(std::make_unique<State>()) {
  state_->certificate = NewCertificate(name, state_->key.get(), -1, 1);
  X509* certificate = state_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate, state_->key.get(), EVP_sha256());
  pem_ = ToPem(certificate);
}

Authority::~Authority() = default;

KeyAndCertificate Authority::Sign(const std::string& names, int from_day, int to_day) const {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = NewCertificate("test", key.get(), from_day, to_day);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(state_->certificate.get()));
  AddExtension(certificate.get(), NID_subject_alt_name, names);
  X509_sign(certificate.get(), state_->key.get(), EVP_sha256());
  const std::string key_pem =
      ToPem([&key](BIO* out) { PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  return {key_pem, ToPem(certificate.get())};
}

}  // namespace xdscope::fake
