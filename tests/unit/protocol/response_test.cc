// Reading responses in place: the same as protobuf's own parser reads, of any bytes.
#include "lib/protocol/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/base/status.h"
#include "tests/unit/protocol/conversation.h"
#include "tests/unit/protocol/oracle.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::HasSubstr;

Bytes Own(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

TEST(Response, ViewsLookIntoTheBytesTheyCameIn) {
  const Bytes bytes = Own(SotwBytes({kEds, "1", "n", Entries({"a", "b"})}));
  const auto response = ReadResponse(Variant::kSotw, bytes);
  ASSERT_TRUE(response.ok());
  ASSERT_EQ(response->resources.size(), 2u);
  for (const std::string_view view : {response->version, response->nonce, response->said_type_url,
                                      response->resources[1].payload, response->resources[1].entry}) {
    EXPECT_GE(view.data(), bytes->data());
    EXPECT_LE(view.data() + view.size(), bytes->data() + bytes->size());
  }
  EXPECT_EQ(response->bytes.get(), bytes.get());
}

TEST(Response, TheEntryIsTheWholeAnyOrResource) {
  const auto sotw = ReadResponse(Variant::kSotw, Own(SotwBytes({kEds, "1", "n", Entries({"a"})})));
  const std::unique_ptr<Message> any = Parsed(kAny, sotw->resources[0].entry);
  EXPECT_EQ(Text(*any, "type_url"), kEds);
  EXPECT_EQ(Text(*any, "value"), sotw->resources[0].payload);
  const auto delta = ReadResponse(Variant::kDelta, Own(DeltaBytes({kEds, "1", "n", Entries({"a@7"})})));
  EXPECT_EQ(Text(*Parsed(kResource, delta->resources[0].entry), "version"), "7");
}

TEST(Response, SaysWhereBytesCannotBeRead) {
  std::string bytes = SotwBytes({kEds, "1", "n", {}});
  const std::size_t end = bytes.size();
  bytes += "\x0a\x7f";
  const auto response = ReadResponse(Variant::kSotw, Own(bytes));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(base::Message(response.status())), HasSubstr("offset " + std::to_string(end)));
}

TEST(Response, RefusesTextThatIsNotUtf8AsEveryClientDoes) {
  std::string bytes;
  base::AppendBytes(&bytes, 5, "a\xff");
  const auto response = ReadResponse(Variant::kDelta, Own(bytes));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(base::Message(response.status())), HasSubstr("offset 2"));
}

TEST(Response, EmptyBytesAreAnEmptyResponse) {
  EXPECT_TRUE(ReadResponse(Variant::kSotw, Own("")).ok());
  EXPECT_TRUE(ReadResponse(Variant::kDelta, Own("")).ok());
}

TEST(Response, MergesWhatProtobufMerges) {
  std::string any_a;
  base::AppendBytes(&any_a, 1, "url");
  base::AppendBytes(&any_a, 2, "first");
  std::string any_b;
  base::AppendBytes(&any_b, 2, "second");
  std::string resource;
  base::AppendBytes(&resource, 2, any_a);
  base::AppendBytes(&resource, 2, any_b);
  base::AppendBytes(&resource, 3, "old");
  base::AppendBytes(&resource, 3, "new");
  std::string bytes;
  base::AppendBytes(&bytes, 2, resource);
  const auto response = ReadResponse(Variant::kDelta, Own(bytes));
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->resources[0].type_url, "url");
  EXPECT_EQ(response->resources[0].payload, "second");
  EXPECT_EQ(response->resources[0].name, "new");
}

TEST(Response, ReadsDurationsOfAnySize) {
  const std::unique_ptr<Message> message = NewMessage(kDeltaResponse);
  const auto add_ttl = [&message](std::int64_t seconds) {
    Message* ttl = Mutable(Add(message.get(), "resources"), "ttl");
    SetNumber(ttl, "seconds", seconds);
    return ttl;
  };
  SetNumber(add_ttl(1), "nanos", 500);
  add_ttl(std::numeric_limits<std::int64_t>::max());
  add_ttl(-5);
  const auto response = ReadResponse(Variant::kDelta, Own(Serialized(*message)));
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->resources[0].ttl, std::chrono::nanoseconds(1'000'000'500));
  EXPECT_GT(*response->resources[1].ttl, std::chrono::hours(24 * 365 * 200));
  EXPECT_EQ(response->resources[2].ttl, std::chrono::seconds(-5));
}

// ---- Any bytes.

std::string Mutate(std::string bytes, std::mt19937* random) {
  const auto pick = [random](std::size_t below) { return static_cast<std::size_t>((*random)()) % below; };
  const std::size_t changes = 1 + pick(4);
  for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = pick(bytes.size());
    switch (pick(5)) {
      case 0:
        bytes[at] = static_cast<char>((*random)());
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, bytes.substr(pick(bytes.size()), pick(40)));
        break;
      case 3:
        bytes.erase(at, 1 + pick(8));
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
    }
  }
  return bytes;
}

