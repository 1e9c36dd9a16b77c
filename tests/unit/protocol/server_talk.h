// A ServerSession and what it has to offer, in the notation of reference/protocol.md B: a request is given as a line,
// an answer comes back as one.
//
//   SotW   "V=X R=[foo,bar] N=1 T=EDS err"   answered by   "V=X R=[bar,foo] N=1 T=EDS"
//   delta  "T=CDS +[a] -[b] init{a:1} N=1"   answered by   "T=CDS res[a@1] rm[b] N=1"   (empty parts are left out)
//
// A resource with a time to live of 30 seconds is "a~30" where the client is told of it. A heartbeat has "beat[a@1~30]"
// in place of "res[…]" where it has no payload, and ends in "beat" where it has.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/protocol/server_session.h"
#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {

class TestCache final : public ResourceCache {
 public:
  // "name@version" or "name@version~seconds to live", in any order; the state's version is made of all of them where
  // none is given.
  void Set(std::string_view type_url, const std::vector<std::string>& resources, const std::string& version = "");
  void SetAlias(const std::string& alias, const std::string& name) { aliases_[alias] = name; }

  std::shared_ptr<const TypeSnapshot> Find(std::string_view type_url) const override;
  std::string_view Canonical(std::string_view type_url, std::string_view alias) const override;

 private:
  std::map<std::string, std::shared_ptr<const TypeSnapshot>, std::less<>> snapshots_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

class ServerTalk {
 public:
  explicit ServerTalk(Variant variant, std::string_view only_type = {});
  explicit ServerTalk(const ServerSession::Options& options) : variant_(options.variant), session_(options) {}

  TestCache& cache() { return catalogue_; }
  ServerSession& operator*() { return session_; }
  ServerSession* operator->() { return &session_; }

  void Set(std::string_view type_url, const std::vector<std::string>& resources, const std::string& version = "") {
    catalogue_.Set(type_url, resources, version);
  }

  // What time it is from now on; 0 at first.
  void SetTime(Moment now) { now_ = now; }

  // Lets the server hear a request; nothing is sent yet.
  absl::StatusOr<Received> Hear(const std::string& line);
  // All that is to be sent now.
  std::vector<std::string> Sent();
  // Hears and sends. A request that the server refuses fails the test.
  std::vector<std::string> Say(const std::string& line);
  Received::Kind KindOf(const std::string& line);

 private:
  Variant variant_;
  TestCache catalogue_;
  ServerSession session_;
  Moment now_{0};
};

// The bytes of a request. "node" is one with an id, "node+" one that announces times to live and wrappers too.
std::string RequestBytes(Variant variant, const std::string& line);
std::string_view TypeUrlOf(std::string_view short_name);
std::string ShortNameOf(std::string_view type_url);

// An answer as a line.
std::string AnswerLine(Variant variant, const ServerResponse& answer);
// The response in full, with Payload(name, version) in each resource.
std::string ResponseBytes(Variant variant, const ServerResponse& answer);

}  // namespace xdscope::protocol::testing
