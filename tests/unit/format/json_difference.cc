#include "tests/unit/format/json_difference.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

namespace xdscope::format {
namespace {

constexpr unsigned kParse = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag;

// Empty when both are the same JSON value, else where they differ.
std::string Difference(const rapidjson::Value& ours, const rapidjson::Value& theirs, const std::string& path) {
  if (ours.IsNumber() && theirs.IsNumber()) {
    return ours.GetDouble() == theirs.GetDouble() ? "" : path + ": other number";
  }
  if (ours.GetType() != theirs.GetType()) return path + ": other type";
  if (ours.IsString()) return ours == theirs ? "" : path + ": other text";
  if (ours.IsArray()) {
    if (ours.Size() != theirs.Size()) return path + ": other length";
    for (rapidjson::SizeType i = 0; i < ours.Size(); ++i) {
      std::string found = Difference(ours[i], theirs[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
  }
  if (ours.IsObject()) {
    for (const auto& member : theirs.GetObject()) {
      const std::string below = path + "." + member.name.GetString();
      const auto same = ours.FindMember(member.name);
      if (same == ours.MemberEnd()) return below + ": missing";
      std::string found = Difference(same->value, member.value, below);
      if (!found.empty()) return found;
    }
    if (ours.MemberCount() != theirs.MemberCount()) return path + ": more members than protobuf's";
  }
  return {};
}

}  // namespace

std::string JsonDifference(const std::string& ours, const std::string& theirs) {
  rapidjson::Document a, b;
  if (a.Parse<kParse>(ours.c_str(), ours.size()).HasParseError()) {
    return std::string("not JSON: ") + rapidjson::GetParseError_En(a.GetParseError());
  }
  if (b.Parse<kParse>(theirs.c_str(), theirs.size()).HasParseError()) return "protobuf's is not JSON";
  return Difference(a, b, "");
}

}  // namespace xdscope::format
