#include "tests/unit/wire/fixture.h"

namespace xdscope::wire {
namespace {

using base::AppendBytes;
using base::AppendTag;
using base::AppendVarint;
using base::WireType;

struct Broken {
  std::string_view what;
  std::string bytes;
  std::string_view error;
};

class DecodeTest : public WireTest {
 protected:
  absl::StatusOr<Message> Decoded(std::string_view type, const std::string& bytes) {
    return Decode(bytes, TypeOf(type));
  }

  // Expects that we refuse the bytes with these words, and protobuf refuses them too.
  void ExpectRefused(std::string_view type, const Broken& broken) {
    const absl::StatusOr<Message> message = Decoded(type, broken.bytes);
    ASSERT_FALSE(message.ok()) << broken.what;
    EXPECT_EQ(message.status().code(), absl::StatusCode::kDataLoss) << broken.what;
    EXPECT_EQ(base::Message(message.status()), broken.error) << broken.what;
    EXPECT_EQ(Parsed(type, broken.bytes), "error") << broken.what;
  }
};

TEST_F(DecodeTest, FieldsAreReadWhereTheyStand) {
  const std::string bytes = Bytes(kCluster, R"(name: "a" connect_timeout { seconds: 5 } lb_policy: RANDOM)");
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_FALSE(message->owns());
  EXPECT_EQ(message->view().GetText("name"), "a");
  EXPECT_EQ(message->view().Get("connect_timeout")->AsMessage().Get("seconds")->AsInt(), 5);
  EXPECT_EQ(message->view().Get("lb_policy")->AsInt(), 3);
  EXPECT_FALSE(message->view().Get("alt_stat_name"));
  EXPECT_EQ(message->view().GetText("name").data(), bytes.data() + 2);
}

TEST_F(DecodeTest, TheLastOfTwoScalarsHolds) {
  const std::string bytes = Bytes(kCluster, R"(name: "a")") + Bytes(kCluster, R"(name: "b")");
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->view().GetText("name"), "b");
  const Fields fields(message->view());
  EXPECT_EQ(Single(fields.known().front()).AsText(), "b");
}

TEST_F(DecodeTest, ASingularMessageThatStandsTwiceIsMergedAllTheWayDown) {
  const std::string first =
      Bytes(kCluster, R"(name: "a" eds_cluster_config { service_name: "s" eds_config { ads {} } })");
  const std::string second = Bytes(kCluster, R"(eds_cluster_config { eds_config { resource_api_version: V3 } })");
  const absl::StatusOr<Message> message = Decoded(kCluster, first + second);
  ASSERT_TRUE(message.ok());
  EXPECT_TRUE(message->owns());
  EXPECT_EQ(Parsed(kCluster, std::string(message->view().bytes())), Parsed(kCluster, first + second));
  const View eds = message->view().Get("eds_cluster_config")->AsMessage();
  EXPECT_EQ(eds.GetText("service_name"), "s");
  EXPECT_TRUE(eds.Get("eds_config")->AsMessage().Get("ads"));
  EXPECT_EQ(eds.Get("eds_config")->AsMessage().Get("resource_api_version")->AsInt(), 2);
}

TEST_F(DecodeTest, OfAOneofTheLastMemberHoldsAndStartsAfresh) {
  const std::string_view type = "envoy.config.core.v3.DataSource";
  const std::string bytes = Bytes(type, R"(filename: "f")") + Bytes(type, R"(inline_string: "i")");
  const absl::StatusOr<Message> message = Decoded(type, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_FALSE(message->view().Get("filename"));
  EXPECT_EQ(message->view().GetText("inline_string"), "i");
  const Fields fields(message->view());
  ASSERT_EQ(fields.known().size(), 1U);
  EXPECT_EQ(fields.known()[0].field->name, "inline_string");
}

TEST_F(DecodeTest, AMessageOfAOneofIsNotMergedAcrossAnotherMember) {
  const std::string_view type = "envoy.config.core.v3.Address";
  const std::string bytes = Bytes(type, R"(socket_address { address: "x" })") + Bytes(type, R"(pipe { path: "p" })") +
                            Bytes(type, R"(socket_address { port_value: 1 })");
  const absl::StatusOr<Message> message = Decoded(type, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(Parsed(type, std::string(message->view().bytes())), Parsed(type, bytes));
  EXPECT_EQ(message->view().Get("socket_address")->AsMessage().GetText("address"), "");
}

TEST_F(DecodeTest, FieldsComeInTheOrderOfTheirNumbersWhateverTheWireSays) {
  const std::string bytes = Bytes(kCluster, "lb_policy: RANDOM") + Bytes(kCluster, R"(name: "a")") +
                            Bytes(kCluster, "connect_timeout { seconds: 1 }");
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  ASSERT_TRUE(message.ok());
  std::vector<std::string_view> names;
  for (const Fields fields(message->view()); const Present& present : fields.known())
    names.push_back(present.field->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"name", "connect_timeout", "lb_policy"}));
}

TEST_F(DecodeTest, PackedAndUnpackedNumbersAreOneList) {
  const std::string_view ranges = "envoy.config.route.v3.RetryPolicy";  // retriable_status_codes = 7, uint32
  std::string bytes;
  AppendTag(&bytes, 7, WireType::kVarint);
  AppendVarint(&bytes, 500);
  AppendBytes(&bytes, 7, std::string("\x01\x02"));
  AppendTag(&bytes, 7, WireType::kVarint);
  AppendVarint(&bytes, 503);
  const absl::StatusOr<Message> message = Decoded(ranges, bytes);
  ASSERT_TRUE(message.ok());
  std::vector<std::uint64_t> codes;
  const Fields fields(message->view());
  for (Elements elements(fields.known()[0]); elements.Next();) codes.push_back(elements.value().AsUint());
  EXPECT_EQ(codes, (std::vector<std::uint64_t>{500, 1, 2, 503}));
}

TEST_F(DecodeTest, OfEqualMapKeysTheLastOneHoldsAndMapsAreSorted) {
  const std::string_view type = "envoy.config.core.v3.Metadata";
  const std::string bytes =
      Bytes(type, R"(filter_metadata { key: "b" value { fields { key: "x" value { number_value: 1 } } } })") +
      Bytes(type, R"(filter_metadata { key: "a" })") +
      Bytes(type, R"(filter_metadata { key: "b" value { fields { key: "y" value { number_value: 2 } } } })");
  const absl::StatusOr<Message> message = Decoded(type, bytes);
  ASSERT_TRUE(message.ok());
  const Fields fields(message->view());
  const auto map = SortedMap(fields.known()[0]);
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[0].key.AsText(), "a");
  EXPECT_EQ(map[1].key.AsText(), "b");
  const Fields entry(map[1].value.AsMessage());
  EXPECT_EQ(SortedMap(entry.known()[0])[0].key.AsText(), "y");
}

