// Resources whose config sources lead to files, in place of the server that the resources came from: wherever those
// sources sit, inside `Any` too. Wire bytes in and out, driven by the table of references; whatever is not such a
// config source keeps its bytes. Knows no file: who calls says which path holds what.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/resource/reference_rows.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::resource {

// A resource after the rewriting.
struct LocalResource {
  std::optional<std::string> bytes;  // nullopt: nothing was rewritten
  // References whose sources stay as they are: those that lead elsewhere, those without a file, and whatever stands in
  // a TypedStruct.
  std::set<Reference> left;
  // Sources that mean this server and that no row of the table knows: "envoy.….OnDemandCds.source".
  std::set<std::string> unknown;
};

class LocalSources {
 public:
  // The path of the file that holds what is referred to; nullopt: there is none. Asked for references to this server.
  using FileOf = std::function<std::optional<std::string>(const Reference&)>;

  LocalSources(wire::Types& types, ThisServer this_server, FileOf file_of);

  // `resource_name`: of the resource. v3 alone: config sources of v2 know no such files and stay as they are.
  LocalResource Rewrite(const wire::View& resource, std::string_view resource_name);

 private:
  struct Search;
  struct Target;
  using Targets = std::vector<Target>;

  Targets TargetsIn(const wire::View& view, Search& search);
  std::optional<std::string> FileFor(const ReferenceRow& row, const wire::View& view, Search& search);
  std::optional<std::string> Message(const wire::View& view, Targets targets, Search& search);
  std::optional<std::string> Field(const wire::View& parent, const wire::Field& field, const wire::View& view,
                                   const Targets& targets, Search& search);
  std::optional<std::string> Any(const wire::View& any, Search& search);
  void LookInto(const wire::View& typed_struct, Search& search);

  wire::Types& types_;
  ThisServer this_server_;
  FileOf file_of_;
  const wire::Type* config_source_;  // nullptr: sources cannot be files in this schema
  RowsByType rows_;
};

// The bytes of a message without its field `dropped`, and with messages put behind what its field `added` has: what
// Envoy takes from no file can stand in place. As they were when the type lacks one of the two (an older schema).
std::string WithInPlace(const wire::View& view, std::string_view dropped, std::string_view added,
                        const std::vector<std::string_view>& messages);

}  // namespace xdscope::resource
