// Types read out of real programs: Envoy (C++) and a control plane (Go). The programs come in the environment, as ctest
// sets it: XDSCOPE_ENVOY, XDSCOPE_GCPSERVER; XDSCOPE_DESCRIPTORS is the command of the build's own scan.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "lib/schema/program_scan.h"
#include "lib/schema/schema.h"

namespace xdscope::schema {
namespace {

using testing::IsEmpty;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  EXPECT_NE(value, nullptr) << name << " is not set: run this with ctest";
  return value == nullptr ? std::string() : value;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// One line per file: checksum, size and name.
std::string Listing(const std::vector<FoundFile>& files) {
  std::string listing;
  for (const FoundFile& file : files) {
    const auto* bytes = reinterpret_cast<const Bytef*>(file.descriptor.data());
    const auto sum = crc32(0, bytes, static_cast<uInt>(file.descriptor.size()));
    listing += fmt::format("{:08x} {} {}\n", sum, file.descriptor.size(), file.name);
  }
  return listing;
}

std::string ListingOfTheBuild(const std::string& program) {
  const std::string command = Environment("XDSCOPE_DESCRIPTORS") + " '" + program + "'";
  std::string listing;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) listing.push_back(static_cast<char>(c));
  EXPECT_EQ(pclose(pipe), 0) << command;
  return listing;
}

bool Has(const std::vector<FoundFile>& files, const std::string& name) {
  return std::any_of(files.begin(), files.end(), [&](const FoundFile& file) { return file.name == name; });
}

TEST(EnvoyProgram, HoldsTheWholeV3Api) {
  const auto files = ScanProgram(Read(Environment("XDSCOPE_ENVOY")));
  EXPECT_GT(files.size(), 500u);
  EXPECT_TRUE(Has(files, "envoy/config/cluster/v3/cluster.proto"));
  EXPECT_TRUE(Has(files, "envoy/service/discovery/v3/ads.proto"));
}

TEST(EnvoyProgram, GivesTheBuildAndTheLibraryTheSameFiles) {
  const std::string path = Environment("XDSCOPE_ENVOY");
  EXPECT_EQ(Listing(ScanProgram(Read(path))), ListingOfTheBuild(path));
}

TEST(EnvoyProgram, SaysNothingNew) {
  const auto schema = Schema::WithFiles({{"envoy", Read(Environment("XDSCOPE_ENVOY"))}});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->left_out(), IsEmpty());
  EXPECT_THAT(schema->Overridden(), IsEmpty());
}

// CPU seconds of the best of three runs.
template <typename Work>
double CpuSeconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// 0.09 s for 107 MB where the checksum takes 0.03 s. Measured where it means something: optimized, without sanitizers.
TEST(EnvoyProgram, IsScannedInAFewTimesTheTimeOfAChecksum) {
  const std::string program = Read(Environment("XDSCOPE_ENVOY"));
  ASSERT_GT(program.size(), 100'000'000u);
  const double scan = CpuSeconds([&] { EXPECT_FALSE(ScanProgram(program).empty()); });
  const double checksum = CpuSeconds([&] {
    const auto* bytes = reinterpret_cast<const Bytef*>(program.data());
    EXPECT_NE(crc32(0, bytes, static_cast<uInt>(program.size())), 0U);
  });
  RecordProperty("scan", std::to_string(scan));
  RecordProperty("checksum", std::to_string(checksum));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(scan, 8 * checksum);
#endif
}

TEST(GoProgram, HoldsTheTypesItServes) {
  const std::string path = Environment("XDSCOPE_GCPSERVER");
  const std::string program = Read(path);
  const auto files = ScanProgram(program);
  EXPECT_TRUE(Has(files, "envoy/config/cluster/v3/cluster.proto"));
  EXPECT_TRUE(Has(files, "envoy/config/listener/v3/listener.proto"));
  EXPECT_TRUE(Has(files, "envoy/service/discovery/v3/ads.proto"));
  EXPECT_EQ(Listing(files), ListingOfTheBuild(path));
}

TEST(GoProgram, WorksAsASchema) {
  const auto schema = Schema::WithFiles({{"server", Read(Environment("XDSCOPE_GCPSERVER"))}});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->left_out(), IsEmpty());
  for (const std::string& name : schema->MessageNames()) EXPECT_NE(schema->FindMessage(name), nullptr) << name;
}

}  // namespace
}  // namespace xdscope::schema
