// What changed, in lines for people: one for each change of a message, and between two sets of resources those that
// came, went and changed. Knows nothing of how the resources came about.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/format/difference.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"
#include "lib/resource/snapshot.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Returns a change in one line: "PATH: OLD → NEW", "+ PATH: NEW" for what is new, "- PATH: OLD" for what is gone. Long
// values are cut, to where they differ if that is not seen else; of a secret the line says that it has changed.
std::string ChangeLine(const format::Change& change);

class ChangePrinter {
 public:
  using Resources = std::map<std::string, resource::Resource, std::less<>>;  // as in resource::TypeState

  // Of `options` those count that say how values look. `types` and `out` must live longer.
  ChangePrinter(wire::Types& types, const format::WalkOptions& options, format::Output& out, format::Style style = {})
      : types_(types), options_(options), out_(out), style_(style) {}

  // Each writes what changed, and returns whether anything did: "+ cds:NAME" for a resource that came, "- cds:NAME" for
  // one that went, "~ cds:NAME" and its changes, indented, for one that says something else than before. `type_url` is
  // the type under which the resources were asked for.
  //
  // Compares one resource, nullptr where it is not there; not both of them may be.
  bool Resource(const std::string& type_url, const resource::Resource* before, const resource::Resource* after);
  // Compares the resources of one type, sorted by name.
  bool Type(const std::string& type_url, const Resources& before, const Resources& after);
  // Compares all types, in the order in which they are printed.
  bool Snapshots(const resource::Snapshot& before, const resource::Snapshot& after);

  // Writes a line in the colour of its mark: "+ ", "- ", "~ ", and others.
  void Line(std::string_view mark, std::string_view text);

 private:
  wire::Types& types_;
  format::WalkOptions options_;
  format::Output& out_;
  format::Style style_;
};

}  // namespace xdscope::cli
