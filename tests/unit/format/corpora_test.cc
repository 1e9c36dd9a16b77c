// Files of real projects, and small ones with the verdict of a real Envoy 1.40.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/type_url.h"
#include "lib/format/document.h"
#include "lib/format/locate.h"
#include "lib/format/read.h"
#include "tests/unit/format/corpora.h"
#include "tests/unit/format/fixture.h"
#include "tests/unit/format/json_difference.h"
#include "tests/unit/format/path_text.h"

namespace xdscope::format {
namespace {

std::string Describe(const ReadFile& file) {
  std::string all;
  for (const finding::Finding& finding : file.findings) {
    all += (finding.severity == finding::Severity::kError ? "error " : "warning ") +
           std::to_string(finding.position.line) + ":" + std::to_string(finding.position.column) + ": " +
           finding::ToText(finding.path) + ": " + finding.message + "\n";
  }
  return all;
}

// What a file of the corpora is without "@type", by its name.
std::string BareTypeOf(const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("gateway-bare")) {
    if (has(".listeners.")) return "envoy.config.listener.v3.Listener";
    if (has(".routes.")) return "envoy.config.route.v3.RouteConfiguration";
    if (has(".clusters.")) return "envoy.config.cluster.v3.Cluster";
    if (has(".endpoints.")) return "envoy.config.endpoint.v3.ClusterLoadAssignment";
    if (has(".secrets.")) return "envoy.extensions.transport_sockets.tls.v3.Secret";
  }
  if (has("config_dump") || has("configdump")) return "envoy.admin.v3.ConfigDump";
  return "envoy.config.bootstrap.v3.Bootstrap";
}

std::string Printed(const ReadFile& file, DocumentFormat format) {
  TypeListing listing;
  if (!file.documents.empty()) listing.type_url = file.documents[0].type_url;
  if (!file.documents.empty()) listing.version = file.documents[0].version_info;
  if (listing.type_url.empty() && !file.resources.empty()) listing.type_url = file.resources[0].type_url;
  for (const ReadResource& resource : file.resources) {
    ListedResource entry;
    entry.type_url = resource.type_url;
    entry.payload = resource.bytes;
    entry.wrapper = resource.wrapper_bytes;
    listing.resources.push_back(entry);
  }
  DocumentOptions options;
  options.format = format;
  options.walk.show_secrets = true;
  return Collect([&](Output& out) {
    DocumentWriter writer(SharedApi().types, options, out);
    writer.Write(listing);
  });
}

Format AsFormat(DocumentFormat format) {
  switch (format) {
    case DocumentFormat::kYaml:
      return Format::kYaml;
    case DocumentFormat::kText:
      return Format::kText;
    case DocumentFormat::kBinary:
      return Format::kBinary;
    default:
      return Format::kJson;
  }
}

void ExpectSame(const ReadFile& a, const ReadFile& b, const std::string& what) {
  Api& api = SharedApi();
  ASSERT_EQ(a.resources.size(), b.resources.size()) << what << "\n" << Describe(b);
  for (std::size_t i = 0; i < a.resources.size(); ++i) {
    ASSERT_EQ(a.resources[i].type_url, b.resources[i].type_url) << what;
    const wire::Type* type = api.types.Find(a.resources[i].type_url);
    ASSERT_NE(type, nullptr);
    const auto left = wire::Decode(a.resources[i].bytes, *type);
    const auto right = wire::Decode(b.resources[i].bytes, *type);
    ASSERT_TRUE(left.ok() && right.ok()) << what << left.status() << right.status();
    ASSERT_TRUE(wire::Equal(left->view(), right->view(), api.types))
        << what << ": " << finding::ToText(a.resources[i].path);
  }
}

class PublicCorpus : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = CorporaFolder("public");
    if (folder_.empty()) GTEST_SKIP() << "the corpora are not beside the repository";
    for (const std::filesystem::path& path : FilesBelow(folder_)) {
      const std::string extension = path.extension();
      if (extension == ".md" || path.parent_path() == folder_ || path.parent_path().filename() == "grpc") continue;
      files_.push_back(path);
    }
  }
  ReadFile ReadPath(const std::filesystem::path& path) {
    ReadOptions options;
    options.bare_type = BareTypeOf(path);
    return Read(Contents(path), FormatOf(path.string()), options, SharedApi().types);
  }

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
};

TEST_F(PublicCorpus, EveryResourceOfTheGatewayIsReadWithoutAWord) {
  std::size_t resources = 0;
  for (const std::filesystem::path& path : files_) {
    if (path.string().find("/gateway/") == std::string::npos &&
        path.string().find("/gateway-bare/") == std::string::npos)
      continue;
    const ReadFile file = ReadPath(path);
    EXPECT_EQ(Describe(file), "") << path;
    if (path.string().find("/gateway/") != std::string::npos) resources += file.resources.size();
  }
  EXPECT_EQ(resources, 2081U);
}