TEST_F(DecodeTest, UnknownFieldsAndOtherWireTypesAreKept) {
  std::string bytes = Bytes(kCluster, R"(name: "a")");
  AppendTag(&bytes, 9999, WireType::kVarint);
  AppendVarint(&bytes, 7);
  AppendTag(&bytes, 1, WireType::kVarint);  // `name` is text
  AppendVarint(&bytes, 8);
  AppendTag(&bytes, 500, WireType::kStartGroup);
  AppendBytes(&bytes, 1, "in");
  AppendTag(&bytes, 500, WireType::kEndGroup);
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_TRUE(Fields(message->view()).has_unknown());
  const std::vector<UnknownField> unknown = UnknownFields(message->view());
  ASSERT_EQ(unknown.size(), 3U);
  EXPECT_EQ(unknown[0].number, 9999U);
  EXPECT_EQ(unknown[0].value, 7U);
  EXPECT_EQ(unknown[1].number, 1U);
  EXPECT_EQ(unknown[2].type, WireType::kStartGroup);
  EXPECT_EQ(message->view().GetText("name"), "a");
}

TEST_F(DecodeTest, BrokenBytesAreNamedWithPathAndOffset) {
  std::string bad_text;
  AppendBytes(&bad_text, 1, "\xFF");
  std::string service;
  AppendBytes(&service, 2, "\xC0\x80");
  std::string eds;
  AppendBytes(&eds, 3, service);
  const Broken cases[] = {
      {"cut off", std::string("\x0A\x05", 2) + "ab", "at byte 0: malformed or cut off field"},
      {"field number 0", std::string("\x02\x00", 2), "at byte 0: malformed or cut off field"},
      {"stray end of a group", "\x0C", "at byte 0: malformed or cut off field"},
      {"not UTF-8", bad_text, "name at byte 2: text is not UTF-8"},
      {"not UTF-8 below", eds, "eds_cluster_config.service_name at byte 4: text is not UTF-8"},
  };
  for (const Broken& broken : cases) ExpectRefused(kCluster, broken);
}

TEST_F(DecodeTest, APathHasTheIndexesOfListsAndTheKeysOfMaps) {
  std::string bad_name;
  AppendBytes(&bad_name, 1, "\xFF");
  std::string filters;  // of a FilterChain
  for (int i = 0; i < 2; ++i) AppendBytes(&filters, 3, "");
  AppendBytes(&filters, 3, bad_name);
  std::string listener = Bytes("envoy.config.listener.v3.Listener", R"(name: "a" listener_filters {})");
  AppendBytes(&listener, 3, "");
  AppendBytes(&listener, 3, filters);
  ExpectRefused("envoy.config.listener.v3.Listener",
                {"in lists", listener, "filter_chains[1].filters[2].name at byte 17: text is not UTF-8"});

  std::string texts;
  AppendBytes(&texts, 1, "good");
  AppendBytes(&texts, 1, "\xFF");
  ExpectRefused("google.protobuf.FieldMask", {"a text of a list", texts, "paths[1] at byte 8: text is not UTF-8"});

  std::string bad_field;  // of a Struct: an entry without its value
  AppendBytes(&bad_field, 1, "\x0A");
  std::string entry;
  AppendBytes(&entry, 1, "a.b");
  AppendBytes(&entry, 2, bad_field);
  std::string metadata;
  AppendBytes(&metadata, 1, entry);
  ExpectRefused("envoy.config.core.v3.Metadata",
                {"in a map", metadata, "filter_metadata[\"a.b\"].fields[0] at byte 11: malformed or cut off field"});

  std::string bad_key;
  AppendBytes(&bad_key, 1, "\xFF");
  std::string keys;
  AppendBytes(&keys, 1, "");
  AppendBytes(&keys, 1, bad_key);
  ExpectRefused("envoy.config.core.v3.Metadata",
                {"a key", keys, "filter_metadata[1].key at byte 6: text is not UTF-8"});
}

