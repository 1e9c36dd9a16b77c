// Certificates made for one test run: an authority and what it signs.
#pragma once

#include <memory>
#include <string>

namespace xdscope::fake {

// A private key under a password, as PEM.
std::string EncryptedKey();

struct KeyAndCertificate {
  std::string key_pem;
  std::string certificate_pem;
};

class Authority {
 public:
  explicit Authority(const std::string& name);
  ~Authority();

  const std::string& pem() const { return pem_; }

  // Signs a new certificate for these names ("DNS:localhost,IP:127.0.0.1"), valid from and for days from now.
  KeyAndCertificate Sign(const std::string& names, int from_day = -1, int to_day = 1) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string pem_;
};

}  // namespace xdscope::fake
