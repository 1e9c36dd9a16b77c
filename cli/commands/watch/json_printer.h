// What `watch` sees, as events for machines: one JSON object a line, with the fields that the manual promises.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "cli/commands/watch/printer.h"
#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class JsonPrinter final : public WatchPrinter {
 public:
  // `types` and `out` must live longer.
  JsonPrinter(const format::WalkOptions& options, WallClock wall, wire::Types& types, format::Output& out);

  void Connected(const session::Connected& connected) override;
  void Closed(const session::Closed& closed) override;
  void Unreadable(const session::Unreadable& unreadable) override;
  void Response(const source::Update& update, const client::Judgement& judgement) override;
  void Resource(const client::ResourceEvent& event) override;
  void Told() override {}
  void Repeated(const client::Repetition& repetition) override;

 private:
  // Writes the members that every event begins with; End() must follow.
  void Begin(std::string_view event, std::string_view type_url);
  void End();
  void Member(std::string_view key, std::string_view text);
  void Status(const absl::Status& status);
  void Changes(const client::ResourceEvent& event);

  const format::WalkOptions options_;
  const WallClock wall_;
  wire::Types& types_;
  format::Output& out_;
  std::optional<format::JsonWriter> writer_;  // of the event that is being written
};

}  // namespace xdscope::cli
