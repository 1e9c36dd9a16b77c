#include "lib/rules/text_forms.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

namespace xdscope::rules {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return text.find('\0') == std::string_view::npos && inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool IsHostLabel(std::string_view label) {
  constexpr std::size_t kMostInLabel = 63;
  return !label.empty() && label.size() <= kMostInLabel && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; });
}

// The part of an e-mail address before the "@": words of RFC 5322 between dots, or one in quotes.
bool IsLocalPart(std::string_view text) {
  constexpr std::size_t kMostInLocalPart = 64;
  if (text.empty() || text.size() > kMostInLocalPart) return false;
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') return true;
  constexpr std::string_view kOther = "!#$%&'*+-/=?^_`{|}~.";
  return text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return IsLetter(c) || IsDigit(c) || static_cast<signed char>(c) < 0 ||
                  kOther.find(c) != std::string_view::npos;
         });
}

// Tells whether each "%" is followed by two hexadecimal digits.
bool IsWellEscaped(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !IsHexDigit(text[at + 1]) || !IsHexDigit(text[at + 2])) return false;
  }
  return true;
}

// Returns the length of "SCHEME:" at the start of a text; 0 when there is none.
std::size_t SchemeLength(std::string_view text) {
  if (text.empty() || !IsLetter(text.front())) return 0;
  const auto* const end = std::find_if_not(
      text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; });
  return end != text.end() && *end == ':' ? static_cast<std::size_t>(end - text.begin()) + 1 : 0;
}

}  // namespace

bool IsIpv4(std::string_view text) {
  return IsAddress(AF_INET, text);
}

bool IsIpv6(std::string_view text) {
  return IsAddress(AF_INET6, text);
}

bool IsHostname(std::string_view text) {
  constexpr std::size_t kMostInName = 253;
  if (text.size() > kMostInName) return false;
  if (text.ends_with('.')) text.remove_suffix(1);
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsHostLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsEmail(std::string_view text) {
  constexpr std::size_t kMostInAddress = 254;
  if (text.ends_with('>')) {
    const std::size_t open = text.rfind('<');
    if (open == std::string_view::npos) return false;
    text = text.substr(open + 1, text.size() - open - 2);
  }
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && text.size() <= kMostInAddress && IsLocalPart(text.substr(0, at)) &&
         IsHostname(text.substr(at + 1));
}

bool IsUriReference(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), IsControl) || text.find(' ') != std::string_view::npos) return false;
  const std::string_view path = text.substr(0, text.find_first_of("?#"));
  const std::size_t colon = path.substr(0, path.find('/')).find(':');
  return IsWellEscaped(path) && (colon == std::string_view::npos || SchemeLength(text) > 0);
}

bool IsUri(std::string_view text) {
  return SchemeLength(text) > 0 && IsUriReference(text);
}

bool IsUuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '-' ? c == '-' : IsHexDigit(c);
         });
}

bool IsHeaderName(std::string_view text) {
  if (text.starts_with(':')) text.remove_prefix(1);
  constexpr std::string_view kOther = "!#$%&'*+,-.^_|~`";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsLetter(c) || IsDigit(c) || kOther.find(c) != std::string_view::npos;
  });
}

bool IsHeaderValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return IsControl(c) && c != '\t'; });
}

bool IsOneLine(std::string_view text) {
  return text.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos;
}

}  // namespace xdscope::rules
