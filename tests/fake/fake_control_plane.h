// A control plane at the other end of a FakeChannel: it offers resources and answers on whichever method it is asked,
// in the plainest way that the protocol allows. A test sees the requests and says when what happens.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/protocol/request.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/messages.h"

namespace xdscope::fake {

class FakeControlPlane {
 public:
  // `delta` and `unary`: what its streams speak.
  FakeControlPlane(FakeChannel& channel, bool delta, bool unary) : channel_(channel), delta_(delta), unary_(unary) {}

  // Offers resources of a type at a version of the state; each "name" or "name@version".
  void Offer(std::string_view type_url, std::string version, std::vector<std::string> names) {
    offers_[std::string(type_url)] = {std::move(version), std::move(names)};
  }

  // Connects streams that are new, reads what was written, and answers each request that asks for something. Goes on
  // until nothing more happens.
  void Run() {
    for (bool busy = true; busy;) {
      busy = false;
      for (std::size_t i = 0; i < channel_.streams().size(); ++i) busy |= Serve(i);
    }
  }

  // The requests of all streams, in the order in which they were read.
  const std::vector<protocol::Request>& requests() const { return requests_; }

 private:
  struct Offered {
    std::string version;
    std::vector<std::string> names;
  };

  bool Serve(std::size_t index) {
    FakeStream& stream = channel_.streams()[index];
    if (stream.dropped || stream.cancelled) return false;
    bool busy = false;
    if (connected_.insert(index).second) {
      stream.Connect();
      busy = true;
    }
    if (stream.writing && !unary_) {
      stream.Written();
      busy = true;
    }
    if (read_.size() <= index) read_.resize(index + 1);
    while (read_[index] < stream.written.size()) {
      busy = true;
      Answer(index, stream.written[read_[index]++]);
    }
    return busy;
  }

  void Answer(std::size_t index, const std::string& bytes) {
    auto request = protocol::DecodeRequest(delta_ ? protocol::Variant::kDelta : protocol::Variant::kSotw, bytes);
    ASSERT_TRUE(request.ok());
    requests_.push_back(*request);
    const bool asks = request->nonce.empty() || (delta_ && !request->names.empty());
    const auto offer = offers_.find(request->type_url);
    if (!asks || offer == offers_.end()) return;
    Response response{.type_url = offer->first, .version = offer->second.version};
    if (!unary_) response.nonce = std::to_string(++nonces_);
    response.resources = Named(offer->second.names);
    FakeStream& stream = channel_.streams()[index];
    stream.Deliver(delta_ ? Delta(response) : Sotw(response));
    if (unary_) stream.Close();
  }

  FakeChannel& channel_;
  bool delta_;
  bool unary_;
  std::map<std::string, Offered> offers_;
  std::set<std::size_t> connected_;
  std::vector<std::size_t> read_;
  std::vector<protocol::Request> requests_;
  int nonces_ = 0;
};

}  // namespace xdscope::fake
