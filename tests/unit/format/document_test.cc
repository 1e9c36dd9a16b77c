#include "lib/format/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lib/base/fields.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

constexpr std::string_view kUrl = "type.googleapis.com/envoy.config.core.v3.Locality";

class Documents : public testing::Test {
 protected:
  std::string Write(DocumentFormat format, const std::vector<TypeListing>& listings, WalkOptions walk = {}) {
    return Collect([&](Output& out) {
      DocumentWriter writer(SharedApi().types, {format, walk, {}}, out);
      for (const TypeListing& listing : listings) writer.Write(listing);
    });
  }

  TypeListing Listing(std::string_view version = "7") const {
    return {kUrl, version, {{"one", "v1", {}, one_, {}, nullptr}, {"two", "v2", {}, two_, {}, nullptr}}};
  }

  std::string one_ = SharedApi().Bytes("envoy.config.core.v3.Locality", "region: \"r\"");
  std::string two_ = SharedApi().Bytes("envoy.config.core.v3.Locality", "zone: \"z\"");
};

TEST_F(Documents, JsonIsOneResponsePerType) {
  EXPECT_EQ(Write(DocumentFormat::kJson, {Listing(), Listing("8")}), R"({
  "version_info": "7",
  "resources": [
    {
      "@type": "type.googleapis.com/envoy.config.core.v3.Locality",
      "region": "r"
    },
    {
      "@type": "type.googleapis.com/envoy.config.core.v3.Locality",
      "zone": "z"
    }
  ],
  "type_url": "type.googleapis.com/envoy.config.core.v3.Locality"
}
{
  "version_info": "8",
  "resources": [
    {
      "@type": "type.googleapis.com/envoy.config.core.v3.Locality",
      "region": "r"
    },
    {
      "@type": "type.googleapis.com/envoy.config.core.v3.Locality",
      "zone": "z"
    }
  ],
  "type_url": "type.googleapis.com/envoy.config.core.v3.Locality"
}
)");
}

TEST_F(Documents, YamlDocumentsAreSeparated) {
  const std::string one = R"(version_info: "7"
resources:
- "@type": type.googleapis.com/envoy.config.core.v3.Locality
  region: r
- "@type": type.googleapis.com/envoy.config.core.v3.Locality
  zone: z
type_url: type.googleapis.com/envoy.config.core.v3.Locality
)";
  EXPECT_EQ(Write(DocumentFormat::kYaml, {Listing()}), one);
  EXPECT_EQ(Write(DocumentFormat::kYaml, {Listing(), Listing()}), one + "---\n" + one);
}

TEST_F(Documents, CamelCaseNamesTheResponseToo) {
  WalkOptions walk;
  walk.names = FieldNames::kCamel;
  EXPECT_EQ(Write(DocumentFormat::kYaml, {{kUrl, "1", {}}}, walk),
            "versionInfo: \"1\"\ntypeUrl: type.googleapis.com/envoy.config.core.v3.Locality\n");
}

TEST_F(Documents, NdjsonIsALinePerResource) {
  EXPECT_EQ(Write(DocumentFormat::kNdjson, {Listing()}),
            R"({"type_url":"type.googleapis.com/envoy.config.core.v3.Locality","name":"one","version":"v1","resource":)"
            R"({"@type":"type.googleapis.com/envoy.config.core.v3.Locality","region":"r"}})"
            "\n"
            R"({"type_url":"type.googleapis.com/envoy.config.core.v3.Locality","name":"two","version":"v2","resource":)"
            R"({"@type":"type.googleapis.com/envoy.config.core.v3.Locality","zone":"z"}})"
            "\n");
}

