#include "lib/types/known_types.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lib/base/fields.h"
#include "lib/schema/schema.h"

namespace xdscope::types {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

constexpr std::uint32_t kResourceAnnotation = 265073217;  // envoy.annotations.resource
constexpr std::uint32_t kHttpRule = 72295728;             // google.api.http
constexpr std::uint32_t kHttpPost = 4;

const schema::Schema& Builtin() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  return *schema;
}

// A text inside an option that no generated code of ours knows: field `inner` of extension `outer`.
template <typename Options>
std::string Option(const Options& options, std::uint32_t outer, std::uint32_t inner) {
  const std::string bytes = options.SerializeAsString();
  const auto message = base::FindBytes(bytes, outer);
  return message ? std::string(base::FindBytes(*message, inner).value_or("")) : "";
}

// Every type in every API version it has.
struct Row {
  const KnownType* type;
  Api api;
};
std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const KnownType& type : KnownTypes()) {
    rows.push_back({&type, Api::kV3});
    if (type.v2.exists()) rows.push_back({&type, Api::kV2});
  }
  return rows;
}

const ServiceDescriptor& ServiceOf(const Row& row) {
  return *Builtin().FindService(row.type->names(row.api).service);
}

TEST(KnownTypes, StandInTheOrderOfTheOutput) {
  std::vector<std::string_view> words;
  for (const KnownType& type : KnownTypes()) words.push_back(type.short_name);
  EXPECT_THAT(words, testing::ElementsAre("lds", "rds", "srds", "vhds", "cds", "eds", "leds", "sds", "rtds", "ecds"));
  EXPECT_EQ(OutputRank("type.googleapis.com/envoy.config.listener.v3.Listener"), 0U);
  EXPECT_EQ(OutputRank("envoy.api.v2.Cluster"), 4U);
  EXPECT_EQ(OutputRank("example.com/Unknown"), 10U);
}

TEST(KnownTypes, EveryServiceIsAnnotatedWithTheTypeThatItServes) {
  for (const Row& row : Rows()) {
    const ApiNames& names = row.type->names(row.api);
    const ServiceDescriptor* service = Builtin().FindService(names.service);
    ASSERT_NE(service, nullptr) << names.service;
    EXPECT_EQ(Option(service->options(), kResourceAnnotation, 1), names.message());
    EXPECT_NE(Builtin().FindMessage(names.message()), nullptr) << names.message();
  }
}

TEST(KnownTypes, NoAnnotatedServiceIsMissing) {
  std::set<std::string> known;
  for (const Row& row : Rows()) known.emplace(row.type->names(row.api).service);
  std::set<std::string> annotated;
  for (const Row& row : Rows()) {
    const google::protobuf::FileDescriptor* file = ServiceOf(row).file();
    for (int i = 0; i < file->service_count(); ++i) {
      if (!Option(file->service(i)->options(), kResourceAnnotation, 1).empty()) {
        annotated.insert(file->service(i)->full_name());
      }
    }
  }
  EXPECT_EQ(known, annotated);
}

TEST(KnownTypes, EveryMethodExistsWithItsShape) {
  for (const Row& row : Rows()) {
    const ServiceDescriptor& service = ServiceOf(row);
    std::vector<std::string_view> names;
    for (const std::string_view name : {row.type->sotw_method, row.type->delta_method, row.type->unary_method}) {
      if (name.empty()) continue;
      names.push_back(name);
      const MethodDescriptor* method = service.FindMethodByName(std::string(name));
      ASSERT_NE(method, nullptr) << service.full_name() << "/" << name;
      EXPECT_EQ(method->client_streaming(), name != row.type->unary_method);
      EXPECT_EQ(method->server_streaming(), name != row.type->unary_method);
      EXPECT_EQ(method->input_type()->name(),
                name == row.type->delta_method ? "DeltaDiscoveryRequest" : "DiscoveryRequest");
    }
    EXPECT_EQ(service.method_count(), static_cast<int>(names.size())) << service.full_name();
  }
}

TEST(KnownTypes, RestPathsAreThoseOfTheHttpAnnotations) {
  for (const Row& row : Rows()) {
    const MethodDescriptor* method = ServiceOf(row).FindMethodByName(std::string(row.type->unary_method));
    const std::string annotated = method == nullptr ? "" : Option(method->options(), kHttpRule, kHttpPost);
    EXPECT_EQ(RestPath(*row.type, row.api), annotated) << row.type->short_name;
    EXPECT_EQ(annotated.empty(), row.type->delta_only());
  }
  EXPECT_EQ(RestPath(*FindByWord("leds"), Api::kV2), "");
}

