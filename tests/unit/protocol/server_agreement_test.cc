// Our client's half and our server's half in random conversation, with messages that cross, refusals, reconnects and a
// cache that changes: the client comes to hold what the cache has, finds nothing to complain about, and both fall
// silent; and what has a time to live does not run out while time passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/fields.h"
#include "tests/unit/protocol/server_talk.h"

namespace xdscope::protocol::testing {
namespace {

constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e", "f"};

struct Way {
  Variant variant = Variant::kSotw;
  Wildcard wildcard = Wildcard::kLegacy;
  bool aggregated = true;
};

class Agreement {
 public:
  Agreement(Way way, unsigned seed) : way_(way), random_(seed), client_(ClientOptions(way)) {
    for (const std::string_view type : Types()) ChangeOffer(type);
    Connect();
  }

  void Step() {
    const int choice = Pick(20);
    if (choice < 2) ChangeOffer(AnyType());
    if (choice == 2) ChangeInterest(AnyType());
    if (choice == 3 && Pick(5) == 0) Connect();
    if (choice >= 4 && choice < 8) Send();
    if (choice >= 8 && choice < 12) DeliverRequest();
    if (choice >= 12 && choice < 16) Serve();
    if (choice >= 16) DeliverResponse(Pick(5) == 0);
  }

  // Every resource changes once more (one that is not there comes and goes), so that nothing that was refused stays so;
  // then all that is due is exchanged.
  void Settle() {
    const auto wanted = offered_;
    for (const std::string_view type : Types()) {
      for (const std::string_view name : kNames) offered_[type][std::string(name)] = ++changes_;
      Publish(type);
    }
    ExchangeAll();
    for (const std::string_view type : Types()) {
      std::erase_if(offered_[type], [&](const auto& each) { return !wanted.at(type).contains(each.first); });
      Publish(type);
    }
    ExchangeAll();
  }

  // Time passes, for as long as nothing changes: what has a time to live lives on. Demands Settle().
  void Pass(std::chrono::seconds time) {
    for (const Moment end = now_ + time; now_ < end;) {
      now_ += std::chrono::seconds(1);
      client_.OnTime(now_);
      ExchangeAll();
    }
  }

  void ExpectAgreement() {
    for (const std::string_view type : Types()) {
      const Subscription* subscription = client_.Find(type);
      if (subscription == nullptr) continue;
      for (const std::string_view name : kNames) ExpectAgreementOn(*subscription, type, std::string(name));
    }
  }

  // The conversation, for whoever has to find out why.
  const std::string& story() const { return story_; }
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  static AdsSession::Options ClientOptions(Way way) {
    AdsSession::Options options = Conversation::Sotw();
    options.variant = way.variant;
    options.node = Node({"xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"});
    options.wildcard = way.wildcard;
    if (!way.aggregated) options.only_type = kCds;
    return options;
  }

  std::vector<std::string_view> Types() const {
    if (!way_.aggregated) return {kCds};
    return {kCds, kEds, kLds, kRds};
  }
  std::string_view AnyType() { return Types()[static_cast<std::size_t>(Pick(static_cast<int>(Types().size())))]; }
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  void Connect() {
    Note("connect", "");
    if (client_.stream_is_open()) client_.OnStreamClosed();
    client_.OnStreamOpened();
    requests_.clear();
    responses_.clear();
    server_ =
        ServerSession({.variant = way_.variant, .only_type = std::string(way_.aggregated ? std::string_view() : kCds)});
  }

  void ChangeOffer(std::string_view type) {
    auto& resources = offered_[type];
    for (const std::string_view name : kNames) {
      const int choice = Pick(6);
      if (choice == 0) resources.erase(std::string(name));
      if (choice == 1) resources[std::string(name)] = ++changes_;
    }
    Publish(type);
  }

  void Publish(std::string_view type) {
    std::vector<std::string> list;
    for (const auto& [name, version] : offered_[type]) {
      const int ttl = TtlOf(name);
      list.push_back(fmt::format("{}@{}{}", name, version, ttl == 0 ? "" : fmt::format("~{}", ttl)));
    }
    cache_.Set(type, list);
    Note("cache", fmt::format("{} {}", ShortNameOf(type), fmt::join(list, ",")));
  }

  static int TtlOf(std::string_view name) { return name == "a" ? 10 : name == "b" ? 15 : 0; }

  void ChangeInterest(std::string_view type) {
    std::vector<std::string> names;
    for (const std::string_view name : kNames) {
      if (Pick(3) == 0) names.emplace_back(name);
    }
    if (Pick(6) == 0) names.emplace_back("*");
    const int choice = Pick(4);
    if (choice == 0) return client_.SetInterest(type, Interest::Nothing());
    if (choice == 1) return client_.SetInterest(type, Interest::Everything());
    if (choice == 2) return client_.SetInterest(type, Interest::EverythingAnd(std::move(names)));
    client_.SetInterest(type, Interest::Names(std::move(names)));
  }