TEST_F(DecodeTest, AMovedMessageReadsTheOtherBytes) {
  const std::string bytes = Bytes(kCluster, R"(name: "a")");
  const std::string elsewhere(bytes.data(), bytes.size());
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  const Message moved = message->MovedTo(elsewhere);
  EXPECT_EQ(moved.view().bytes().data(), elsewhere.data());
  EXPECT_EQ(&moved.type(), &message->type());
}

TEST_F(DecodeTest, AMessageThatOwnsItsBytesKeepsThemWhenMoved) {
  const std::string twice = Bytes(kCluster, "connect_timeout { seconds: 1 }") + Bytes(kCluster, "connect_timeout {}");
  const absl::StatusOr<Message> message = Decoded(kCluster, twice);
  const Message moved = message->MovedTo(twice);
  EXPECT_TRUE(moved.owns());
  EXPECT_EQ(moved.view().bytes().data(), message->view().bytes().data());
}

TEST_F(DecodeTest, AMergeKeepsTheOrderOfListsAndWhatIsUnknown) {
  std::string bytes = Bytes(kCluster, R"(health_checks { alt_port { value: 1 } } connect_timeout { seconds: 1 })");
  AppendBytes(&bytes, 9999, "x");
  bytes += Bytes(kCluster, R"(health_checks { alt_port { value: 2 } } connect_timeout { nanos: 2 })");
  AppendBytes(&bytes, 9999, "y");
  const absl::StatusOr<Message> message = Decoded(kCluster, bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(Parsed(kCluster, std::string(message->view().bytes())), Parsed(kCluster, bytes));
}

TEST_F(DecodeTest, AMapsKeyIsSpelledAsInJson) {
  const auto key = [&](std::string_view type, std::string_view field, std::uint64_t bits) {
    return KeyText({TypeOf(type).Find(field), bits, "text"});
  };
  EXPECT_EQ(key("google.protobuf.StringValue", "value", 0), "text");
  EXPECT_EQ(key("google.protobuf.Int64Value", "value", ~std::uint64_t{0}), "-1");
  EXPECT_EQ(key("google.protobuf.UInt64Value", "value", ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(key("google.protobuf.BoolValue", "value", 1), "true");
}

// A Value in a ListValue in a Value …, `levels` of them.
std::string NestedLists(int levels) {
  std::string value;
  for (int i = 0; i < levels; ++i) {
    std::string list;
    AppendBytes(&list, 1, value);
    value.clear();
    AppendBytes(&value, 6, list);
  }
  return value;
}

TEST_F(DecodeTest, NestingEndsWhereProtobufEndsIt) {
  const std::string_view type = "google.protobuf.Value";
  for (int levels = 45; levels < 55; ++levels) {
    const std::string bytes = NestedLists(levels);
    EXPECT_EQ(Decoded(type, bytes).ok(), Parsed(type, bytes) != "error") << levels;
  }
  EXPECT_FALSE(Decoded(type, NestedLists(55)).ok());
}

TEST_F(DecodeTest, GroupsNestAsDeepAsProtobufLetsThem) {
  for (int levels = 95; levels < 105; ++levels) {
    std::string bytes;
    for (int i = 0; i < levels; ++i) AppendTag(&bytes, 700, WireType::kStartGroup);
    for (int i = 0; i < levels; ++i) AppendTag(&bytes, 700, WireType::kEndGroup);
    EXPECT_EQ(Decoded(kCluster, bytes).ok(), Parsed(kCluster, bytes) != "error") << levels;
  }
}

TEST_F(DecodeTest, AnAnyIsOpenedByItsUrlWithAnyPrefix) {
  std::string any;
  AppendBytes(&any, 1, "example.com/envoy.config.cluster.v3.Cluster");
  AppendBytes(&any, 2, Bytes(kCluster, R"(name: "inside")"));
  const absl::StatusOr<Message> opened = Open(Decoded("google.protobuf.Any", any)->view(), types_);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->type().full_name(), kCluster);
  EXPECT_EQ(opened->view().GetText("name"), "inside");
}

TEST_F(DecodeTest, AnAnyThatCannotBeOpenedSaysWhy) {
  const absl::Status unknown = Open("type.googleapis.com/envoy.config.cluster.v3.Clustre", "", types_).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(base::Message(unknown), "unknown type envoy.config.cluster.v3.Clustre");
  EXPECT_EQ(Open("", "", types_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Open("x/envoy.config.cluster.v3.Cluster", "\x0A", types_).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace xdscope::wire
