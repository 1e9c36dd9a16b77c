// Makes the config sources of resources lead to files in place of the server that the resources came from, wherever
// those sources stand, inside an Any too. Takes and returns wire bytes, and keeps those of whatever is not such a
// source. Knows config sources by the table of references; knows no file: whoever calls says which path holds what.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/visit.h"
#include "lib/resource/reference_rows.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::resource {

// What became of a resource.
struct LocalResource {
  std::optional<std::string> bytes;  // nullopt: nothing was rewritten
  // References whose sources stay as they are: they lead elsewhere, have no file, or stand in a TypedStruct.
  std::set<Reference> left;
  // Sources that mean this server and are in no row of the table: "envoy.….OnDemandCds.source".
  std::set<std::string> unknown;
};

class LocalSources {
 public:
  // Returns the path of the file that holds what is referred to; nullopt when there is none. It is called for
  // references to this server alone.
  using FileOf = std::function<std::optional<std::string>(const Reference&)>;

  LocalSources(wire::Types& types, ThisServer this_server, FileOf file_of);

  // Rewrites the resource of this name. Config sources of the v2 API know no such files and stay as they are.
  LocalResource Rewrite(const wire::View& resource, std::string_view resource_name);

 private:
  std::optional<std::string> Replacement(const encode::Visited& at, std::string_view resource_name,
                                         LocalResource* result);
  std::optional<std::string> FileFor(const ReferenceRow& row, const wire::View& view, std::string_view resource_name,
                                     bool may_change, LocalResource* result);

  wire::Types& types_;
  ThisServer this_server_;
  FileOf file_of_;
  const wire::Type* config_source_;  // nullptr: sources cannot be files in this schema
  RowsByType rows_;
};

// Returns the bytes of a message without its field `dropped`, and with messages put behind what its list `added` has:
// so stands in place what Envoy takes from no file. The bytes come back as they are when the type lacks one of the two
// fields (an older schema).
std::string WithInPlace(const wire::View& view, std::string_view dropped, std::string_view added,
                        const std::vector<std::string_view>& messages);

}  // namespace xdscope::resource