Words RichWords() {
  Words words{kEds, "version", "nonce", {}};
  words.entries = {{.name = "a", .version = "1", .ttl_seconds = 30, .wrapped = true},
                   {.name = "b", .version = "2", .aliases = {"c", "d"}},
                   {.name = "e", .version = "3", .ttl_seconds = 30, .wrapped = true, .has_payload = false},
                   {.name = "xdstp://x/T/y?b=1&a=1", .version = "4"},
                   {.name = "a", .version = "1"}};
  words.removed = {"f", "a", "*"};
  words.errors = {{"g", 5}, {"a", 14}};
  words.control_plane = "pod";
  return words;
}

void ExpectSame(const Message& theirs, const Response& ours) {
  EXPECT_EQ(Text(theirs, "type_url"), ours.said_type_url);
  EXPECT_EQ(Text(theirs, "nonce"), ours.nonce);
  EXPECT_EQ(Text(Sub(theirs, "control_plane"), "identifier"), ours.control_plane);
  ASSERT_EQ(Count(theirs, "resources"), ours.resources.size());
  ASSERT_EQ(Count(theirs, "resource_errors"), ours.errors.size());
  for (std::size_t i = 0; i < ours.errors.size(); ++i) {
    const Message& error = Sub(theirs, "resource_errors", i);
    EXPECT_EQ(Text(Sub(error, "resource_name"), "name"), ours.errors[i].name);
    EXPECT_EQ(Number(Sub(error, "error_detail"), "code"), ours.errors[i].code);
    EXPECT_EQ(Text(Sub(error, "error_detail"), "message"), ours.errors[i].message);
  }
}

void ExpectSameResource(const Message& theirs, const Resource& ours) {
  EXPECT_EQ(Text(theirs, "name"), ours.name);
  EXPECT_EQ(Text(theirs, "version"), ours.version);
  EXPECT_EQ(Has(theirs, "resource"), ours.has_payload);
  EXPECT_EQ(Text(Sub(theirs, "resource"), "type_url"), ours.type_url);
  EXPECT_EQ(Text(Sub(theirs, "resource"), "value"), ours.payload);
  EXPECT_EQ(Has(theirs, "ttl"), ours.ttl.has_value());
  EXPECT_EQ(Count(theirs, "aliases"), ours.aliases.size());
}

// Returns a response with so many resources, each of so many bytes with its head.
std::string Parts(std::size_t count, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) base::AppendBytes(&bytes, 2, std::string(size - 2, '\x08'));
  return bytes;
}

