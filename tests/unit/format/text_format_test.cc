// Our text format, read by protobuf's own parser, is the same message.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

TEST(TextFormat, RandomMessagesOfEveryTypeAreReadBackAsTheyWere) {
  Api& api = SharedApi();
  fake::RandomMessages random(
      api.factory,
      {api.schema.FindMessage("envoy.extensions.filters.http.lua.v3.Lua"),
       api.schema.FindMessage("google.protobuf.Struct"), api.schema.FindMessage("google.protobuf.Duration")},
      17);
  WalkOptions options;
  options.show_secrets = true;
  int failures = 0;
  for (const std::string& name : api.schema.MessageNames()) {
    if (failures > 5) break;
    const auto* descriptor = api.schema.FindMessage(name);
    const std::unique_ptr<google::protobuf::Message> message(api.factory.GetPrototype(descriptor)->New());
    random.Fill(message.get(), 3);
    const std::string text = ShowBytes(name, message->SerializePartialAsString(), options, Spelling::kText);
    const std::unique_ptr<google::protobuf::Message> read(api.factory.GetPrototype(descriptor)->New());
    google::protobuf::TextFormat::Parser parser;
    parser.AllowPartialMessage(true);
    const bool parsed = parser.ParseFromString(text, read.get());
    google::protobuf::util::MessageDifferencer differencer;
    differencer.set_message_field_comparison(google::protobuf::util::MessageDifferencer::EQUIVALENT);
    google::protobuf::util::DefaultFieldComparator comparator;
    comparator.set_treat_nan_as_equal(true);
    differencer.set_field_comparator(&comparator);
    std::string difference;
    differencer.ReportDifferencesToString(&difference);
    const bool same = parsed && differencer.Compare(*message, *read);
    EXPECT_TRUE(same) << name << "\n" << difference << text;
    if (!same) ++failures;
  }
}

TEST(TextFormat, LooksAsProtobufsOwn) {
  EXPECT_EQ(Show("envoy.config.cluster.v3.Cluster", R"(
      name: "a\"\n\001" connect_timeout { seconds: 1 } lb_policy: MAGLEV
      metadata { filter_metadata { key: "k" value { fields { key: "f" value { number_value: 1.5 } } } } }
      transport_socket { name: "t" typed_config { [type.googleapis.com/envoy.config.core.v3.Locality] { region: "r" } } }
      health_checks { alt_port { value: 1 } } health_checks {})",
                 {}, Spelling::kText),
            R"(name: "a\"\n\001"
connect_timeout {
  seconds: 1
}
lb_policy: MAGLEV
health_checks {
  alt_port {
    value: 1
  }
}
health_checks {
}
transport_socket {
  name: "t"
  typed_config {
    [type.googleapis.com/envoy.config.core.v3.Locality] {
      region: "r"
    }
  }
}
metadata {
  filter_metadata {
    key: "k"
    value {
      fields {
        key: "f"
        value {
          number_value: 1.5
        }
      }
    }
  }
}
)");
}

TEST(TextFormat, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Show("google.protobuf.StringValue", "value: \"a\\302\\233b\\177\\302\\251\"", {}, Spelling::kText),
            "value: \"a\\302\\233b\\177\xC2\xA9\"\n");
}

TEST(TextFormat, AnAnyThatCannotBeOpenedStaysParseable) {
  const std::string text =
      Show("envoy.config.core.v3.TypedExtensionConfig",
           R"(name: "n" typed_config { type_url: "type.googleapis.com/no.such.Type" value: "\001\377" })", {},
           Spelling::kText);
  EXPECT_EQ(text.substr(0, text.find('#')), "name: \"n\"\ntyped_config {\n  ");
  EXPECT_NE(text.find("# @error: unknown type no.such.Type"), std::string::npos);
  EXPECT_NE(text.find("\n  type_url: \"type.googleapis.com/no.such.Type\"\n  value: \"\\001\\377\"\n}\n"),
            std::string::npos);
  EXPECT_EQ(SharedApi().Parse("envoy.config.core.v3.TypedExtensionConfig", text)->SerializeAsString(),
            SharedApi().Bytes(
                "envoy.config.core.v3.TypedExtensionConfig",
                R"(name: "n" typed_config { type_url: "type.googleapis.com/no.such.Type" value: "\001\377" })"));
}

TEST(TextFormat, AUrlThatItCannotSpellIsSaidInAComment) {
  EXPECT_EQ(ShowAny("envoy.config.core.v3.Locality", "\x0a\x01r", {}, Spelling::kText),
            "# type_url: envoy.config.core.v3.Locality\n[type.googleapis.com/envoy.config.core.v3.Locality] {\n"
            "  region: \"r\"\n}\n");
}

}  // namespace
}  // namespace xdscope::format
