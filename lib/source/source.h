// Where resources come from, whatever stands behind: a control plane over gRPC, files, later REST, a config dump.
// Whoever wants resources declares what, hears of everything in one kind of event, and answers an update when he likes.
// A source knows its origin; it does not know who judges, keeps or prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/files/folder.h"
#include "lib/protocol/changes.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/verdict.h"
#include "lib/session/event.h"
#include "lib/session/session.h"
#include "lib/source/update.h"
#include "lib/types/known_types.h"

namespace xdscope::source {

class FileSource;

// The server at this place could not be had, so the next of its list is asked for all that is wanted.
struct Moved {
  std::string stream;
  absl::Status status;  // of the end of the stream
  session::Place place = {};
};

// Files were read, whatever is wanted of them.
struct FilesRead {
  // What they hold of one type.
  struct Type {
    std::string type_url;
    std::size_t count = 0;               // of resources
    std::optional<types::Api> api = {};  // in which the type is known; nullopt: in none
  };
  std::vector<files::Notice> notices;   // what is wrong with them
  std::vector<std::string> duplicates;  // "cds web: is in a.yaml:3 and in b.yaml:7; the first counts"
  std::vector<Type> types;              // in output order
  bool failed = false;                  // nothing could be read: a Closed follows
};

// What a source tells; the events of a conversation are handed on as they are.
using Event = std::variant<session::Connected, session::Asked, FilesRead, Update, session::Unchanged,
                           session::Unreadable, session::Changed, Moved, session::Closed>;
// Demands that the source lives on while it tells.
using Listener = std::function<void(Event event)>;

class Source {
 public:
  virtual ~Source() = default;

  // Says who is told; once, before anything is wanted.
  virtual void Listen(Listener listener) = 0;
  // Says where to find what the listener holds, so that what comes again need not be read again; before anything is
  // wanted, or never.
  virtual void Know(const FindHeld& /*find_held*/) {}
  // Whether the type can be asked for here at all.
  virtual bool CanAsk(std::string_view type_url) const = 0;
  // Changes the interest in a type, and connects where that needs it. Demands CanAsk(). What comes is told later, never
  // inside this call. Where the conversation about the type is over, it is said when that is opened again.
  virtual void Want(std::string_view type_url, const protocol::InterestChange& change) = 0;
  // Gives the verdict on an update and returns what it changed. NOT_FOUND: nobody waits for it any more.
  virtual absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) = 0;
  // Whether some conversation is busy, see Session::IsBusy().
  virtual bool IsBusy() const = 0;
  // Whether there is a conversation about the type that goes on, or will be opened again by itself.
  virtual bool IsOpen(std::string_view type_url) const = 0;
  // Changes the node (a serialized Node) that requests say from now on; the server reads it at the start of a stream.
  virtual void SetNode(const std::string& node) = 0;
  // Opens what can be open before anything is wanted (an aggregated stream), and again every conversation that is over:
  // what is held and wanted goes on from where it was.
  virtual void Open() = 0;
  // The conversation about a type, for a person who takes the protocol into his own hands; nullptr: there is none, yet
  // or ever. Valid as long as the source.
  virtual session::Session* SessionOf(std::string_view type_url) = 0;
  // The files behind it, for a person who says himself when they are read; nullptr: there are none. Valid as long as
  // the source.
  virtual FileSource* Files() { return nullptr; }
  // Sends what is owed and ends every conversation; a Closed follows later for each that is open.
  virtual void Finish() = 0;

  // ---- What a source knows that is several in one; to any other it is all the same.

  // The sources that Want() would ask, by their numbers, and what each would be asked for.
  using Parts = std::vector<std::pair<std::uint32_t, protocol::InterestChange>>;
  virtual Parts PartsOf(std::string_view /*type_url*/, const protocol::InterestChange& change) const {
    return {{0, change}};
  }
  // As CanAsk() and Want(), of the source with this number in place of the one that is there for the type and names.
  virtual bool CanAskOf(std::uint32_t /*source*/, std::string_view type_url) const { return CanAsk(type_url); }
  virtual void WantOf(std::uint32_t /*source*/, std::string_view type_url, const protocol::InterestChange& change) {
    Want(type_url, change);
  }
  // Whether IsOpen() where this name, which is wanted, was asked for.
  virtual bool IsOpenFor(std::string_view type_url, std::string_view /*name*/) const { return IsOpen(type_url); }
};

// Hands the place of an event, and that of the waiter in it, to `set`.
template <typename Set>
void SetPlace(Event* event, Set set) {
  std::visit(
      [&set](auto& what) {
        if constexpr (requires { what.place; }) set(what.place);
      },
      *event);
  auto* const update = std::get_if<Update>(event);
  if (update != nullptr && update->waiter) set(update->waiter->place);
}

}  // namespace xdscope::source