TEST_F(Documents, TextAndBinaryAreTheResponseThatProtobufReads) {
  constexpr std::string_view kResponse = "envoy.service.discovery.v3.DiscoveryResponse";
  const std::string text = Write(DocumentFormat::kText, {Listing()});
  EXPECT_EQ(text.substr(0, text.find('\n')), "# proto-message: envoy.service.discovery.v3.DiscoveryResponse");
  const std::string binary = Write(DocumentFormat::kBinary, {Listing()});
  EXPECT_EQ(SharedApi().Bytes(kResponse, text), binary);
  const auto message = SharedApi().Parse(kResponse, "");
  ASSERT_TRUE(message->ParseFromString(binary));
  EXPECT_EQ(
      ShowBytes(kResponse, binary),
      R"({"version_info":"7","resources":[{"@type":"type.googleapis.com/envoy.config.core.v3.Locality","region":"r"},)"
      R"({"@type":"type.googleapis.com/envoy.config.core.v3.Locality","zone":"z"}],)"
      R"("type_url":"type.googleapis.com/envoy.config.core.v3.Locality"})");
}

TEST_F(Documents, BinaryHidesSecretsUnlessTold) {
  constexpr std::string_view kSecretUrl = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
  const std::string secret = SharedApi().Bytes("envoy.extensions.transport_sockets.tls.v3.Secret",
                                               R"(tls_certificate { private_key { inline_string: "HUSH" } })");
  const TypeListing listing{kSecretUrl, "1", {{"s", "1", {}, secret, {}, nullptr}}};
  WalkOptions walk;
  EXPECT_EQ(Write(DocumentFormat::kBinary, {listing}, walk).find("HUSH"), std::string::npos);
  walk.show_secrets = true;
  EXPECT_NE(Write(DocumentFormat::kBinary, {listing}, walk).find("HUSH"), std::string::npos);
}

TEST_F(Documents, AResourceInItsWrapperIsPrintedWithIt) {
  std::string wrapper, any;
  base::AppendBytes(&any, 1, kUrl);
  base::AppendBytes(&any, 2, one_);
  base::AppendBytes(&wrapper, 2, any);
  base::AppendBytes(&wrapper, 3, "rc/host");
  const std::string json =
      Write(DocumentFormat::kNdjson, {{kUrl, "1", {{"rc/host", "1", {}, one_, wrapper, nullptr}}}});
  EXPECT_NE(
      json.find(R"("resource":{"@type":"type.googleapis.com/envoy.service.discovery.v3.Resource","resource":)"
                R"({"@type":"type.googleapis.com/envoy.config.core.v3.Locality","region":"r"},"name":"rc/host"}})"),
      std::string::npos)
      << json;
}

TEST_F(Documents, ResourcesOfV2StayOfV2) {
  constexpr std::string_view kV2 = "type.googleapis.com/envoy.api.v2.Cluster";
  const std::string cluster = SharedApi().Bytes("envoy.api.v2.Cluster", "name: \"old\"");
  const TypeListing listing{kV2, "1", {{"old", "1", {}, cluster, {}, nullptr}}};
  EXPECT_EQ(Write(DocumentFormat::kYaml, {listing}),
            "version_info: \"1\"\nresources:\n- \"@type\": type.googleapis.com/envoy.api.v2.Cluster\n  name: old\n"
            "type_url: type.googleapis.com/envoy.api.v2.Cluster\n");
  EXPECT_TRUE(Write(DocumentFormat::kText, {listing}).starts_with("# proto-message: envoy.api.v2.DiscoveryResponse\n"));
}