TEST(KnownTypes, NamesStandInFieldOneOfThePayload) {
  for (const Row& row : Rows()) {
    if (row.type->named_by_wrapper()) continue;
    const Descriptor* message = Builtin().FindMessage(row.type->names(row.api).message());
    const google::protobuf::FieldDescriptor* field = message->FindFieldByNumber(1);
    ASSERT_NE(field, nullptr) << message->full_name();
    EXPECT_EQ(field->name(), row.type->name_field);
    EXPECT_EQ(field->type(), google::protobuf::FieldDescriptor::TYPE_STRING);
  }
}

TEST(KnownTypes, AggregatedMethodsExist) {
  for (const Api api : {Api::kV3, Api::kV2}) {
    for (const Variant variant : {Variant::kAds, Variant::kDeltaAds}) {
      const std::string path(AdsMethod(variant, api));
      const std::size_t slash = path.rfind('/');
      const ServiceDescriptor* service = Builtin().FindService(path.substr(1, slash - 1));
      ASSERT_NE(service, nullptr) << path;
      const MethodDescriptor* method = service->FindMethodByName(path.substr(slash + 1));
      ASSERT_NE(method, nullptr) << path;
      EXPECT_EQ(method->input_type()->name(), IsDelta(variant) ? "DeltaDiscoveryRequest" : "DiscoveryRequest");
    }
  }
}

TEST(KnownTypes, OnlyListenersAndClustersAreFullState) {
  for (const KnownType& type : KnownTypes()) {
    const bool root = type.short_name == "lds" || type.short_name == "cds";
    EXPECT_EQ(type.full_state, root) << type.short_name;
  }
}

TEST(FindByWord, TakesShortNamesAndPluralsInAnyCase) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"cds", "cds"},
                                                                 {"CDS", "cds"},
                                                                 {"clusters", "cds"},
                                                                 {"Listeners", "lds"},
                                                                 {"scoped-routes", "srds"},
                                                                 {"scoped_routes", "srds"},
                                                                 {"extension_configs", "ecds"},
                                                                 {"extension-configs", "ecds"},
                                                                 {"runtime", "rtds"},
                                                                 {"virtual-hosts", "vhds"},
                                                                 {"endpoints", "eds"},
                                                                 {"secrets", "sds"}};
  for (const auto& [word, short_name] : cases) {
    const KnownType* type = FindByWord(word);
    ASSERT_NE(type, nullptr) << word;
    EXPECT_EQ(type->short_name, short_name);
  }
  for (const std::string_view word : {"", "cluster", "cds ", "xds", "c-ds"})
    EXPECT_EQ(FindByWord(word), nullptr) << word;
}

TEST(FindByUrl, TakesAnyPrefixAndBothVersions) {
  const KnownType* cds = FindByWord("cds");
  for (const std::string_view url :
       {"type.googleapis.com/envoy.config.cluster.v3.Cluster", "envoy.config.cluster.v3.Cluster",
        "example.com/a/envoy.config.cluster.v3.Cluster", "type.googleapis.com/envoy.api.v2.Cluster"}) {
    EXPECT_EQ(FindByUrl(url), cds) << url;
  }
  for (const std::string_view url : {"", "/", "type.googleapis.com/", "envoy.config.cluster.v3.Clusters"}) {
    EXPECT_EQ(FindByUrl(url), nullptr) << url;
  }
  EXPECT_EQ(OtherVersion(cds->v2.type_url), cds->v3.type_url);
  EXPECT_EQ(OtherVersion(cds->v3.type_url), cds->v2.type_url);
}

TEST(Method, IsEmptyWhereTheTypeHasNoSuchMethod) {
  EXPECT_EQ(Method(*FindByWord("cds"), Variant::kSotw, Api::kV3),
            "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters");
  EXPECT_EQ(Method(*FindByWord("sds"), Variant::kDelta, Api::kV2),
            "/envoy.service.discovery.v2.SecretDiscoveryService/DeltaSecrets");
  EXPECT_EQ(Method(*FindByWord("cds"), Variant::kDeltaAds, Api::kV3),
            "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources");
  EXPECT_EQ(Method(*FindByWord("vhds"), Variant::kSotw, Api::kV3), "");
  EXPECT_EQ(Method(*FindByWord("leds"), Variant::kUnary, Api::kV3), "");
  EXPECT_EQ(Method(*FindByWord("ecds"), Variant::kAds, Api::kV2), "");
}

