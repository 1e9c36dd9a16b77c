#include "cli/commands/describe/printer.h"
#include "lib/format/json_writer.h"
#include "lib/format/output.h"

namespace xdscope::cli {
namespace {

using format::JsonWriter;
using rules::EnumDescription;
using rules::FieldDescription;
using rules::MessageDescription;

// Writes one object; what is empty, or false, is left out.
class Json {
 public:
  Json()
      : out_([this](std::string_view chunk) {
          text_.append(chunk);
          return absl::OkStatus();
        }),
        writer_(out_, JsonWriter::Layout::kIndented) {}

  std::string Take() {
    static_cast<void>(out_.Flush());  // a string takes everything
    return std::move(text_) + "\n";
  }

  void Text(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    writer_.NameKey(key);
    writer_.Text(text);
  }
  void Number(std::string_view key, std::int32_t number) {
    writer_.NameKey(key);
    writer_.Int(number);
  }
  void Flag(std::string_view key, bool value) {
    if (!value) return;
    writer_.NameKey(key);
    writer_.Bool(true);
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    List(key, texts, [this](const std::string& text) { writer_.Text(text); });
  }
  template <typename Items, typename Write>
  void List(std::string_view key, const Items& items, const Write& write) {
    if (items.empty()) return;
    writer_.NameKey(key);
    writer_.BeginList();
    for (const auto& item : items) write(item);
    writer_.EndList();
  }
  template <typename Write>
  void Object(const Write& write) {
    writer_.BeginObject();
    write();
    writer_.EndObject();
  }

  void Field(const FieldDescription& field) {
    Text("name", field.name);
    Text("json_name", field.json_name);
    Number("number", static_cast<std::int32_t>(field.number));
    Text("type", field.type);
    Text("oneof", field.oneof);
    Texts("rules", field.rules);
    Texts("takes", field.kinds);
    Flag("deprecated", field.deprecated);
    Flag("disallowed_by_default", field.disallowed);
    Flag("work_in_progress", field.in_progress);
    Flag("sensitive", field.sensitive);
    Text("comment", field.comment);
  }

 private:
  std::string text_;
  format::Output out_;
  JsonWriter writer_;
};

}  // namespace

std::string JsonOf(const MessageDescription& message) {
  Json json;
  json.Object([&] {
    json.Text("message", message.full_name);
    json.Text("file", message.file);
    json.Text("resource_type", message.resource_type);
    json.Text("kind", message.kind);
    json.Text("usual_name", message.usual_name);
    json.Flag("deprecated", message.deprecated);
    json.Flag("work_in_progress", message.in_progress);
    json.Flag("not_in_envoy", !message.linked);
    json.Text("successor", message.successor);
    json.Text("comment", message.comment);
    json.Text("link", rules::LinkTo(message.file, "msg", message.full_name));
    json.List("oneofs", message.oneofs, [&](const rules::OneofDescription& oneof) {
      json.Object([&] {
        json.Text("name", oneof.name);
        json.Flag("required", oneof.required);
      });
    });
    json.List("fields", message.fields,
              [&](const FieldDescription& field) { json.Object([&] { json.Field(field); }); });
    json.List("used_in", message.uses, [&](const rules::Use& use) {
      json.Object([&] {
        json.Text("message", use.message);
        json.Text("field", use.field);
      });
    });
  });
  return json.Take();
}

std::string JsonOf(const FieldDescription& field, const MessageDescription& message) {
  Json json;
  json.Object([&] {
    json.Text("message", message.full_name);
    json.Field(field);
    json.Text("link", rules::LinkTo(message.file, "field", message.full_name + "." + field.name));
  });
  return json.Take();
}

std::string JsonOf(const EnumDescription& values) {
  Json json;
  json.Object([&] {
    json.Text("enum", values.full_name);
    json.Text("file", values.file);
    json.Text("comment", values.comment);
    json.Text("link", rules::LinkTo(values.file, "enum", values.full_name));
    json.List("values", values.values, [&](const rules::EnumValueDescription& value) {
      json.Object([&] {
        json.Text("name", value.name);
        json.Number("number", value.number);
        json.Flag("deprecated", value.deprecated);
        json.Flag("disallowed_by_default", value.disallowed);
        json.Text("comment", value.comment);
      });
    });
  });
  return json.Take();
}

std::string JsonOf(const finding::Rule& rule) {
  Json json;
  json.Object([&] {
    json.Text("rule", rule.id);
    json.Text("severity", finding::WordOf(rule.severity));
    json.Text("client", rule.client == finding::Client::kGrpc    ? "grpc"
                        : rule.client == finding::Client::kEnvoy ? "envoy"
                                                                 : "both");
    json.Text("text", rule.text);
    json.Text("about", rule.about);
    json.Text("effect", rule.effect);
  });
  return json.Take();
}

}  // namespace xdscope::cli
