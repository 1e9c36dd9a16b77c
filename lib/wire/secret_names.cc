#include "lib/wire/secret_names.h"

#include <algorithm>
#include <string>

namespace xdscope::wire {
namespace {

// What makes a secret of every key that has it in it, words run together: "db_password_2024", "clientSecretRef".
constexpr std::string_view kParts[] = {"accesstoken", "apikey",       "authtoken",   "credential",
                                       "passphrase",  "passwd",       "password",    "privatekey",
                                       "secret",      "refreshtoken", "sessiontoken"};

// What a secret's name ends in, as its last word …
constexpr std::string_view kLastWords[] = {"assertion", "authorization", "bearer",    "cookie", "hmac",
                                           "jwks",      "jwt",           "otp",       "pass",   "passcode",
                                           "psk",       "pwd",           "signature", "token"};
// … or as its last words, run together.
constexpr std::string_view kEndings[] = {
    "accesskey",  "accountkey", "aeskey",     "authkey",   "authorizationkey", "encryptionkey",
    "hmackey",    "jsonkey",    "jwtkey",     "masterkey", "rsakey",           "securitykey",
    "sessionkey", "sharedkey",  "signingkey", "sshkey",    "storagekey",       "subscriptionkey"};
// What a secret header's name ends in besides. In a Struct such keys are too common: "runtime_key".
constexpr std::string_view kLastWordsOfHeaders[] = {"auth", "key"};

// What ends like a secret and is none.
constexpr std::string_view kHarmlessEndings[] = {"cachekey",   "continuationtoken", "idempotencykey",
                                                 "pagetoken",  "partitionkey",      "publickey",
                                                 "routingkey", "surrogatekey",      "websocketkey"};

// What a field holds a secret in, said behind the secret's own name: "secret_data", "token_data_source".
constexpr std::string_view kContainers[] = {"base64", "bytes",  "data",   "inline", "json",
                                            "pem",    "source", "string", "text",   "value"};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsCapital(char c) {
  return c >= 'A' && c <= 'Z';
}

// Returns true where a word of camelCase begins: "apiKey", "APIKey".
bool IsHump(std::string_view name, std::size_t at) {
  if (at == 0 || !IsCapital(name[at])) return false;
  const bool small_follows = at + 1 < name.size() && IsLetter(name[at + 1]) && !IsCapital(name[at + 1]);
  return !IsCapital(name[at - 1]) || small_follows;
}

// A name in small letters, its words run together, and where the last of them begins.
struct Words {
  std::string text;
  std::size_t last = 0;

  std::string_view last_word() const { return std::string_view(text).substr(last); }
  bool EndsIn(std::string_view words) const { return text.ends_with(words); }
};

Words WordsOf(std::string_view name) {
  while (!name.empty() && !IsLetter(name.back())) name.remove_suffix(1);
  Words words;
  bool apart = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsLetter(c) && !IsDigit(c)) {
      apart = true;
      continue;
    }
    if (apart || IsHump(name, i)) words.last = words.text.size();
    apart = false;
    words.text.push_back(IsCapital(c) ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return words;
}

template <typename Table>
bool HasWord(const Table& table, std::string_view word) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}
template <typename Table>
bool EndsInOneOf(const Table& table, const Words& words) {
  return std::any_of(std::begin(table), std::end(table), [&](std::string_view ending) { return words.EndsIn(ending); });
}

// Takes the last word off a name of words that '_' divides. Returns false when there is one alone.
bool DropLastWord(std::string_view* name) {
  const std::size_t at = name->rfind('_');
  if (at == std::string_view::npos) return false;
  *name = name->substr(0, at);
  return true;
}

}  // namespace

KeySecrecy SecrecyOfKey(std::string_view key) {
  const Words words = WordsOf(key);
  const auto has = [&](std::string_view part) { return words.text.find(part) != std::string::npos; };
  if (std::any_of(std::begin(kParts), std::end(kParts), has)) return KeySecrecy::kSecret;
  if (EndsInOneOf(kHarmlessEndings, words)) return KeySecrecy::kHarmless;
  if (HasWord(kLastWords, words.last_word()) || EndsInOneOf(kEndings, words)) return KeySecrecy::kSecret;
  return HasWord(kLastWordsOfHeaders, words.last_word()) ? KeySecrecy::kSecretInHeader : KeySecrecy::kHarmless;
}

// A field named `cookie` or `cookies` holds the names of some.
bool IsSecretField(std::string_view name) {
  while (HasWord(kContainers, name.substr(name.rfind('_') + 1)) && DropLastWord(&name)) {
  }
  Words words = WordsOf(name);
  if (words.text.ends_with('s') && !HasWord(kLastWords, words.last_word())) words.text.pop_back();  // the singular
  return (HasWord(kLastWords, words.last_word()) && words.last_word() != "cookie") || EndsInOneOf(kParts, words) ||
         EndsInOneOf(kEndings, words);
}

}  // namespace xdscope::wire