TEST(RowOf, AnUnknownTypeHasDefaultsOnly) {
  const KnownType& row = RowOf("example.com/T");
  EXPECT_FALSE(row.known() || row.full_state || row.on_demand || row.delta_only() || row.named_by_wrapper());
  EXPECT_EQ(RowOf("example.com/envoy.config.cluster.v3.Cluster").short_name, "cds");
}

TEST(RowOf, OnlyVirtualHostsAreAskedForOnDemand) {
  for (const KnownType& type : KnownTypes()) EXPECT_EQ(type.on_demand, type.short_name == "vhds") << type.short_name;
}

TEST(PushOrder, WhatIsPointedToArrivesFirstAndWhatPointsDepartsFirst) {
  const auto words = [](auto place) {
    std::map<int, std::string_view> by_place;
    for (const KnownType& type : KnownTypes()) by_place[place(type.push_order)] = type.short_name;
    std::vector<std::string_view> ordered;
    for (const auto& [at, word] : by_place) ordered.push_back(word);
    return ordered;
  };
  EXPECT_THAT(words([](PushOrder order) { return order.arrival; }),
              testing::ElementsAre("cds", "eds", "leds", "lds", "rds", "srds", "vhds", "sds", "rtds", "ecds"));
  EXPECT_THAT(words([](PushOrder order) { return order.departure; }),
              testing::ElementsAre("lds", "srds", "rds", "vhds", "ecds", "rtds", "leds", "eds", "sds", "cds"));
  EXPECT_GT(RowOf("example.com/T").push_order.arrival, 9);
  EXPECT_GT(RowOf("example.com/T").push_order.departure, 9);
}

TEST(OtherVersion, IsTheTypeUrlOfTheSameType) {
  constexpr std::string_view kV3 = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  constexpr std::string_view kV2 = "type.googleapis.com/envoy.api.v2.Cluster";
  EXPECT_EQ(OtherVersion(kV3), kV2);
  EXPECT_EQ(OtherVersion(kV2), kV3);
  EXPECT_EQ(OtherVersion("type.googleapis.com/envoy.config.endpoint.v3.LbEndpoint"), "") << "there is none in v2";
  EXPECT_EQ(OtherVersion("example.com/T"), "");
}

std::string Payload(std::string_view name) {
  std::string bytes;
  base::AppendBytes(&bytes, 1, name);
  return bytes;
}

TEST(NameInPayload, IsTheLastNameOfAKnownType) {
  constexpr std::string_view kCluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  EXPECT_EQ(NameInPayload(kCluster, Payload("a")), "a");
  EXPECT_EQ(NameInPayload(kCluster, Payload("a") + Payload("b")), "b");
  EXPECT_EQ(NameInPayload(kCluster, ""), "");
}

TEST(NameInPayload, OfAKnownTypeIsAnyText) {
  constexpr std::string_view kCluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  EXPECT_EQ(NameInPayload(kCluster, Payload("a\nb\x7f")), "a\nb\x7f");
  EXPECT_EQ(NameInPayload(kCluster, Payload("\xff")), "") << "bytes that are no text are no name";
}

TEST(NameInPayload, IsEmptyForTypesNamedByTheirWrapper) {
  EXPECT_EQ(NameInPayload("type.googleapis.com/envoy.config.route.v3.VirtualHost", Payload("a")), "");
  EXPECT_EQ(NameInPayload("type.googleapis.com/envoy.api.v2.route.VirtualHost", Payload("a")), "");
}

TEST(NameInPayload, OfAnUnknownTypeIsItsFirstFieldIfThatIsText) {
  EXPECT_EQ(NameInPayload("example.com/T", Payload("näme")), "näme");
  EXPECT_EQ(NameInPayload("example.com/T", Payload(Payload("inner"))), "") << "a message is no text";
  EXPECT_EQ(NameInPayload("example.com/T", Payload("\xff")), "");
  EXPECT_EQ(NameInPayload("example.com/T", Payload("a\nb")), "") << "it is more likely a message";
  EXPECT_EQ(NameInPayload("example.com/T", std::string("\x08\x01", 2)), "") << "a number is no text";
}

}  // namespace
}  // namespace xdscope::types
