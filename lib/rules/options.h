// The options of descriptors, read from their bytes: an option is an unknown field in a program that has no generated
// code for it, and an extension in one that has; the bytes are the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "lib/base/fields.h"

namespace xdscope::rules {

// Returns the bytes of the options of a descriptor of protobuf; empty where it has none.
template <typename Described>
std::string OptionsOf(const Described& descriptor) {
  const auto& options = descriptor.options();
  if (&options == &std::decay_t<decltype(options)>::default_instance()) return {};
  return options.SerializePartialAsString();
}

// Returns the value of a number or boolean among options; 0 when it is not set.
inline std::uint64_t NumberOption(std::string_view options, std::uint32_t number) {
  std::uint64_t value = 0;
  for (base::FieldReader reader(options); reader.Next();) {
    if (reader.number() == number && reader.type() == base::WireType::kVarint) value = reader.value();
  }
  return value;
}

// Returns the bytes of a text or message among options: the pieces of one that stands there several times are joined,
// which makes one message of them.
inline std::string BytesOption(std::string_view options, std::uint32_t number) {
  std::string bytes;
  std::string_view part;
  for (base::FieldReader reader(options); reader.Next();) {
    if (reader.Is(number, &part)) bytes += part;
  }
  return bytes;
}

}  // namespace xdscope::rules
