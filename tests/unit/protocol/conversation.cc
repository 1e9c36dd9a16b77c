#include "tests/unit/protocol/conversation.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "envoy/service/discovery/v3/discovery.pb.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/fields.h"

namespace xdscope::protocol::testing {
namespace {

namespace discovery = envoy::service::discovery::v3;

std::string_view NameOf(std::string_view payload) {
  return base::FindBytes(payload, 1).value_or(std::string_view());
}

std::string ShortName(std::string_view type_url) {
  static const std::map<std::string_view, std::string> names = {{kLds, "LDS"}, {kRds, "RDS"},   {kCds, "CDS"},
                                                                {kEds, "EDS"}, {kRtds, "RTDS"}, {kVhds, "VHDS"}};
  const auto found = names.find(type_url);
  return found == names.end() ? std::string(type_url) : found->second;
}

template <typename Message>
std::string Tail(const Message& message) {
  std::string tail;
  if (message.has_error_detail()) {
    tail += fmt::format(" err{{{} {}}}", message.error_detail().code(), message.error_detail().message());
  }
  if (message.has_node()) tail += fmt::format(" node{{id:{}}}", message.node().id());
  return tail;
}

std::string SotwLine(const std::string& bytes) {
  discovery::DiscoveryRequest message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return fmt::format("V={} R=[{}] N={} T={}{}", message.version_info(), fmt::join(message.resource_names(), ","),
                     message.response_nonce(), ShortName(message.type_url()), Tail(message));
}

std::string DeltaLine(const std::string& bytes, bool first) {
  discovery::DeltaDiscoveryRequest message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  std::string line = fmt::format("T={}", ShortName(message.type_url()));
  if (first || message.resource_names_subscribe_size() > 0) {
    line += fmt::format(" +[{}]", fmt::join(message.resource_names_subscribe(), ","));
  }
  if (message.resource_names_unsubscribe_size() > 0) {
    line += fmt::format(" -[{}]", fmt::join(message.resource_names_unsubscribe(), ","));
  }
  std::vector<std::string> held;
  const auto& versions = message.initial_resource_versions();
  for (const auto& [name, version] : std::map<std::string, std::string>(versions.begin(), versions.end())) {
    held.push_back(name + ":" + version);
  }
  if (!held.empty()) line += fmt::format(" init{{{}}}", fmt::join(held, ","));
  if (!message.response_nonce().empty()) line += fmt::format(" N={}", message.response_nonce());
  return line + Tail(message);
}

void FillAny(const Entry& entry, const Words& words, google::protobuf::Any* any) {
  any->set_type_url(entry.type_url.empty() ? std::string(words.type_url) : entry.type_url);
  any->set_value(Payload(entry.payload_name.empty() ? entry.name : entry.payload_name, "content"));
}

void FillResource(const Entry& entry, const Words& words, discovery::Resource* resource) {
  resource->set_name(entry.name);
  resource->set_version(entry.version);
  for (const std::string& alias : entry.aliases) resource->add_aliases(alias);
  if (entry.ttl_seconds) resource->mutable_ttl()->set_seconds(*entry.ttl_seconds);
  if (entry.has_payload) FillAny(entry, words, resource->mutable_resource());
}

template <typename Message>
std::string Finish(const Words& words, Message* message) {
  message->set_type_url(std::string(words.type_url));
  message->set_nonce(words.nonce);
  if (!words.control_plane.empty()) message->mutable_control_plane()->set_identifier(words.control_plane);
  for (const auto& [name, code] : words.errors) {
    auto* error = message->add_resource_errors();
    error->mutable_resource_name()->set_name(name);
    error->mutable_error_detail()->set_code(code);
    error->mutable_error_detail()->set_message("for a reason");
  }
  return message->SerializeAsString();
}

std::string_view Word(finding::Severity severity) {
  using finding::Severity;
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "info";
}

}  // namespace

TypeTraits TestTraits(std::string_view type_url) {
  TypeTraits traits;
  traits.known = true;
  traits.full_state = type_url == kLds || type_url == kCds;
  traits.name_of = &NameOf;
  if (type_url == kVhds) {
    traits.name_of = nullptr;
    traits.named_by_wrapper = traits.delta_only = traits.on_demand = true;
  }
  if (type_url == kCds) traits.other_version = kCdsV2;
  if (type_url.find("Unknown") != std::string_view::npos) traits = {};
  return traits;
}

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
  discovery::DiscoveryResponse message;
  message.set_version_info(words.version);
  for (const Entry& entry : words.entries) {
    if (!entry.wrapped) {
      FillAny(entry, words, message.add_resources());
      continue;
    }
    discovery::Resource resource;
    FillResource(entry, words, &resource);
    message.add_resources()->PackFrom(resource);
  }
  return Finish(words, &message);
}

std::string DeltaBytes(const Words& words) {
  discovery::DeltaDiscoveryResponse message;
  message.set_system_version_info(words.version);
  for (const Entry& entry : words.entries) FillResource(entry, words, message.add_resources());
  for (const std::string& name : words.removed) message.add_removed_resources(name);
  return Finish(words, &message);
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
  options.traits = &TestTraits;
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
  EXPECT_TRUE(session_.Ack(Hear(words).id).ok());
  return Sent();
}

std::vector<std::string> Conversation::Refuse(const Words& words, std::string_view message) {
  EXPECT_TRUE(session_.Nack(Hear(words).id, message).ok());
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
    EXPECT_TRUE(session_.Ack(response.id).ok());
  }
  Sent();
  return lines;
}

}  // namespace xdscope::protocol::testing
