// References that a conversation follows: what the resources that are held refer to is wanted besides what a person
// asked for, and no longer when nothing refers to it any more. Knows no stream; whoever owns it says what is held and
// takes the changes.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/client/follower.h"
#include "lib/protocol/interest.h"
#include "lib/resource/snapshot.h"

namespace xdscope::client {

class Following {
 public:
  // What a person asked for of a type, in which nothing is taken back when a reference goes.
  using Typed = std::function<const protocol::Interest&(std::string_view type_url)>;
  using Change = std::pair<std::string, protocol::InterestChange>;  // by type URL

  // `types` must outlive it. `starred`: "everything" is said as "*" for types that are followed to.
  Following(wire::Types& types, Follower::Settings settings, Typed typed, bool starred = false)
      : follower_(types, std::move(settings)), typed_(std::move(typed)), starred_(starred) {}

  // Takes what came to be held of a type, or went.
  void Take(const std::string& type_url, const resource::ContentChanges& changes, const resource::Snapshot& held);
  // Takes all that is held.
  void TakeAll(const resource::Snapshot& held);

  std::set<Elsewhere> elsewhere() const { return follower_.elsewhere(); }

  // How interest changes by what was taken since the last call.
  std::vector<Change> TakeChanges();

 private:
  Follower follower_;
  Typed typed_;
  bool starred_;
};

}  // namespace xdscope::client
