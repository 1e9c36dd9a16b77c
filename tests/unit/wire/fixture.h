// The built-in types, and messages written as text.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "tests/fake/random_message.h"

namespace xdscope::wire {

class WireTest : public testing::Test {
 protected:
  const Type& TypeOf(std::string_view name) {
    const Type* type = types_.Find(name);
    EXPECT_NE(type, nullptr) << name;
    return *type;
  }

  // The bytes of a message written in protobuf's text format.
  std::string Bytes(std::string_view type, const std::string& text) {
    const auto* descriptor = schema_.FindMessage(type);
    std::unique_ptr<google::protobuf::Message> message(factory_.GetPrototype(descriptor)->New());
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message.get())) << text;
    return fake::Serialized(*message);
  }

  // What protobuf's own parser reads from the bytes, as text; "error" when it refuses them.
  std::string Parsed(std::string_view type, const std::string& bytes) {
    std::unique_ptr<google::protobuf::Message> message(factory_.GetPrototype(schema_.FindMessage(type))->New());
    if (!message->ParsePartialFromString(bytes)) return "error";
    std::string text;
    google::protobuf::TextFormat::PrintToString(*message, &text);
    return text;
  }

  // Messages filled at random; what stands in an Any is one of a few types.
  fake::RandomMessages Random(unsigned seed) {
    std::vector<const google::protobuf::Descriptor*> any_types;
    for (const char* name :
         {"envoy.config.core.v3.Locality", "envoy.type.v3.FractionalPercent", "google.protobuf.Duration",
          "google.protobuf.StringValue", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"}) {
      any_types.push_back(schema_.FindMessage(name));
    }
    return {factory_, std::move(any_types), seed};
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  Types types_{schema_};
  google::protobuf::DynamicMessageFactory factory_;
  google::protobuf::LogSilencer silence_;  // protobuf's parser says on stderr what it refuses
};

inline constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";

}  // namespace xdscope::wire
