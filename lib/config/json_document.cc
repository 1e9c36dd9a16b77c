#include "lib/config/json_document.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <utility>

namespace xdscope::config {
namespace {

constexpr std::size_t kMaxDepth = 100;

// Builds the tree as RapidJSON reads along. Of the entries of a top-level `configs` (an Envoy /config_dump) it keeps
// only the one with the bootstrap: the rest may be a hundred megabytes and holds no settings.
class Builder {
 public:
  explicit Builder(const rapidjson::MemoryStream& stream) : stream_(stream) {}

  bool Null() { return Add(Value::Kind::kNull, {}); }
  bool Bool(bool value) { return Add(Value::Kind::kBool, value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return Add(Value::Kind::kNumber, {text, size}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return Add(Value::Kind::kText, {text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    open_.back().keys.emplace_back(text, size);
    return true;
  }
  bool StartObject() { return Open(Value::Kind::kMap); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return Open(Value::Kind::kList); }
  bool EndArray(rapidjson::SizeType) { return Close(); }
  // Never called: numbers come raw.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  Value Take() { return std::move(root_); }
  int line() { return Line(); }

 private:
  // Offsets only grow, so lines are counted once.
  int Line() {
    for (const std::size_t end = stream_.Tell(); counted_ < end; ++counted_) {
      if (stream_.begin_[counted_] == '\n') ++line_;
    }
    return line_;
  }

  bool Add(Value::Kind kind, std::string_view text) {
    Value value;
    value.kind = kind;
    value.line = Line();
    value.text = text;
    Put(std::move(value));
    return true;
  }

  bool Open(Value::Kind kind) {
    if (open_.size() == kMaxDepth) return false;
    open_.emplace_back();
    open_.back().kind = kind;
    open_.back().line = Line();
    return true;
  }

  bool Close() {
    Value value = std::move(open_.back());
    open_.pop_back();
    if (IsDumpWithoutSettings(value)) return true;
    Put(std::move(value));
    return true;
  }

  void Put(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
  }

  bool IsDumpWithoutSettings(const Value& value) const {
    if (open_.size() != 2 || open_[0].keys.empty() || open_[0].keys.back() != "configs") return false;
    const Value* type = value.Find("@type");
    return type != nullptr && !type->text.ends_with("BootstrapConfigDump");
  }

  const rapidjson::MemoryStream& stream_;
  std::vector<Value> open_;
  Value root_;
  std::size_t counted_ = 0;
  int line_ = 1;
};

}  // namespace

absl::StatusOr<Value> ParseJson(std::string_view text, std::string_view file) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  Builder builder(stream);
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (!result.IsError()) return builder.Take();
  const bool too_deep = result.Code() == rapidjson::kParseErrorTermination;
  return ErrorAt(file, builder.line(), "", too_deep ? "nested too deep" : rapidjson::GetParseError_En(result.Code()));
}

}  // namespace xdscope::config
