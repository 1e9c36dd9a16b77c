// Messages of the discovery protocol as protobuf itself reads and writes them, over the embedded schema: the second
// opinion on all that lib/protocol reads and writes by hand. Fields are named as in the .proto file; a name that the
// message does not have ends the test program.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::protocol::testing {

// The messages that both sides of a discovery stream send, and what is in them.
inline constexpr std::string_view kSotwRequest = "envoy.service.discovery.v3.DiscoveryRequest";
inline constexpr std::string_view kDeltaRequest = "envoy.service.discovery.v3.DeltaDiscoveryRequest";
inline constexpr std::string_view kSotwResponse = "envoy.service.discovery.v3.DiscoveryResponse";
inline constexpr std::string_view kDeltaResponse = "envoy.service.discovery.v3.DeltaDiscoveryResponse";
inline constexpr std::string_view kResource = "envoy.service.discovery.v3.Resource";
inline constexpr std::string_view kAny = "google.protobuf.Any";

using google::protobuf::Message;

std::unique_ptr<Message> NewMessage(std::string_view full_name);
// Parses without protobuf's words on stderr. Returns false where protobuf refuses the bytes.
bool Parse(std::string_view bytes, Message* message);
// Parses bytes that protobuf takes; others fail the test.
std::unique_ptr<Message> Parsed(std::string_view full_name, std::string_view bytes);
// Serializes with the entries of maps in order.
std::string Serialized(const Message& message);

// Reading. What is absent reads as its default.
bool Has(const Message& message, const std::string& field);
std::string Text(const Message& message, const std::string& field);
std::vector<std::string> Texts(const Message& message, const std::string& field);
std::int64_t Number(const Message& message, const std::string& name);
const Message& Sub(const Message& message, const std::string& field);
std::size_t Count(const Message& message, const std::string& field);
const Message& Sub(const Message& message, const std::string& field, std::size_t index);

// Writing.
void SetText(Message* message, const std::string& field, std::string_view text);
void SetNumber(Message* message, const std::string& name, std::int64_t number);
void AddText(Message* message, const std::string& field, std::string_view text);
Message* Mutable(Message* message, const std::string& field);
Message* Add(Message* message, const std::string& field);

}  // namespace xdscope::protocol::testing