TEST(Response, HasAsManyPartsAsItsBytesCanSaySomethingIn) {
  EXPECT_EQ(MostParts(0), 100'000);
  EXPECT_EQ(MostParts(16'000'000), 1'100'000);
  EXPECT_EQ(MostParts(1'000'000'000), 4'000'000);
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    EXPECT_TRUE(ReadResponse(variant, Own(Parts(100'000, 2))).ok());
    EXPECT_TRUE(ReadResponse(variant, Own(Parts(300'000, 16))).ok());
    const absl::Status status = ReadResponse(variant, Own(Parts(300'000, 2))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(base::Message(status), "300000 resources and names; a response of 600000 bytes may have 137500");
  }
}

TEST(Response, CountsTheAliasesToo) {
  std::string wrapper;
  for (int i = 0; i < 150'000; ++i) base::AppendBytes(&wrapper, 4, {});
  std::string any;
  base::AppendBytes(&any, 1, "type.googleapis.com/envoy.service.discovery.v3.Resource");
  base::AppendBytes(&any, 2, wrapper);
  for (const auto& [variant, resource] : {std::pair(Variant::kSotw, any), std::pair(Variant::kDelta, wrapper)}) {
    std::string bytes;
    base::AppendBytes(&bytes, 2, resource);
    EXPECT_THAT(base::Message(ReadResponse(variant, Own(bytes)).status()),
                HasSubstr("150001 resources and names; a response of 3000"));
  }
}

// Where protobuf refuses mutated bytes we may take them: we do not look into every field.
TEST(AnyBytes, ADeltaResponseReadsAsProtobufReadsIt) {
  std::mt19937 random(1);
  int good = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::string bytes = Mutate(DeltaBytes(RichWords()), &random);
    const auto ours = ReadResponse(Variant::kDelta, Own(bytes));
    const std::unique_ptr<Message> theirs = NewMessage(kDeltaResponse);
    if (!Parse(bytes, theirs.get())) continue;
    ASSERT_TRUE(ours.ok()) << ours.status();
    ++good;
    ExpectSame(*theirs, *ours);
    EXPECT_EQ(Text(*theirs, "system_version_info"), ours->version);
    for (std::size_t k = 0; k < ours->resources.size(); ++k) {
      ExpectSameResource(Sub(*theirs, "resources", k), ours->resources[k]);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(good, 500);
}

TEST(AnyBytes, ASotwResponseReadsAsProtobufReadsIt) {
  std::mt19937 random(2);
  int good = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::string bytes = Mutate(SotwBytes(RichWords()), &random);
    const auto ours = ReadResponse(Variant::kSotw, Own(bytes));
    const std::unique_ptr<Message> theirs = NewMessage(kSotwResponse);
    if (!Parse(bytes, theirs.get())) continue;
    ASSERT_TRUE(ours.ok()) << ours.status();
    ++good;
    ExpectSame(*theirs, *ours);
    for (std::size_t k = 0; k < ours->resources.size(); ++k) {
      const Message& any = Sub(*theirs, "resources", k);
      const std::unique_ptr<Message> wrapper = NewMessage(kResource);
      if (!base::IsResourceWrapper(Text(any, "type_url"))) {
        EXPECT_EQ(Text(any, "value"), ours->resources[k].payload);
      } else if (Parse(Text(any, "value"), wrapper.get())) {
        ExpectSameResource(*wrapper, ours->resources[k]);
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(good, 500);
}

// Runs whole conversations over mutated responses; the sanitizers watch.
void Converse(AdsSession::Options options, const std::string& bytes, std::mt19937* random) {
  AdsSession session(std::move(options));
  session.SetInterest(kEds, Interest::EverythingAnd({"a", "c", "f", "g"}));
  session.SetInterest(kCds, Interest::Names({"a", "b"}));
  session.OnStreamOpened();
  int answered = 0;
  for (int round = 0; round < 6; ++round) {
    while (session.NextRequest()) {
    }
    const auto response = session.OnMessage(Own(round == 0 ? bytes : Mutate(bytes, random)));
    if (!response.ok()) {
      EXPECT_EQ(response.status().code(), absl::StatusCode::kDataLoss);
      continue;
    }
    std::optional<Verdict> verdict = Verdict::Ack();
    switch ((*random)() % 5) {
      case 0:
        verdict = Verdict::Nack("no");
        break;
      case 1:
        verdict = Verdict::Partly("no", {"a"});
        break;
      case 2:
        verdict.reset();
        break;
      case 3:
        session.SetInterest(kEds, Interest::Names({"a", "xdstp://x/T/*?a=1&b=1"}));
        break;
    }
    session.OnTime(std::chrono::seconds(round));
    while (session.NextChanges()) {
    }
    if (!verdict) continue;
    const absl::Status status = session.Answer(response->id, *verdict).status();
    EXPECT_EQ(status.ok(), response->expects_answer);
    answered += status.ok() ? 1 : 0;
  }
  EXPECT_LE(answered, 6);
}

TEST(AnyBytes, ASessionTakesWhateverComes) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    Converse(Conversation::Sotw(), Mutate(SotwBytes(RichWords()), &random), &random);
    Converse(Conversation::Delta(), Mutate(DeltaBytes(RichWords()), &random), &random);
  }
}

TEST(AnyBytes, NoiseIsAResponseOrDataLoss) {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    Converse(Conversation::Delta(), bytes, &random);
  }
}

}  // namespace
}  // namespace xdscope::protocol::testing
