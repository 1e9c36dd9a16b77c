#include "lib/config/struct_value.h"

#include <bit>
#include <charconv>

#include "lib/base/fields.h"

namespace xdscope::config {
namespace {

// Fields of google.protobuf.Value.
constexpr std::uint32_t kNullValue = 1;
constexpr std::uint32_t kNumberValue = 2;
constexpr std::uint32_t kStringValue = 3;
constexpr std::uint32_t kBoolValue = 4;
constexpr std::uint32_t kStructValue = 5;
constexpr std::uint32_t kListValue = 6;

void AppendSmall(std::uint32_t field, bool value, std::string* out) {
  base::AppendTag(out, field, base::WireType::kVarint);
  base::AppendVarint(out, value ? 1 : 0);
}

void AppendNumber(std::string_view text, std::string* out) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  base::AppendTag(out, kNumberValue, base::WireType::kFixed64);
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (int shift = 0; shift < 64; shift += 8) out->push_back(static_cast<char>(bits >> shift));
}

}  // namespace

std::string EncodeStructValue(const Value& value) {
  std::string out;
  std::string inner;
  switch (value.kind) {
    case Value::Kind::kNull:
      AppendSmall(kNullValue, false, &out);
      break;
    case Value::Kind::kBool:
      AppendSmall(kBoolValue, value.text == "true", &out);
      break;
    case Value::Kind::kNumber:
      AppendNumber(value.text, &out);
      break;
    case Value::Kind::kText:
      base::AppendBytes(&out, kStringValue, value.text);
      break;
    case Value::Kind::kList:
      for (const Value& item : value.items) base::AppendBytes(&inner, 1, EncodeStructValue(item));
      base::AppendBytes(&out, kListValue, inner);
      break;
    case Value::Kind::kMap:
      for (std::size_t i = 0; i < value.items.size(); ++i) AppendStructMember(value.keys[i], value.items[i], &inner);
      base::AppendBytes(&out, kStructValue, inner);
      break;
  }
  return out;
}

void AppendStructMember(std::string_view key, const Value& value, std::string* structure) {
  std::string entry;
  base::AppendBytes(&entry, 1, key);
  base::AppendBytes(&entry, 2, EncodeStructValue(value));
  base::AppendBytes(structure, 1, entry);
}

}  // namespace xdscope::config
