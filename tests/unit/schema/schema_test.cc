#include "lib/schema/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/status.h"
#include "lib/schema/builtin_set.h"
#include "tests/unit/schema/descriptors.h"

namespace xdscope::schema {
namespace {

using google::protobuf::Descriptor;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kCluster[] = "envoy.config.cluster.v3.Cluster";

absl::StatusOr<Schema> With(const std::string& bytes) {
  return Schema::WithFiles({{"mine", bytes}});
}

std::string ErrorOf(const std::string& bytes) {
  const auto schema = With(bytes);
  EXPECT_FALSE(schema.ok());
  EXPECT_EQ(schema.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(base::Message(schema.status()));
}

// The file of an embedded message as it is in the embedded set.
google::protobuf::FileDescriptorProto Embedded(const std::string& message) {
  google::protobuf::FileDescriptorProto file;
  const Schema schema = Schema::Builtin();
  schema.FindMessage(message)->file()->CopyTo(&file);
  return file;
}

google::protobuf::DescriptorProto* MessageIn(google::protobuf::FileDescriptorProto* file, const std::string& name) {
  for (auto& message : *file->mutable_message_type()) {
    if (message.name() == name) return &message;
  }
  ADD_FAILURE() << "no " << name;
  return file->add_message_type();
}

void AddField(google::protobuf::DescriptorProto* message, const std::string& name, int number) {
  auto* field = message->add_field();
  field->set_name(name);
  field->set_number(number);
  field->set_type(google::protobuf::FieldDescriptorProto::TYPE_STRING);
  field->set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
}

// The embedded cluster.proto with one more field, "mine".
std::string ClusterWithMine() {
  auto file = Embedded(kCluster);
  AddField(MessageIn(&file, "Cluster"), "mine", 9000);
  return file.SerializeAsString();
}

TEST(Schema, FindsMessagesByFullName) {
  const Schema schema = Schema::Builtin();
  const Descriptor* cluster = schema.FindMessage(kCluster);
  ASSERT_NE(cluster, nullptr);
  EXPECT_EQ(cluster->full_name(), kCluster);
  EXPECT_NE(cluster->FindFieldByName("connect_timeout"), nullptr);
  EXPECT_NE(schema.FindMessage("envoy.config.cluster.v3.Cluster.EdsClusterConfig"), nullptr);
  EXPECT_NE(schema.FindMessage("envoy.api.v2.Cluster"), nullptr);
  EXPECT_NE(schema.FindMessage("google.protobuf.Any"), nullptr);
}

TEST(Schema, FindsNothingUnderOtherNames) {
  const Schema schema = Schema::Builtin();
  for (const char* name : {"", ".", "envoy", "Cluster", "envoy.config.cluster.v3", ".envoy.config.cluster.v3.Cluster",
                           "envoy.config.cluster.v3.Cluster.name", "envoy.config.cluster.v3.Cluster.DiscoveryType"}) {
    EXPECT_EQ(schema.FindMessage(name), nullptr) << name;
  }
}

TEST(Schema, FindsServices) {
  const Schema schema = Schema::Builtin();
  const auto* service = schema.FindService("envoy.service.cluster.v3.ClusterDiscoveryService");
  ASSERT_NE(service, nullptr);
  EXPECT_NE(service->FindMethodByName("FetchClusters"), nullptr);
  EXPECT_EQ(schema.FindService(kCluster), nullptr);
}

TEST(Schema, KeepsItsDescriptorsWhenMoved) {
  Schema first = Schema::Builtin();
  const Descriptor* cluster = first.FindMessage(kCluster);
  const Schema second = std::move(first);
  EXPECT_EQ(second.FindMessage(kCluster), cluster);
}

TEST(Schema, BuildsEveryMessageAndAllItsFields) {
  const Schema schema = Schema::Builtin();
  const std::vector<std::string> names = schema.MessageNames();
  EXPECT_GT(names.size(), 2000u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_THAT(names, Contains(kCluster));
  for (const std::string& name : names) {
    const Descriptor* message = schema.FindMessage(name);
    ASSERT_NE(message, nullptr) << name;
    for (int i = 0; i < message->field_count(); ++i) {
      const auto* field = message->field(i);
      const bool is_message = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
      ASSERT_EQ(field->message_type() != nullptr, is_message) << field->full_name();
    }
  }
}

TEST(Schema, ServesDynamicMessages) {
  const Schema schema = Schema::Builtin();
  google::protobuf::DynamicMessageFactory factory;
  const auto* prototype = factory.GetPrototype(schema.FindMessage(kCluster));
  const std::unique_ptr<google::protobuf::Message> cluster(prototype->New());
  const std::string json = R"({"name":"a","type":"EDS","connectTimeout":"1.500s","lbPolicy":"MAGLEV"})";
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, cluster.get()).ok());
  EXPECT_THAT(cluster->ShortDebugString(), HasSubstr("connect_timeout { seconds: 1 nanos: 500000000 }"));
}

TEST(Schema, NamesTheNearestMessage) {
  const Schema schema = Schema::Builtin();
  EXPECT_EQ(schema.Nearest("envoy.config.clusters.v3.Cluster"), kCluster);
  EXPECT_EQ(schema.Nearest("envoy.config.cluster.v3.Clutser"), kCluster);
  EXPECT_EQ(schema.Nearest("com.example.Widget"), "");
}

TEST(Schema, SaysNothingOfOverridesWithoutFiles) {
  const Schema schema = Schema::Builtin();
  EXPECT_THAT(schema.Overridden(), IsEmpty());
  EXPECT_THAT(schema.left_out(), IsEmpty());
}

TEST(SchemaWithFiles, AddsTypesOfASet) {
  const auto schema = With(Set({OneMessage("my.proto", "my", "Filter", "level", "TYPE_INT32")}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  ASSERT_NE(schema->FindMessage("my.Filter"), nullptr);
  EXPECT_NE(schema->FindMessage(kCluster), nullptr);
  EXPECT_THAT(schema->MessageNames(), Contains("my.Filter"));
  EXPECT_EQ(schema->Nearest("my.Fliter"), "my.Filter");
  EXPECT_THAT(schema->Overridden(), IsEmpty());
}

TEST(SchemaWithFiles, MayReferToEmbeddedTypesThatTheSetDoesNotHold) {
  const auto schema = With(Set({File(R"(
    name: 'my.proto' package: 'my' syntax: 'proto3' dependency: 'envoy/config/core/v3/address.proto'
    message_type { name: 'Filter' field {
      name: 'to' number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: '.envoy.config.core.v3.Address' } })")}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  const Descriptor* filter = schema->FindMessage("my.Filter");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->field(0)->message_type(), schema->FindMessage("envoy.config.core.v3.Address"));
}

TEST(SchemaWithFiles, LetAGivenTypeWinOverTheEmbeddedOneAndSaySo) {
  const auto schema = With(Set({ClusterWithMine()}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage(kCluster)->FindFieldByName("mine"), nullptr);
  EXPECT_THAT(schema->Overridden(), ElementsAre(kCluster));
  EXPECT_EQ(schema->FindEmbedded(kCluster)->FindFieldByName("mine"), nullptr);
}

TEST(SchemaWithFiles, EmbeddedTypesReferToTheGivenOnes) {
  const auto schema = With(Set({ClusterWithMine()}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  const Descriptor* resources = schema->FindMessage("envoy.config.bootstrap.v3.Bootstrap.StaticResources");
  ASSERT_NE(resources, nullptr);
  EXPECT_NE(resources->FindFieldByName("clusters")->message_type()->FindFieldByName("mine"), nullptr);
}

TEST(SchemaWithFiles, TheLastOfSeveralWins) {
  const auto one = OneMessage("my.proto", "my", "Filter", "one", "TYPE_INT32");
  const auto two = OneMessage("my.proto", "my", "Filter", "two", "TYPE_INT32");
  const auto schema = Schema::WithFiles({{"first", Set({one})}, {"second", Set({two})}});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->FindMessage("my.Filter")->field(0)->name(), "two");
}

TEST(SchemaWithFiles, SayNothingOfAFileThatSaysTheSame) {
  const auto same = With(Set({Embedded(kCluster).SerializeAsString()}));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_THAT(same->Overridden(), IsEmpty());
  const auto whole = With(std::string(BuiltinSet()));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_THAT(whole->Overridden(), IsEmpty());
}

TEST(SchemaWithFiles, WellKnownTypesStayOurs) {
  const auto schema =
      With(Set({OneMessage("google/protobuf/any.proto", "google.protobuf", "Any", "mine", "TYPE_INT32")}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("google.protobuf.Any")->FindFieldByName("type_url"), nullptr);
}

// An older file lacks types that newer embedded files use.
TEST(SchemaWithFiles, EmbeddedTypesThatDoNotFitAGivenFileStayWhole) {
  const auto schema = With(
      Set({OneMessage("envoy/config/core/v3/address.proto", "envoy.config.core.v3", "Address", "mine", "TYPE_INT32")}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("envoy.config.core.v3.Address")->FindFieldByName("mine"), nullptr);
  const Descriptor* cluster = schema->FindMessage(kCluster);
  ASSERT_NE(cluster, nullptr);
  const Descriptor* bind = cluster->FindFieldByName("upstream_bind_config")->message_type();
  EXPECT_EQ(bind->full_name(), "envoy.config.core.v3.BindConfig");
  EXPECT_NE(schema->FindMessage("envoy.config.core.v3.SocketAddress"), nullptr);
}

TEST(SchemaWithFiles, AnEmbeddedTypeGivenInAnotherFileIsTheGivenOne) {
  const auto schema =
      With(Set({OneMessage("fork/cluster.proto", "envoy.config.cluster.v3", "Cluster", "mine", "TYPE_INT32")}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage(kCluster)->FindFieldByName("mine"), nullptr);
  EXPECT_NE(schema->FindMessage("envoy.config.bootstrap.v3.Bootstrap"), nullptr);
  EXPECT_THAT(schema->Overridden(), ElementsAre(kCluster));
}

TEST(SchemaWithFiles, ASetThatLacksAnImportIsAnError) {
  EXPECT_EQ(ErrorOf(Set({File("name: 'my.proto' dependency: 'other.proto' message_type { name: 'M' }")})),
            "mine: my.proto: other.proto: Import \"other.proto\" was not found or had errors.");
}

TEST(SchemaWithFiles, ASetThatLacksATypeIsAnErrorOfTheFileThatNamesIt) {
  const std::string broken = File(R"(
    name: 'a.proto' message_type { name: 'M' field {
      name: 'f' number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: '.Missing' } })");
  const std::string importer = File("name: 'Z.proto' dependency: 'a.proto' message_type { name: 'N' }");
  EXPECT_EQ(ErrorOf(Set({importer, broken})), "mine: a.proto: M.f: \".Missing\" is not defined.");
}

TEST(SchemaWithFiles, SaysWhereASetIsDamaged) {
  const std::string set = Set({OneMessage("my.proto", "my", "Filter", "level", "TYPE_INT32"),
                               OneMessage("your.proto", "your", "Filter", "level", "TYPE_INT32")});
  EXPECT_THAT(ErrorOf(set.substr(0, set.size() - 3)), HasSubstr("mine: a descriptor set cut off at byte"));
  std::string damaged = set;
  damaged[3] = '\x7f';
  EXPECT_THAT(ErrorOf(damaged), HasSubstr("mine: a descriptor set damaged behind byte 0"));
}

TEST(SchemaWithFiles, SaysWhatAFileIsNot) {
  EXPECT_EQ(ErrorOf(""), "mine: an empty file");
  EXPECT_EQ(ErrorOf("hello"), "mine: neither a descriptor set nor a program with descriptors");
  EXPECT_EQ(ErrorOf("// x\nsyntax = \"proto3\";\n"), "mine: a .proto source, not a descriptor set");
}

TEST(SchemaWithFiles, ReadsTypesOutOfAProgram) {
  const std::string program =
      "\x7f"
      "ELF" +
      OneMessage("my.proto", "my", "Filter", "level", "TYPE_INT32") + std::string(2, '\0');
  const auto schema = With(program);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("my.Filter"), nullptr);
}

TEST(SchemaWithFiles, LeavesOutWhatDoesNotBuildInAProgram) {
  const std::string lacking = File("name: 'b.proto' dependency: 'other.proto' message_type { name: 'M' }");
  const std::string importer = File("name: 'a.proto' dependency: 'b.proto' message_type { name: 'N' }");
  const std::string good = OneMessage("my.proto", "my", "Filter", "level", "TYPE_INT32");
  const auto schema = With(
      "\x7f"
      "ELF" +
      importer + lacking + good);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("my.Filter"), nullptr);
  EXPECT_EQ(schema->FindMessage("M"), nullptr);
  EXPECT_THAT(schema->left_out(),
              ElementsAre("mine: b.proto: other.proto: Import \"other.proto\" was not found or had errors.",
                          "mine: a.proto: b.proto: Import \"b.proto\" was not found or had errors."));
}

TEST(SchemaWithFiles, SurvivesFilesThatImportEachOther) {
  const std::string a = File("name: 'a.proto' dependency: 'b.proto' message_type { name: 'M' }");
  const std::string b = File("name: 'b.proto' dependency: 'a.proto' message_type { name: 'N' }");
  EXPECT_THAT(ErrorOf(Set({a, b})), HasSubstr("recursively imports itself"));
  const auto schema = With(
      "\x7f"
      "ELF" +
      a + b);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->left_out().size(), 2u);
}

// Files that import one another in a row; the last one imports `last`, if any.
std::string Chain(int length, const std::string& last = {}) {
  google::protobuf::FileDescriptorSet set;
  for (int i = 0; i < length; ++i) {
    auto* file = set.add_file();
    file->set_name(fmt::format("f{:05}.proto", i));
    file->add_message_type()->set_name(fmt::format("M{}", i));
    const std::string next = i + 1 < length ? fmt::format("f{:05}.proto", i + 1) : last;
    if (!next.empty()) file->add_dependency(next);
  }
  return set.SerializeAsString();
}

TEST(SchemaWithFiles, TakesAChainOfImportsUpToALength) {
  const auto schema = With(Chain(200));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("M0"), nullptr);
  EXPECT_NE(schema->FindMessage("M199"), nullptr);
  EXPECT_THAT(ErrorOf(Chain(201)), HasSubstr("f00000.proto: it begins a chain of more than 200 imports"));
}

// More files than the stack has room for.
TEST(SchemaWithFiles, SurvivesAChainOfAnyLength) {
  EXPECT_THAT(ErrorOf(Chain(20'000)), HasSubstr("it begins a chain of more than 200 imports"));
}

TEST(SchemaWithFiles, NamesTheCauseOfAChainThatBreaks) {
  EXPECT_THAT(ErrorOf(Chain(2000, "nowhere.proto")), HasSubstr("f01999.proto: nowhere.proto: Import"));
}

// The embedded file takes the place of a given one that cannot be used, for those that import it.
TEST(SchemaWithFiles, WhatImportsAnUnusableFileFindsTheEmbeddedOne) {
  google::protobuf::FileDescriptorProto broken = Embedded(kCluster);
  AddField(MessageIn(&broken, "Cluster"), "alt_stat_name", 9999);  // a name that is there already
  google::protobuf::FileDescriptorProto importer;
  importer.set_name("importer.proto");
  importer.add_dependency(broken.name());
  importer.add_message_type()->set_name("Importer");
  const auto schema = With(
      "\x7f"
      "ELF" +
      importer.SerializeAsString() + '\0' + broken.SerializeAsString() + '\0');
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE(schema->FindMessage("Importer"), nullptr);
  EXPECT_EQ(schema->left_out().size(), 1u);
}

// Whatever a damaged set says, it is an error or a schema that still answers, and nothing is printed.
TEST(SchemaWithFiles, SurvivesDamage) {
  const std::string whole = Set({ClusterWithMine(), Embedded("envoy.config.core.v3.Node").SerializeAsString(),
                                 Embedded("envoy.config.core.v3.Address").SerializeAsString()});
  std::mt19937 random(20240607);
  testing::internal::CaptureStderr();
  int refused = 0;
  for (int round = 0; round < 120; ++round) {
    std::string bytes = whole;
    for (int i = 0; i <= round % 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    if (round % 2 == 0)
      bytes.insert(0,
                   "\x7f"
                   "ELF");
    const auto schema = With(bytes);
    refused += schema.ok() ? 0 : 1;
    if (!schema.ok()) continue;
    EXPECT_NE(schema->FindMessage(kCluster), nullptr);
    EXPECT_NE(schema->FindMessage("envoy.config.listener.v3.Listener"), nullptr);
    schema->Overridden();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 110);
}

}  // namespace
}  // namespace xdscope::schema
