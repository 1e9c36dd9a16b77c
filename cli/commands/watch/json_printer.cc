#include "cli/commands/watch/json_printer.h"

#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/print/words.h"
#include "lib/base/status.h"
#include "lib/format/difference.h"
#include "lib/format/text.h"
#include "lib/transport/http_status.h"

namespace xdscope::cli {
namespace {

using client::ResourceEvent;
using std::chrono::system_clock;

std::string Rfc3339(system_clock::time_point time) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()) % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(time)), millis.count());
}

}  // namespace

JsonPrinter::JsonPrinter(const format::WalkOptions& options, WallClock wall, wire::Types& types, format::Output& out)
    : options_(options), wall_(std::move(wall)), types_(types), out_(out) {}

void JsonPrinter::Begin(std::string_view event, std::string_view type_url) {
  writer_.emplace(out_, format::JsonWriter::Layout::kCompact);
  writer_->BeginObject();
  Member("time", Rfc3339(wall_()));
  Member("event", event);
  if (!type_url.empty()) Member("type_url", type_url);
}

void JsonPrinter::End() {
  writer_->EndObject();
  out_.Append('\n');
}

void JsonPrinter::Member(std::string_view key, std::string_view text) {
  std::string space;
  writer_->NameKey(key);
  writer_->Text(format::Repaired(text, space));
}

void JsonPrinter::Status(const absl::Status& status) {
  const std::optional<int> http = transport::HttpStatusOf(status);
  Member("status", http ? fmt::format("HTTP {}", *http) : absl::StatusCodeToString(status.code()));
  Member("message", base::Message(status));
}

void JsonPrinter::Connected(const session::Connected& connected) {
  Begin("connected", connected.stream);
  End();
}

void JsonPrinter::Closed(const session::Closed& closed) {
  Begin(closed.of_call ? "error" : "disconnected", closed.stream);
  Status(closed.status);
  End();
}

void JsonPrinter::Unreadable(const session::Unreadable& unreadable) {
  Begin("error", unreadable.stream);
  Status(unreadable.status);
  End();
}

void JsonPrinter::Response(const source::Update& update, const client::Judgement& judgement) {
  if (!judgement.verdict) return;
  const bool is_ack = judgement.verdict->kind == protocol::Verdict::Kind::kAck;
  Begin(is_ack ? "ack" : "nack", update.type_url);
  Member("version", update.version);
  Member("nonce", update.nonce);
  if (!is_ack) Member("message", judgement.verdict->message);
  End();
}

void JsonPrinter::Resource(const ResourceEvent& event) {
  Begin(kEventWords[static_cast<std::size_t>(event.kind)], event.type_url);
  Member("name", event.name);
  Member("version", event.version);
  if (!event.words.empty()) Member("message", event.words);
  if (event.kind == ResourceEvent::Kind::kChanged) Changes(event);
  if (event.after != nullptr) {
    writer_->NameKey("resource");
    format::Walker walker(types_, options_, *writer_);
    walker.Any(event.after->type_url, event.after->payload, event.type_url);
  }
  End();
}

void JsonPrinter::Changes(const ResourceEvent& event) {
  writer_->NameKey("changes");
  writer_->BeginList();
  format::Differ differ(types_, options_, [this](const format::Change& change) {
    writer_->BeginObject();
    Member("path", finding::ToText(change.path));
    if (change.before) {
      writer_->NameKey("old");
      writer_->Json(*change.before);
    }
    if (change.after) {
      writer_->NameKey("new");
      writer_->Json(*change.after);
    }
    writer_->EndObject();
  });
  differ.Anys({event.before->type_url, event.before->payload}, {event.after->type_url, event.after->payload},
              event.type_url);
  writer_->EndList();
}

void JsonPrinter::Repeated(const client::Repetition& repetition) {
  Begin("refused", repetition.type_url);
  Member("version", repetition.version);
  Member("message", fmt::format("the server sends again what was refused: {}", CountWords(repetition.count, "time")));
  End();
}

}  // namespace xdscope::cli
