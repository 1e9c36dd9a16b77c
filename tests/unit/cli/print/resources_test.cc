#include "cli/print/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/test_resources.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using format::DocumentFormat;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ResourcesTest : public testing::Test {
 protected:
  std::string Rendered(Layout layout, DocumentFormat format = DocumentFormat::kYaml) {
    strings_.out.clear();
    OutputOptions options;
    options.layout = layout;
    options.format = format;
    const Streams streams = strings_.Get();
    Render(world_.snapshot, options, {}, world_.types, streams.out);
    return strings_.out;
  }
  std::string Raw(DocumentFormat format, const std::vector<RawMessage>& messages, bool show_secrets = false) {
    strings_.out.clear();
    OutputOptions options;
    options.format = format;
    options.walk.show_secrets = show_secrets;
    const Streams streams = strings_.Get();
    RenderRaw(messages, options, world_.types, streams.out);
    return strings_.out;
  }

  TestStreams strings_;
  TestResources world_;
};

TEST_F(ResourcesTest, NoLayoutLetsANameSteerTheTerminal) {
  world_.Add("cds", {{"a\x1b[2J\nb", "name: 'a\\033[2J\\nb'"}});
  EXPECT_EQ(Rendered(Layout::kNames), "cds:a\\x1b[2J\\nb\n");
  EXPECT_EQ(Rendered(Layout::kTree), "cds:a\\x1b[2J\\nb\n");
  EXPECT_THAT(Rendered(Layout::kTable), HasSubstr("\na\\x1b[2J\\nb  "));
  for (const DocumentFormat format : {DocumentFormat::kYaml, DocumentFormat::kJson, DocumentFormat::kText}) {
    EXPECT_EQ(Rendered(Layout::kDocuments, format).find('\x1b'), std::string::npos);
  }
}

TEST_F(ResourcesTest, TablesOfTwoTypesStandApart) {
  world_.Add("cds", {{"a", "name: 'a'"}});
  world_.Add("eds", {{"a", "cluster_name: 'a'"}});
  EXPECT_THAT(Rendered(Layout::kTable), HasSubstr("\n\nEDS"));
}

TEST_F(ResourcesTest, StopsWhereNobodyReads) {
  world_.Add("cds", {{"a", "name: 'a'"}});
  int writes = 0;
  OutputStream closed;
  closed.write = [&](std::string_view) { return ++writes, false; };
  Render(world_.snapshot, {}, {}, world_.types, closed);
  EXPECT_EQ(writes, 1);
}

TEST_F(ResourcesTest, ARawMessageThatCannotBeReadShowsItsBytesOnDemandOnly) {
  const RawMessage broken{"envoy.service.discovery.v3.DiscoveryResponse", "\x0a\x7fx"};
  const std::string yaml = Raw(DocumentFormat::kYaml, {broken});
  EXPECT_THAT(yaml, HasSubstr("\"@error\":"));
  EXPECT_THAT(yaml, HasSubstr("--show-secrets"));
  EXPECT_THAT(yaml, Not(HasSubstr("Cn94")));
  EXPECT_EQ(Raw(DocumentFormat::kBinary, {broken}), "");
  EXPECT_THAT(Raw(DocumentFormat::kYaml, {broken}, true), HasSubstr("Cn94"));
  EXPECT_EQ(Raw(DocumentFormat::kBinary, {broken}, true), broken.bytes);
}

TEST_F(ResourcesTest, ARawMessageInBinaryHasNoSecrets) {
  const std::string bytes =
      world_.Bytes("x/envoy.service.discovery.v3.DiscoveryResponse", R"(version_info: "7" resources {
      [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret] {
        generic_secret { secret { inline_string: "HUSH" } } } })");
  const RawMessage message{"envoy.service.discovery.v3.DiscoveryResponse", bytes};
  EXPECT_THAT(Raw(DocumentFormat::kBinary, {message}), AllOf(HasSubstr("[redacted]"), Not(HasSubstr("HUSH"))));
  EXPECT_EQ(Raw(DocumentFormat::kBinary, {message}, true), bytes);
}

}  // namespace
}  // namespace xdscope::cli
