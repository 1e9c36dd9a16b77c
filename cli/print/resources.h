// What was received, on stdout, in the format that was asked for. The same for every command and source: it takes a
// snapshot and knows nothing of how it came about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console/streams.h"
#include "cli/flags/options.h"
#include "cli/print/tree.h"
#include "lib/base/resource_wrapper.h"
#include "lib/format/output.h"
#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Who was asked for a snapshot, and for what.
struct Asked {
  resource::ThisServer server = {};
  WasAsked was_asked;
};

// Prints all of a snapshot. Stops quietly where nobody reads any more.
void Render(const resource::Snapshot& snapshot, const OutputOptions& options, const Asked& asked, wire::Types& types,
            const OutputStream& to);

// Prints messages of one type one after the other, as they came: in binary their bytes.
struct RawMessage {
  std::string type;  // full name
  std::string_view bytes;
};
void RenderRaw(const std::vector<RawMessage>& messages, const OutputOptions& options, wire::Types& types,
               const OutputStream& to);

// Writes what an Any holds that came in a response of this type, in the format for values that `options` name.
void RenderAny(const base::AnyView& any, std::string_view response_type, const OutputOptions& options,
               wire::Types& types, format::Output& out);

}  // namespace xdscope::cli
