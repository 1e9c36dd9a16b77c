// Whole responses in every format, against files that a person has looked at. XDSCOPE_UPDATE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/base/fields.h"
#include "lib/format/document.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

const std::string kFolder = "tests/golden/";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The listing that an input file, a DiscoveryResponse in text format, says.
class Input {
 public:
  explicit Input(const std::string& name)
      : bytes_(SharedApi().Bytes("envoy.service.discovery.v3.DiscoveryResponse",
                                 ReadFile(kFolder + "input/" + name + ".textproto"))) {
    listing_.version = base::FindBytes(bytes_, 1).value_or("");
    listing_.type_url = base::FindBytes(bytes_, 4).value_or("");
    base::FieldReader fields(bytes_);
    std::string_view any;
    while (fields.Next()) {
      if (!fields.Is(2, &any)) continue;
      ListedResource entry;
      entry.payload = base::FindBytes(any, 2).value_or("");
      // The name is the first field of all of them.
      entry.name = base::FindBytes(entry.payload, 1).value_or("");
      entry.version = listing_.version;
      listing_.resources.push_back(entry);
    }
  }
  const TypeListing& listing() const { return listing_; }

 private:
  std::string bytes_;
  TypeListing listing_;
};

struct Case {
  const char* folder;
  const char* ending;
  DocumentOptions options;
};

std::vector<Case> Cases() {
  WalkOptions full;
  full.names = FieldNames::kCamel;
  full.emit_defaults = true;
  full.show_secrets = true;
  return {
      {"yaml", ".yaml", {DocumentFormat::kYaml, {}, {}}},       {"json", ".json", {DocumentFormat::kJson, {}, {}}},
      {"ndjson", ".ndjson", {DocumentFormat::kNdjson, {}, {}}}, {"text", ".textproto", {DocumentFormat::kText, {}, {}}},
      {"camel", ".yaml", {DocumentFormat::kYaml, full, {}}},    {"color", ".yaml", {DocumentFormat::kYaml, {}, {true}}},
      {"color", ".json", {DocumentFormat::kJson, {}, {true}}}};
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, EveryFormatIsAsItWas) {
  const Input input(GetParam());
  ASSERT_FALSE(input.listing().resources.empty());
  for (const Case& c : Cases()) {
    const std::string written = Collect([&](Output& out) {
      DocumentWriter writer(SharedApi().types, c.options, out);
      writer.Write(input.listing());
    });
    const std::string path = kFolder + c.folder + "/" + GetParam() + c.ending;
    if (std::getenv("XDSCOPE_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << written;
    }
    EXPECT_EQ(written, ReadFile(path)) << path;
    const bool hidden = written.find("HIDE-ME") == std::string::npos;
    EXPECT_TRUE(hidden || c.options.walk.show_secrets) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::Values("cluster", "header_secrets", "listener", "secret", "unknown_any"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace xdscope::format