TEST_F(PublicCorpus, WhatIsReadPrintedAndReadAgainIsTheSame) {
  std::size_t resources = 0;
  for (const std::filesystem::path& path : files_) {
    const ReadFile file = ReadPath(path);
    if (file.resources.empty()) continue;
    resources += file.resources.size();
    for (const DocumentFormat format :
         {DocumentFormat::kYaml, DocumentFormat::kJson, DocumentFormat::kText, DocumentFormat::kBinary}) {
      const std::string text = Printed(file, format);
      const ReadFile again = Read(text, AsFormat(format), {}, SharedApi().types);
      EXPECT_FALSE(again.has_errors) << path << static_cast<int>(format) << "\n" << Describe(again);
      ExpectSame(file, again, path.string() + " " + std::to_string(static_cast<int>(format)));
    }
  }
  EXPECT_GT(resources, 2200U);
}

TEST_F(PublicCorpus, OurJsonIsProtobufsJson) {
  Api& api = SharedApi();
  const std::unique_ptr<google::protobuf::util::TypeResolver> resolver(
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          "type.googleapis.com", api.schema.FindMessage("google.protobuf.Any")->file()->pool()));
  WalkOptions options;
  options.show_secrets = true;
  options.names = FieldNames::kCamel;
  for (const std::filesystem::path& path : files_) {
    for (const ReadResource& resource : ReadPath(path).resources) {
      std::string theirs;
      const std::string name(base::MessageName(resource.type_url));
      const auto status = google::protobuf::util::BinaryToJsonString(resolver.get(), "type.googleapis.com/" + name,
                                                                     resource.bytes, &theirs);
      ASSERT_TRUE(status.ok()) << path << status.ToString();
      ASSERT_EQ(JsonDifference(ShowBytes(name, resource.bytes, options), theirs), "")
          << path << finding::ToText(resource.path);
    }
  }
}

// Everything known about the files has a path and a line: a second opinion on Locate().
TEST_F(PublicCorpus, FieldsAreFoundOnTheirLines) {
  rapidjson::Document known;
  known.Parse(Contents(folder_ / "known_findings.json").c_str());
  ASSERT_FALSE(known.HasParseError());
  int compared = 0;
  for (const char* list : {"pgv", "unknown_in_newest_schema", "needs_lenient_parser", "semantic"}) {
    for (const auto& finding : known[list].GetArray()) {
      if (!finding.HasMember("line") || !finding.HasMember("path")) continue;
      const std::filesystem::path path = folder_ / finding["file"].GetString();
      const FieldPath field{0, PathOf(finding["path"].GetString())};
      const std::vector<finding::Position> found = Locate(Contents(path), FormatOf(path.string()), {&field, 1});
      EXPECT_EQ(found[0].line, finding["line"].GetInt()) << path << " " << finding["path"].GetString();
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

class EnvoyVerdicts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = CorporaFolder("envoy-verdicts");
    if (folder_.empty()) GTEST_SKIP() << "the corpora are not beside the repository";
  }
  std::filesystem::path folder_;
};

// What is spelled well, and for the rules to judge.
bool IsForTheRules(std::string_view name) {
  return name == "parse-enum-number-unknown" || name == "v012-nan" || name == "parse-yaml-braces";
}

// Of a case about parsing we say what a user wants to hear: an error where Envoy refuses, and a word where it takes
// something that is not what was meant.
TEST_F(EnvoyVerdicts, OfSpellingAreOurs) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (!entry.is_directory()) continue;
    rapidjson::Document verdict;
    verdict.Parse(Contents(entry.path() / "case.json").c_str());
    ASSERT_FALSE(verdict.HasParseError()) << entry.path();
    if (verdict["kind"] != "parse" || IsForTheRules(verdict["name"].GetString())) continue;
    const std::filesystem::path focus = entry.path() / verdict["focus"].GetString();
    const ReadFile file = Read(Contents(focus), FormatOf(focus.string()), {}, SharedApi().types);
    const std::string_view name = verdict["name"].GetString();
    const std::string_view said = verdict["envoy"]["verdict"].GetString();
    const std::string_view wanted = verdict["expect"].GetString();
    const std::string what = std::string(name) + " (" + std::string(said) + ", " + std::string(wanted) + ")\n" +
                             verdict["envoy"]["message"].GetString() + "\n" + Describe(file);
    ++cases;
    EXPECT_TRUE(file.has_errors || said != "rejected") << what;
    EXPECT_FALSE(file.has_errors && wanted != "error") << what;
    EXPECT_EQ(file.findings.empty(), wanted == "clean") << what;
  }
  EXPECT_GT(cases, 50);
}

// The other cases are well spelled: what is wrong with them is not for the reader to say.
TEST_F(EnvoyVerdicts, OfMeaningAreLeftToTheRules) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (!entry.is_directory()) continue;
    rapidjson::Document verdict;
    verdict.Parse(Contents(entry.path() / "case.json").c_str());
    if (verdict["kind"] == "parse" || verdict["envoy"]["verdict"] == "rejected") continue;
    if (verdict["about"] == "XDS-V001") continue;  // Envoy takes a bare resource for a response with unknown fields
    const std::filesystem::path focus = entry.path() / verdict["focus"].GetString();
    const ReadFile file = Read(Contents(focus), FormatOf(focus.string()), {}, SharedApi().types);
    EXPECT_FALSE(file.has_errors) << entry.path() << "\n"
                                  << verdict["envoy"]["verdict"].GetString() << "\n"
                                  << Describe(file);
    ++cases;
  }
  EXPECT_GT(cases, 100);
}

}  // namespace
}  // namespace xdscope::format
