// Our JSON against protobuf's own printer, on every message type of the API.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"
#include "tests/unit/format/json_difference.h"

namespace xdscope::format {
namespace {

class JsonEquality : public testing::Test {
 protected:
  JsonEquality() {
    for (const std::string& name : api_.schema.MessageNames()) {
      const auto* descriptor = api_.schema.FindMessage(name);
      descriptors_.push_back(descriptor);
      const bool usual = name.starts_with("envoy.extensions.") || name.starts_with("google.protobuf.Str") ||
                         name.starts_with("google.protobuf.Dur") || name.ends_with("Value");
      if (usual && !name.starts_with("google.protobuf.Enum")) any_types_.push_back(descriptor);
    }
    resolver_.reset(google::protobuf::util::NewTypeResolverForDescriptorPool("type.googleapis.com",
                                                                             descriptors_.front()->file()->pool()));
  }

  // Compares `rounds` random messages of each type. Returns how many protobuf could print.
  int Compare(const WalkOptions& options, const google::protobuf::util::JsonPrintOptions& their_options, int rounds);

  Api& api_ = SharedApi();
  std::vector<const google::protobuf::Descriptor*> descriptors_;
  std::vector<const google::protobuf::Descriptor*> any_types_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
};

int JsonEquality::Compare(const WalkOptions& options, const google::protobuf::util::JsonPrintOptions& their_options,
                          int rounds) {
  fake::RandomMessages random(api_.factory, any_types_, 20240601);
  int compared = 0;
  int failures = 0;
  for (int i = 0; i < rounds * static_cast<int>(descriptors_.size()) && failures < 10; ++i) {
    const auto* descriptor = descriptors_[static_cast<std::size_t>(i) % descriptors_.size()];
    const std::unique_ptr<google::protobuf::Message> message(api_.factory.GetPrototype(descriptor)->New());
    random.Fill(message.get(), 4);
    const std::string bytes = message->SerializePartialAsString();
    std::string theirs;
    const auto status = google::protobuf::util::BinaryToJsonString(
        resolver_.get(), "type.googleapis.com/" + descriptor->full_name(), bytes, &theirs, their_options);
    if (!status.ok()) continue;
    ++compared;
    // protobuf says "false" for one of 0 at the top when defaults are wanted.
    if (options.emit_defaults && descriptor->full_name() == "google.protobuf.FloatValue") continue;
    const std::string ours = ShowBytes(descriptor->full_name(), bytes, options);
    const std::string difference = JsonDifference(ours, theirs);
    EXPECT_EQ(difference, "") << descriptor->full_name() << "\n" << ours << "\n" << theirs;
    if (!difference.empty()) ++failures;
  }
  return compared;
}

TEST_F(JsonEquality, EveryMessageTypeIsPrintedAsProtobufDoes) {
  WalkOptions options;
  options.show_secrets = true;
  options.names = FieldNames::kCamel;
  const int compared = Compare(options, {}, 2);
  EXPECT_GT(compared, static_cast<int>(descriptors_.size()) * 2 * 9 / 10);
}

TEST_F(JsonEquality, WithTheNamesOfTheProtoFilesToo) {
  WalkOptions options;
  options.show_secrets = true;
  google::protobuf::util::JsonPrintOptions theirs;
  theirs.preserve_proto_field_names = true;
  const int compared = Compare(options, theirs, 1);
  EXPECT_GT(compared, static_cast<int>(descriptors_.size()) * 9 / 10);
}

TEST_F(JsonEquality, WithDefaultsToo) {
  WalkOptions options;
  options.show_secrets = true;
  options.emit_defaults = true;
  options.names = FieldNames::kCamel;
  google::protobuf::util::JsonPrintOptions theirs;
  theirs.always_print_primitive_fields = true;
  const int compared = Compare(options, theirs, 1);
  EXPECT_GT(compared, static_cast<int>(descriptors_.size()) * 9 / 10);
}

}  // namespace
}  // namespace xdscope::format
