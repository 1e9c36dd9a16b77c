// What a source says of one type at one moment: resources that came, names that are not there, what is wrong with them.
// The same value whatever the source is, a stream, a REST body, a file or a config dump; who prints, keeps or judges it
// is not known here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/protocol/response.h"
#include "lib/protocol/verdict.h"
#include "lib/resource/snapshot.h"
#include "lib/session/place.h"
#include "lib/transport/stream.h"
#include "lib/wire/type.h"

namespace xdscope::source {

// Who waits for a verdict on an update: a number that only its source understands.
struct Waiter {
  session::Place place = {};
  std::uint32_t conversation = 0;
  std::uint64_t response = 0;

  friend bool operator==(const Waiter&, const Waiter&) = default;
};

// A name that the source says something about in place of a resource.
struct Absence {
  std::string name;
  std::string words = {};  // the source's own where it has any
  bool error = false;      // the source cannot give it; else it says that it is gone
  bool stays = false;      // what is held under the name is still good: the error is about this moment (B.0-20)
};

struct Update {
  std::string type_url;
  std::string version;  // of the type's state; delta: for people (system_version_info)
  std::string nonce;    // by which the source will know the answer; empty where sources have no such thing
  bool asked = true;    // the type was asked for; clients drop what was not
  bool whole = false;   // the resources are all there is of the type (LDS and CDS in SotW, a folder of files)
  // It tells differences (delta): of "everything", more may follow.
  bool incremental = false;
  // What came and was asked for, in the order in which it came. Bad ones too: see findings.
  std::vector<resource::Resource> resources;
  // What came besides and is held already, byte for byte: as it is held (see FindHeld), until that changes.
  std::vector<const resource::Resource*> same = {};
  std::vector<std::string> heartbeats;  // names whose time to live begins anew
  std::vector<Absence> absences;        // names that the source says are not there
  // What the source's own rules find; `entry` is a place in the order of all that came.
  std::vector<finding::Finding> findings;
  std::vector<std::string> bad;  // names of all resources that break a rule of finding::MakesBad(); "" has none
  std::size_t entries = 0;       // resources that came, unasked ones and marks without payload among them
  transport::Bytes bytes;        // all of it as it came
  session::Place place = {};     // where it came from
  std::optional<Waiter> waiter;  // nobody waits where it is not set
};

// Finds what the listener holds of a type; nullptr: nothing. A function of nothing finds nothing.
using FindHeld = std::function<const resource::TypeState*(const std::string& type_url)>;

// Returns the payload of an entry of a response as a message, where somebody has decoded it already; nullopt: nobody.
using Decoded = std::function<std::optional<wire::Message>(std::size_t entry, std::string_view payload)>;

// Reads the resources of a response, each decoded once; one that is held already, byte for byte, is not read again.
// Leaves `waiter` to its caller.
Update MakeUpdate(protocol::Response response, bool whole, wire::Types& types, const FindHeld& find_held = {},
                  const Decoded& decoded = {});

// Takes out of the update what a verdict refuses, so that what is left can be used (B.1-3): all of it, or the resources
// that it names, and then the update is no longer all there is.
void DropRefused(const protocol::Verdict& verdict, Update* update);

// What the update changes of the content that is held: its resources and what is gone.
resource::Delivery TakeDelivery(Update* update);

}  // namespace xdscope::source
