// What a response means for the names of its type, in the light of what was asked: which entry is a resource, which a
// heartbeat, which says that something is absent, and which nobody asked for. Reads the subscription and completes the
// response; finds no faults (checks.h does) and keeps nothing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/protocol/response.h"
#include "lib/protocol/subscription.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {

// What was learned of one entry beside what Resource and Pending::Entry say.
struct EntryReading {
  bool has_right_type = true;        // its payload has the type of the response, or stands in for it
  WasAsked asked = WasAsked::kNow;   // kNow also where it has no name, or nothing was asked for on this stream
  std::string_view payload_name;     // how the payload calls itself, where a wrapper names it too
  std::string_view wrapper_version;  // SotW, where Resource::version is the response's
  // Of what came last under the name, refused or not. Looked up only where an entry may be a heartbeat.
  std::optional<std::string_view> last_version;
};

struct Interpretation {
  Pending pending;                               // for Subscription::OnResponse
  std::vector<EntryReading> entries;             // in the order of Response::resources
  absl::flat_hash_set<absl::string_view> names;  // of all entries, in normal form
};

// Completes response->resources: names, versions, heartbeats, what was unasked. `subscription` is the one that asked
// for the type on this stream, nullptr where none did; `type` is the type's row.
Interpretation Interpret(Variant variant, const Subscription* subscription, const types::KnownType& type,
                         Response* response);

}  // namespace xdscope::protocol
