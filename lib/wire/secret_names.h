// Which names are those of secrets: keys of headers, query parameters, maps and Structs, and names of fields. Knows
// words and no schema.
#pragma once

#include <cstdint>
#include <string_view>

namespace xdscope::wire {

// What the value under a key is.
enum class KeySecrecy : std::uint8_t {
  kHarmless,
  kSecretInHeader,  // a secret where the key is the name of a header or query parameter: "x-functions-key"
  kSecret,          // a secret wherever the key stands: "api_key", "client_secret", "x-vault-token"
};

// Splits the key at whatever is no letter or digit and before the capitals of camelCase, and looks at its last word
// and at a few parts that tell anywhere. Numbers at its end do not count.
KeySecrecy SecrecyOfKey(std::string_view key);

// Returns true for the name of a field that holds a secret itself: "session_token", but not "session_token_path".
bool IsSecretField(std::string_view name);

}  // namespace xdscope::wire
