#include "lib/config/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "lib/config/credentials.h"
#include "lib/transport/server_certificate.h"

namespace xdscope::config {
namespace {

using transport::NameMatcher;
using Kind = NameMatcher::Kind;
using How = NameMatcher::How;

// The members of a CertificateValidationContext that are followed, or that ask for nothing of their own: files are read
// once, only_verify_leaf_cert_crl belongs to crl, and allow_expired_certificate asks for less.
constexpr std::array<std::string_view, 12> kUnderstood = {
    "trusted_ca",
    "system_root_certs",
    "verify_certificate_spki",
    "verify_certificate_hash",
    "match_typed_subject_alt_names",
    "match_subject_alt_names",
    "verify_subject_alt_name",
    "trust_chain_verification",
    "allow_expired_certificate",
    "only_verify_leaf_cert_crl",
    "suppress_client_ca_list",
    "watched_directory",
};

constexpr std::array kKinds = {
    std::pair<std::string_view, Kind>{"DNS", Kind::kDns},
    std::pair<std::string_view, Kind>{"URI", Kind::kUri},
    std::pair<std::string_view, Kind>{"EMAIL", Kind::kEmail},
    std::pair<std::string_view, Kind>{"IP_ADDRESS", Kind::kAddress},
};
constexpr std::array kHows = {
    std::pair<std::string_view, How>{"exact", How::kExact},
    std::pair<std::string_view, How>{"prefix", How::kPrefix},
    std::pair<std::string_view, How>{"suffix", How::kSuffix},
    std::pair<std::string_view, How>{"contains", How::kContains},
};
constexpr std::size_t kSha256 = 32;  // bytes

// Reads a StringMatcher.
absl::StatusOr<NameMatcher> ReadMatcher(const Setting& setting, Kind kind) {
  NameMatcher matcher{.kind = kind};
  matcher.ignore_case = setting["ignore_case"].Text() == "true";
  if (const Setting regex = setting["safe_regex"]["regex"]) {
    const absl::Status status = transport::CheckRegex(regex.Text());
    if (!status.ok()) return regex.Error(base::Message(status));
    matcher.how = How::kRegex;
    matcher.text = regex.Text();
    return matcher;
  }
  for (const auto& [name, how] : kHows) {
    const Setting text = setting[name];
    if (!text) continue;
    matcher.how = how;
    matcher.text = text.Text();
    return matcher;
  }
  return setting.Error("expected exact, prefix, suffix, contains or safe_regex");
}

// Reads a SubjectAltNameMatcher.
absl::StatusOr<NameMatcher> ReadTypedMatcher(const Setting& setting) {
  const Setting type = setting["san_type"];
  for (const auto& [name, kind] : kKinds) {
    if (type.Text() == name) return ReadMatcher(setting["matcher"], kind);
  }
  return type.Error(fmt::format("\"{}\" cannot be checked; expected DNS, URI, EMAIL or IP_ADDRESS", type.Text()));
}

absl::StatusOr<NameMatcher> ReadUntypedMatcher(const Setting& setting) {
  return ReadMatcher(setting, Kind::kAny);
}

// Reads a name as v2 spells it, which is exact.
absl::StatusOr<NameMatcher> ReadPlainName(const Setting& setting) {
  if (setting.Text().empty()) return setting.Error("expected a name");
  return NameMatcher{.text = std::string(setting.Text())};
}

// Reads a hash as "df:6f:…" or "df6f…".
absl::StatusOr<std::string> ReadHexHash(const Setting& setting) {
  std::string hex(setting.Text());
  std::erase(hex, ':');
  const bool is_hex = std::ranges::all_of(hex, [](unsigned char c) { return absl::ascii_isxdigit(c); });
  if (!is_hex || hex.size() != 2 * kSha256) return setting.Error("is no SHA-256 in hexadecimal digits");
  return absl::HexStringToBytes(hex);
}

absl::StatusOr<std::string> ReadBase64Hash(const Setting& setting) {
  std::string hash;
  if (!absl::Base64Unescape(base::ToAbsl(setting.Text()), &hash) || hash.size() != kSha256) {
    return setting.Error("is no SHA-256 in base64");
  }
  return hash;
}

// Reads contexts one after another; keeps the first error and goes on.
class Reader {
 public:
  Reader(const Surroundings& surroundings, transport::Tls* tls) : surroundings_(surroundings), tls_(*tls) {}

  void Read(const Setting& context) {
    ReadList(context["match_typed_subject_alt_names"], ReadTypedMatcher, &typed_);
    ReadList(context["match_subject_alt_names"], ReadUntypedMatcher, &untyped_);
    ReadList(context["verify_subject_alt_name"], ReadPlainName, &untyped_);
    ReadList(context["verify_certificate_hash"], ReadHexHash, &tls_.certificate_hashes);
    ReadList(context["verify_certificate_spki"], ReadBase64Hash, &tls_.key_hashes);
    if (const Setting ca = context["trusted_ca"]) {
      trusts_somebody_ = true;
      status_.Update(ReadAuthorities(ReadDataSource, ca, surroundings_, &tls_));
    }
    if (context["system_root_certs"]) trusts_somebody_ = true;
    ReadTrust(context["trust_chain_verification"]);
    if (const Setting stranger = context.FirstBesides(kUnderstood)) {
      status_.Update(stranger.Error("cannot be checked"));
    }
  }

  // Concludes from all contexts, of which `last` is one.
  absl::Status Finish(const Setting& last) {
    // Of the two kinds of matchers Envoy takes the typed ones, where there are any.
    tls_.names = typed_.empty() ? std::move(untyped_) : std::move(typed_);
    tls_.check_chain = trusts_somebody_;
    tls_.check_host = false;
    const bool pinned = !tls_.certificate_hashes.empty() || !tls_.key_hashes.empty();
    if (!trusts_somebody_ && !tls_.names.empty()) {
      status_.Update(last.Error("asks for names in the certificate, but for no trusted_ca: Envoy refuses that"));
    }
    tls_.insecure = accepts_untrusted_ || (!trusts_somebody_ && !pinned && tls_.names.empty());
    return status_;
  }

 private:
  template <typename T>
  void ReadList(const Setting& list, absl::StatusOr<T> (*read)(const Setting&), std::vector<T>* values) {
    for (const Setting& entry : list.Elements()) {
      absl::StatusOr<T> value = read(entry);
      if (value.ok()) {
        values->push_back(*std::move(value));
      } else {
        status_.Update(value.status());
      }
    }
    if (list && !list.node().is(encode::NodeKind::kList)) status_.Update(list.Error("expected a list"));
  }

  void ReadTrust(const Setting& trust) {
    if (trust.Text() == "ACCEPT_UNTRUSTED") {
      accepts_untrusted_ = true;
    } else if (trust && trust.Text() != "VERIFY_TRUST_CHAIN") {
      status_.Update(trust.Error("expected VERIFY_TRUST_CHAIN or ACCEPT_UNTRUSTED"));
    }
  }

  const Surroundings& surroundings_;
  transport::Tls& tls_;
  std::vector<NameMatcher> typed_;
  std::vector<NameMatcher> untyped_;
  bool trusts_somebody_ = false;
  bool accepts_untrusted_ = false;
  absl::Status status_;
};

}  // namespace

absl::Status ReadValidation(std::span<const Setting> contexts, const Surroundings& surroundings, transport::Tls* tls) {
  Reader reader(surroundings, tls);
  for (const Setting& context : contexts) reader.Read(context);
  return reader.Finish(contexts.back());
}

}  // namespace xdscope::config
