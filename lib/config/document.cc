#include "lib/config/document.h"

#include <fmt/format.h>

#include "lib/config/json_document.h"
#include "lib/config/yaml_document.h"

namespace xdscope::config {
namespace {

// yaml-cpp takes a second per 10 MB: a large text that is not JSON after all is refused as JSON.
constexpr std::size_t kMostToReadTwice = 1 << 20;

void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void AppendJson(const Value& value, std::string* out) {
  switch (value.kind) {
    case Value::Kind::kNull:
      out->append("null");
      return;
    case Value::Kind::kBool:
    case Value::Kind::kNumber:
      out->append(value.text);
      return;
    case Value::Kind::kText:
      AppendQuoted(value.text, out);
      return;
    case Value::Kind::kList:
    case Value::Kind::kMap:
      break;
  }
  const bool map = value.is(Value::Kind::kMap);
  out->push_back(map ? '{' : '[');
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out->push_back(',');
    if (map) {
      AppendQuoted(value.keys[i], out);
      out->push_back(':');
    }
    AppendJson(value.items[i], out);
  }
  out->push_back(map ? '}' : ']');
}

}  // namespace

const Value* Value::Find(std::string_view name) const {
  const std::string camel = CamelCase(name);
  for (std::size_t i = keys.size(); i-- > 0;) {
    if (keys[i] == name || keys[i] == camel) return items[i].is(Kind::kNull) ? nullptr : &items[i];
  }
  return nullptr;
}

std::string_view KindName(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kBool:
      return "a boolean";
    case Value::Kind::kNumber:
      return "a number";
    case Value::Kind::kText:
      return "text";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
  }
  return "";
}

std::string CamelCase(std::string_view snake_case) {
  std::string camel;
  bool upper = false;
  for (const char c : snake_case) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    upper = false;
  }
  return camel;
}

absl::StatusOr<Value> ParseDocument(std::string_view text, std::string_view file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return ErrorAt(file, 0, "", "is empty");
  if (text[first] != '{' && text[first] != '[') return ParseYaml(text, file);
  absl::StatusOr<Value> json = ParseJson(text, file);
  if (json.ok() || text.size() > kMostToReadTwice) return json;
  absl::StatusOr<Value> yaml = ParseYaml(text, file);
  return yaml.ok() ? yaml : json;  // it looked like JSON: what JSON says of it is the better message
}

std::string ToJson(const Value& value) {
  std::string json;
  AppendJson(value, &json);
  return json;
}

absl::Status ErrorAt(std::string_view file, int line, std::string_view path, std::string_view what) {
  std::string where(file);
  if (line > 0) where += fmt::format(":{}", line);
  if (!path.empty()) where += fmt::format("{}{}", where.empty() ? "" : ": ", path);
  return base::Error(absl::StatusCode::kInvalidArgument,
                     where.empty() ? std::string(what) : fmt::format("{}: {}", where, what));
}

}  // namespace xdscope::config
