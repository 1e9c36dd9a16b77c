// Texts that are nearly right, for a while: no reader crashes, hangs or lets an exception out, and what it takes can be
// printed and read again. XDSCOPE_FUZZ_SECONDS says for how long each reader runs; without it, a moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "lib/finding/reading_rules.h"
#include "lib/format/document.h"
#include "lib/format/locate.h"
#include "lib/format/read.h"
#include "tests/unit/format/corpora.h"
#include "tests/unit/format/fixture.h"
#include "tests/unit/format/path_text.h"

namespace xdscope::format {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds Patience() {
  const char* const seconds = std::getenv("XDSCOPE_FUZZ_SECONDS");
  return seconds == nullptr ? std::chrono::milliseconds(700) : std::chrono::milliseconds(1000 * std::atoi(seconds));
}

// What the machine does besides does not count.
double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr std::string_view kResponse = R"({"version_info": "1", "resources": [
  {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "a", "type": "EDS", "connect_timeout": "0.25s",
   "lb_policy": "random", "metadata": {"filter_metadata": {"x.y": {"n": 1, "l": [true, null, {}], "s": "\u00e9"}}},
   "health_checks": [{"timeout": "1s", "http_health_check": {"path": "/"}}], "circuit_breakers": {"thresholds": {}}},
  {"@type": "type.googleapis.com/envoy.service.discovery.v3.Resource", "name": "n", "ttl": "3s", "resource":
   {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "b"}}]})";

std::string As(Format format) {
  Api& api = SharedApi();
  const ReadFile file = Read(kResponse, Format::kJson, {}, api.types);
  TypeListing listing{.type_url = "t/envoy.config.cluster.v3.Cluster", .version = "1", .resources = {}};
  for (const ReadResource& resource : file.resources) {
    ListedResource entry;
    entry.type_url = resource.type_url;
    entry.payload = resource.bytes;
    entry.wrapper = resource.wrapper_bytes;
    listing.resources.push_back(entry);
  }
  DocumentOptions options;
  options.format = format == Format::kYaml     ? DocumentFormat::kYaml
                   : format == Format::kText   ? DocumentFormat::kText
                   : format == Format::kBinary ? DocumentFormat::kBinary
                                               : DocumentFormat::kJson;
  return Collect([&](Output& out) {
    DocumentWriter writer(api.types, options, out);
    writer.Write(listing);
  });
}