TEST_F(Documents, AResourceThatDoesNotDecodeIsShownAsAnErrorAndTheRestGoesOn) {
  const TypeListing listing{
      kUrl, "1", {{"bad", "1", {}, "\x0a\x7f", {}, nullptr}, {"two", "2", {}, two_, {}, nullptr}}};
  const std::string yaml = Write(DocumentFormat::kYaml, {listing});
  EXPECT_NE(yaml.find("  \"@error\": "), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("  \"@value\": Cn8=\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("  zone: z\n"), std::string::npos) << yaml;
}

TEST_F(Documents, ADecodedMessageIsNotDecodedAgain) {
  const absl::StatusOr<wire::Message> message = wire::Decode(one_, *SharedApi().types.Find(kUrl));
  ASSERT_TRUE(message.ok());
  ListedResource entry{"one", "1", {}, "not these bytes", {}, &*message};
  EXPECT_NE(Write(DocumentFormat::kNdjson, {{kUrl, "1", {entry}}}).find(R"("region":"r")"), std::string::npos);
}

// Resources of all sizes, some with an Any in them, some that do not decode and some in wrappers.
struct ManyResources {
  explicit ManyResources(std::size_t count) {
    constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
    listing.type_url = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
    listing.version = "many";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = fmt::format(
          R"(name: "c{}" alt_stat_name: "{}" metadata {{ filter_metadata {{ key: "k" value {{ }} }} }}
             typed_extension_protocol_options {{ key: "x" value {{ [{}/envoy.config.core.v3.Locality] {{ zone: "{}" }} }} }})",
          i, std::string(i % 7 == 0 ? 3000 : i % 50, 'x'), "type.googleapis.com", i);
      payloads.push_back(i % 101 == 0 ? "\x0a\x7f" : SharedApi().Bytes(kCluster, text));
      names.push_back(fmt::format("c{}", i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      listing.resources.push_back(
          {names[i], "v", {}, payloads[i], i % 13 == 0 ? std::string_view(payloads[i]) : std::string_view(), nullptr});
    }
  }

  std::vector<std::string> payloads;
  std::vector<std::string> names;
  TypeListing listing;
};

TEST_F(Documents, TwoThreadsWriteTheSameText) {
  const ManyResources many(8000);
  for (const DocumentFormat format : {DocumentFormat::kYaml, DocumentFormat::kJson, DocumentFormat::kNdjson,
                                      DocumentFormat::kText, DocumentFormat::kBinary}) {
    const auto write = [&](bool two_threads) {
      return Collect([&](Output& out) {
        DocumentWriter writer(SharedApi().types,
                              {.format = format, .walk = {}, .style = {.color = true}, .two_threads = two_threads},
                              out);
        writer.Write(many.listing);
        writer.Write(Listing());
      });
    };
    const std::string one = write(false);
    EXPECT_GT(one.size(), DocumentWriter::kLarge);
    const std::string two = write(true);
    const std::size_t differs = static_cast<std::size_t>(std::ranges::mismatch(one, two).in1 - one.begin());
    EXPECT_TRUE(one == two) << static_cast<int>(format) << ": " << one.substr(differs, 80) << two.substr(differs, 80);
  }
}

TEST_F(Documents, TwoThreadsEndTheirWorkWhenNobodyTakesIt) {
  const ManyResources many(8000);
  Output out([](std::string_view) { return absl::CancelledError("closed"); });
  DocumentWriter writer(SharedApi().types, {.format = DocumentFormat::kJson, .two_threads = true}, out);
  writer.Write(many.listing);
  EXPECT_FALSE(out.ok());
}

TEST_F(Documents, AnOutputThatNobodyTakesEndsTheWork) {
  int calls = 0;
  Output out([&calls](std::string_view) {
    ++calls;
    return absl::CancelledError("closed");
  });
  DocumentWriter writer(SharedApi().types, {DocumentFormat::kJson, {}, {}}, out);
  TypeListing listing = Listing();
  const ListedResource entry = listing.resources.front();
  listing.resources.assign(100'000, entry);
  writer.Write(listing);
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(out.Flush(), absl::CancelledError("closed"));
  EXPECT_EQ(calls, 1);
}

TEST(Output, HandsOnChunksInOrderWhateverTheirSize) {
  std::string all;
  std::size_t longest = 0;
  Output out([&](std::string_view chunk) {
    all += chunk;
    longest = std::max(longest, chunk.size());
    return absl::OkStatus();
  });
  std::string expected;
  for (std::size_t size = 0; size < 200'000; size = size * 2 + 1) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    out.Append(text);
    out.Append('-');
    out.Fill('.', size);
    expected += text + "-" + std::string(size, '.');
  }
  EXPECT_TRUE(out.Flush().ok());
  EXPECT_EQ(all, expected);
  EXPECT_LE(longest, Output::kChunk);
}

}  // namespace
}  // namespace xdscope::format
