#include "tests/unit/protocol/conversation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/fields.h"
#include "tests/unit/protocol/oracle.h"

namespace xdscope::protocol::testing {
namespace {

std::string ShortName(std::string_view type_url) {
  static const std::map<std::string_view, std::string> names = {{kLds, "LDS"}, {kRds, "RDS"},   {kCds, "CDS"},
                                                                {kEds, "EDS"}, {kRtds, "RTDS"}, {kVhds, "VHDS"}};
  const auto found = names.find(type_url);
  return found == names.end() ? std::string(type_url) : found->second;
}

std::string Tail(const Message& message) {
  std::string tail;
  if (Has(message, "error_detail")) {
    const Message& error = Sub(message, "error_detail");
    tail += fmt::format(" err{{{} {}}}", Number(error, "code"), Text(error, "message"));
  }
  if (Has(message, "node")) tail += fmt::format(" node{{id:{}}}", Text(Sub(message, "node"), "id"));
  return tail;
}

std::string SotwLine(const std::string& bytes) {
  const std::unique_ptr<Message> message = Parsed(kSotwRequest, bytes);
  return fmt::format("V={} R=[{}] N={} T={}{}", Text(*message, "version_info"),
                     fmt::join(Texts(*message, "resource_names"), ","), Text(*message, "response_nonce"),
                     ShortName(Text(*message, "type_url")), Tail(*message));
}

// The entries of initial_resource_versions, "name:version", sorted.
std::vector<std::string> InitialVersions(const Message& message) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < Count(message, "initial_resource_versions"); ++i) {
    const Message& entry = Sub(message, "initial_resource_versions", i);
    entries.push_back(Text(entry, "key") + ":" + Text(entry, "value"));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string DeltaLine(const std::string& bytes, bool first) {
  const std::unique_ptr<Message> message = Parsed(kDeltaRequest, bytes);
  std::string line = fmt::format("T={}", ShortName(Text(*message, "type_url")));
  const std::vector<std::string> subscribe = Texts(*message, "resource_names_subscribe");
  const std::vector<std::string> unsubscribe = Texts(*message, "resource_names_unsubscribe");
  const std::vector<std::string> held = InitialVersions(*message);
  const std::string nonce = Text(*message, "response_nonce");
  if (first || !subscribe.empty()) line += fmt::format(" +[{}]", fmt::join(subscribe, ","));
  if (!unsubscribe.empty()) line += fmt::format(" -[{}]", fmt::join(unsubscribe, ","));
  if (!held.empty()) line += fmt::format(" init{{{}}}", fmt::join(held, ","));
  if (!nonce.empty()) line += fmt::format(" N={}", nonce);
  return line + Tail(*message);
}

void FillAny(const Entry& entry, const Words& words, Message* any) {
  SetText(any, "type_url", entry.type_url.empty() ? words.type_url : entry.type_url);
  SetText(any, "value", Payload(entry.payload_name.empty() ? entry.name : entry.payload_name, "content"));
}

void FillResource(const Entry& entry, const Words& words, Message* resource) {
  SetText(resource, "name", entry.name);
  SetText(resource, "version", entry.version);
  for (const std::string& alias : entry.aliases) AddText(resource, "aliases", alias);
  if (entry.ttl_seconds) SetNumber(Mutable(resource, "ttl"), "seconds", *entry.ttl_seconds);
  if (entry.has_payload) FillAny(entry, words, Mutable(resource, "resource"));
}

std::string Finish(const Words& words, Message* message) {
  SetText(message, "type_url", words.type_url);
  SetText(message, "nonce", words.nonce);
  if (!words.control_plane.empty()) SetText(Mutable(message, "control_plane"), "identifier", words.control_plane);
  for (const auto& [name, code] : words.errors) {
    Message* error = Add(message, "resource_errors");
    SetText(Mutable(error, "resource_name"), "name", name);
    SetNumber(Mutable(error, "error_detail"), "code", code);
    SetText(Mutable(error, "error_detail"), "message", "for a reason");
  }
  return Serialized(*message);
}

std::string_view Word(finding::Severity severity) {
  using finding::Severity;
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "info";
}

}  // namespace

std::string Payload(std::string_view name, std::string_view content) {
  std::string bytes;
  base::AppendBytes(&bytes, 1, name);
  if (!content.empty()) base::AppendBytes(&bytes, 7, content);
  return bytes;
}

std::string Node(const std::vector<std::string>& features) {
  std::string bytes;
  base::AppendBytes(&bytes, 1, "n1");
  for (const std::string& feature : features) base::AppendBytes(&bytes, 10, feature);
  return bytes;
}

std::string SotwBytes(const Words& words) {
  const std::unique_ptr<Message> message = NewMessage(kSotwResponse);
  SetText(message.get(), "version_info", words.version);
  for (const Entry& entry : words.entries) {
    Message* any = Add(message.get(), "resources");
    if (!entry.wrapped) {
      FillAny(entry, words, any);
      continue;
    }
    const std::unique_ptr<Message> resource = NewMessage(kResource);
    FillResource(entry, words, resource.get());
    SetText(any, "type_url", fmt::format("type.googleapis.com/{}", kResource));
    SetText(any, "value", Serialized(*resource));
  }
  return Finish(words, message.get());
}

std::string DeltaBytes(const Words& words) {
  const std::unique_ptr<Message> message = NewMessage(kDeltaResponse);
  SetText(message.get(), "system_version_info", words.version);
  for (const Entry& entry : words.entries) FillResource(entry, words, Add(message.get(), "resources"));
  for (const std::string& name : words.removed) AddText(message.get(), "removed_resources", name);
  return Finish(words, message.get());
}

std::vector<Entry> Entries(const std::vector<std::string>& names) {
  std::vector<Entry> entries;
  for (const std::string& name : names) {
    const std::size_t at = name.find('@');
    entries.push_back({name.substr(0, at), at == std::string::npos ? "" : name.substr(at + 1)});
  }
  return entries;
}

std::string Line(Variant variant, const Request& request) {
  return variant == Variant::kSotw ? SotwLine(request.bytes)
                                   : DeltaLine(request.bytes, request.kind == Request::Kind::kFirst);
}

AdsSession::Options Conversation::Sotw() {
  AdsSession::Options options;
  options.node_in_every_request = false;
  options.node = Node();
  return options;
}

AdsSession::Options Conversation::Delta() {
  AdsSession::Options options = Sotw();
  options.variant = Variant::kDelta;
  return options;
}

Conversation::Conversation(AdsSession::Options options) : variant_(options.variant), session_(std::move(options)) {}

std::vector<std::string> Conversation::Sent() {
  std::vector<std::string> lines;
  while (const std::optional<Request> request = session_.NextRequest()) lines.push_back(Line(variant_, *request));
  return lines;
}

Response Conversation::Hear(const Words& words) {
  const std::string bytes = variant_ == Variant::kSotw ? SotwBytes(words) : DeltaBytes(words);
  absl::StatusOr<Response> response = session_.OnMessage(std::make_shared<const std::string>(bytes));
  EXPECT_TRUE(response.ok());
  return response.ok() ? *std::move(response) : Response();
}

std::vector<std::string> Conversation::Accept(const Words& words) {
  EXPECT_TRUE(session_.Answer(Hear(words).id, Verdict::Ack()).ok());
  return Sent();
}

std::vector<std::string> Conversation::Refuse(const Words& words, std::string_view message) {
  EXPECT_TRUE(session_.Answer(Hear(words).id, Verdict::Nack(std::string(message))).ok());
  return Sent();
}

std::vector<std::string> Conversation::Findings(const Words& words) {
  const Response response = Hear(words);
  std::vector<std::string> lines;
  for (const finding::Finding& found : response.findings) {
    lines.push_back(fmt::format("{} {}", found.rule, Word(found.severity)));
    if (!found.resource.empty()) lines.back() += fmt::format(" '{}'", found.resource);
  }
  if (response.expects_answer) {
    EXPECT_TRUE(session_.Answer(response.id, Verdict::Ack()).ok());
  }
  Sent();
  return lines;
}

Conversation Start(AdsSession::Options options, std::string_view type_url, const Interest& interest) {
  Conversation talk(std::move(options));
  talk->SetInterest(type_url, interest);
  talk->OnStreamOpened();
  return talk;
}

}  // namespace xdscope::protocol::testing