std::vector<std::string> Seeds(Format format) {
  std::vector<std::string> seeds = {As(format)};
  if (format == Format::kJson) seeds.emplace_back(kResponse);
  if (format == Format::kYaml)
    seeds.emplace_back("a: &x {b: [1, yes, 010, ~]}\nc: *x\n!ignore d: e\n<<: *x\n---\n- |\n  f\n");
  if (format == Format::kText)
    seeds.emplace_back("a: [1, 0x2] b < c: \"x\" 'y' > [t/u.V] { d: -inf }\n# proto-message: x\n");
  for (const char* folder : {"envoy-verdicts", "public"}) {
    const std::filesystem::path path = CorporaFolder(folder);
    if (path.empty()) continue;
    for (const std::filesystem::path& file : FilesBelow(path)) {
      if (FormatOf(file.string()) == format && std::filesystem::file_size(file) < 4096) seeds.push_back(Contents(file));
    }
  }
  return seeds;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, unsigned seed) : seeds_(std::move(seeds)), random_(seed) {}

  std::string Next() {
    std::string text = seeds_[Below(seeds_.size())];
    for (std::size_t n = Below(6); n > 0 && !text.empty(); --n) Mutate(&text);
    return text;
  }

 private:
  std::size_t Below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void Mutate(std::string* text) {
    constexpr std::string_view kBytes =
        "{}[]()<>:,;\"'\\#-?&*!|>%@`=~ \n\t\r0159aeEfnxy._/\x00\x04\x7F\x80\xC3\xA9\xEF\xBB\xBF\xFF";
    const std::size_t at = Below(text->size());
    const std::string& other = seeds_[Below(seeds_.size())];
    const std::size_t from = Below(other.size());
    switch (Below(7)) {
      case 0:
        (*text)[at] = kBytes[Below(kBytes.size())];
        break;
      case 1:
        text->insert(at, 1, kBytes[Below(kBytes.size())]);
        break;
      case 2:
        text->erase(at, 1 + Below(8));
        break;
      case 3:
        text->insert(at, text->substr(Below(text->size()), Below(60)));
        break;
      case 4:
        text->insert(at, other.substr(from, Below(60)));
        break;
      case 5:
        text->resize(at);
        break;
      default:
        text->insert(at, Below(300), kBytes[Below(kBytes.size())]);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937 random_;
};

// Prints a resource (as text or as JSON: YAML says less of a Struct's numbers) and reads it again.
void ExpectReadable(const ReadResource& resource, Format format, const std::string& text) {
  Api& api = SharedApi();
  const wire::Type* type = api.types.Find(resource.type_url);
  ASSERT_NE(type, nullptr);
  const auto message = wire::Decode(resource.bytes, *type);
  ASSERT_TRUE(message.ok()) << message.status() << "\n" << text;
  WalkOptions options;
  options.show_secrets = true;
  const bool as_text = format == Format::kText;
  const std::string printed =
      ShowAny(resource.type_url, resource.bytes, options, as_text ? Spelling::kText : Spelling::kJson);
  const ReadFile again = Read(printed, as_text ? Format::kText : Format::kJson, {}, api.types);
  if (again.resources.size() != 1) return;  // a type that stands for a file of its own, values without a JSON form
  const auto same = wire::Decode(again.resources[0].bytes, *type);
  if (again.resources[0].wrapped || !same.ok()) return;
  EXPECT_TRUE(wire::Equal(message->view(), same->view(), api.types)) << printed << "\n" << text;
}

class ReaderFuzz : public testing::TestWithParam<Format> {};

TEST_P(ReaderFuzz, AnyTextIsSafe) {
  Api& api = SharedApi();
  const FieldPath paths[] = {{0, PathOf("resources[0].name")},
                             {0, PathOf("resources[1].filter_chains[0].filters[1]")},
                             {1, PathOf("[0]")},
                             {0, PathOf("a.b")}};
  ReadOptions options;
  options.bare_type = "envoy.config.cluster.v3.Cluster";
  Mutator mutator(Seeds(GetParam()), 1);
  const Clock::time_point end = Clock::now() + Patience();
  std::size_t rounds = 0;
  std::size_t resources = 0;
  for (; Clock::now() < end && !HasFailure(); ++rounds) {
    const std::string text = mutator.Next();
    const double begin = CpuSeconds();
    const ReadFile file = Read(text, GetParam(), options, api.types);
    const std::vector<finding::Position> positions = Locate(text, GetParam(), paths);
    EXPECT_LT(CpuSeconds() - begin, 2) << text.size();
    EXPECT_EQ(positions.size(), std::size(paths));
    resources += file.resources.size();
    // Unknown fields of binary files are not printed, odd hosts of type URLs not as they are.
    const auto odd_host = [](const finding::Finding& finding) { return finding.rule == finding::kTypeUrlFormRule; };
    if (GetParam() == Format::kBinary || std::any_of(file.findings.begin(), file.findings.end(), odd_host)) continue;
    for (const ReadResource& resource : file.resources) ExpectReadable(resource, GetParam(), text);
  }
  EXPECT_GT(rounds, 50U);
  EXPECT_GT(resources, rounds / 20);
}

std::string NameOf(const testing::TestParamInfo<Format>& format) {
  constexpr std::string_view kNames[] = {"Json", "Yaml", "Text", "Binary"};
  return std::string(kNames[static_cast<std::size_t>(format.param)]);
}

INSTANTIATE_TEST_SUITE_P(Formats, ReaderFuzz,
                         testing::Values(Format::kJson, Format::kYaml, Format::kText, Format::kBinary), NameOf);

}  // namespace
}  // namespace xdscope::format