  void ExchangeAll() {
    for (int rounds = 0; rounds < 1000; ++rounds) {
      bool busy = false;
      for (const bool moved : {Send(), DeliverRequest(), Serve(), DeliverResponse(false)}) busy = busy || moved;
      if (!busy) return;
    }
    ADD_FAILURE() << "they never fall silent";
  }

  bool Send() {
    std::optional<Request> request = client_.NextRequest();
    if (!request) return false;
    Note("client says", Line(way_.variant, *request));
    requests_.push_back(std::move(request->bytes));
    return true;
  }

  bool DeliverRequest() {
    if (requests_.empty()) return false;
    Note("server reads", "");
    EXPECT_TRUE(server_.OnRequest(std::move(requests_.front())).ok());
    requests_.pop_front();
    return true;
  }

  bool Serve() {
    const std::optional<ServerResponse> answer = server_.Next(cache_, now_);
    if (!answer) return false;
    Note("server says", AnswerLine(way_.variant, *answer));
    responses_.push_back(ResponseBytes(way_.variant, *answer));
    return true;
  }

  bool DeliverResponse(bool refuse) {
    if (responses_.empty()) return false;
    const absl::StatusOr<Response> response =
        client_.OnMessage(std::make_shared<const std::string>(std::move(responses_.front())), now_);
    responses_.pop_front();
    EXPECT_TRUE(response.ok());
    for (const finding::Finding& found : response->findings) {
      findings_.push_back(fmt::format("{} {}", found.rule, found.message));
      Note("client finds", findings_.back());
    }
    Note(refuse ? "client refuses" : "client accepts", response->nonce);
    if (refuse) {
      EXPECT_TRUE(client_.Answer(response->id, Verdict::Nack("no")).ok());
      return true;
    }
    EXPECT_TRUE(client_.Answer(response->id, Verdict::Ack()).ok());
    for (const Resource& resource : response->resources) {
      if (resource.unasked || resource.heartbeat) continue;
      const std::string_view content = base::FindBytes(resource.payload, 7).value_or("");
      contents_[response->type_url][std::string(resource.name)] = content;
    }
    return true;
  }

  void ExpectAgreementOn(const Subscription& subscription, std::string_view type, const std::string& name) {
    const auto& resources = offered_[type];
    const bool exists = resources.contains(name);
    const bool wanted = subscription.interest().everything() || subscription.interest().Has(name);
    const bool held = subscription.Held(name) != nullptr;
    const std::string where = fmt::format("{} {}", ShortNameOf(type), name);
    if (!wanted) {
      // What a new stream was not asked for the client may keep, until it says something.
      EXPECT_FALSE(held && subscription.requests() > 0) << where;
    } else if (exists) {
      EXPECT_TRUE(held) << where;
      EXPECT_EQ(contents_[std::string(type)][name], std::to_string(resources.at(name))) << where;
    } else if (way_.variant == Variant::kDelta || types::RowOf(type).full_state) {
      EXPECT_FALSE(held) << where;
    }
  }

  void Note(std::string_view what, std::string_view words) { story_ += fmt::format("{} {}\n", what, words); }

  Way way_;
  std::mt19937 random_;
  AdsSession client_;
  ServerSession server_{ServerSession::Options()};
  TestCache cache_;
  Moment now_{0};
  int changes_ = 0;
  std::map<std::string_view, std::map<std::string, int>> offered_;
  std::map<std::string, std::map<std::string, std::string>> contents_;
  std::deque<std::string> requests_;
  std::deque<std::string> responses_;
  std::vector<std::string> findings_;
  std::string story_;
};

class ServerAgreement : public ::testing::TestWithParam<Way> {};

TEST_P(ServerAgreement, TheClientComesToHoldWhatThereIsAndFindsNoFault) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Agreement agreement(GetParam(), seed);
    for (int i = 0; i < 400; ++i) agreement.Step();
    agreement.Settle();
    agreement.ExpectAgreement();
    if (seed % 10 == 0) agreement.Pass(std::chrono::seconds(40));
    agreement.ExpectAgreement();
    EXPECT_THAT(agreement.findings(), ::testing::IsEmpty());
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << agreement.story();
  }
}

INSTANTIATE_TEST_SUITE_P(AllWays, ServerAgreement,
                         ::testing::Values(Way{Variant::kSotw, Wildcard::kLegacy, true},
                                           Way{Variant::kSotw, Wildcard::kExplicit, true},
                                           Way{Variant::kSotw, Wildcard::kLegacy, false},
                                           Way{Variant::kDelta, Wildcard::kLegacy, true},
                                           Way{Variant::kDelta, Wildcard::kExplicit, true},
                                           Way{Variant::kDelta, Wildcard::kExplicit, false}));

}  // namespace
}  // namespace xdscope::protocol::testing
