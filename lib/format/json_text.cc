#include "lib/format/json_text.h"

#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"

namespace xdscope::format {

std::string JsonText(const wire::View& message, wire::Types& types) {
  std::string text;
  Output out([&text](std::string_view chunk) {
    text += chunk;
    return absl::OkStatus();
  });
  JsonWriter writer(out, JsonWriter::Layout::kCompact);
  WalkOptions options;
  options.show_secrets = true;
  Walker(types, options, writer).Message(message);
  out.Flush().IgnoreError();  // it goes to memory
  return text;
}

}  // namespace xdscope::format
