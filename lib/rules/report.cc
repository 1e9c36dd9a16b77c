#include "lib/rules/report.h"

#include "lib/format/difference.h"
#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using format::WalkState;

// Follows the way to a message from the top, as a walk would have gone it.
class Way {
 public:
  Way(format::Secrets& secrets, std::string_view type_url) : secrets_(secrets), type_url_(type_url) {}

  // Returns the state outside of the message.
  WalkState Outside(const Visited& at) {
    if (at.above == nullptr) return secrets_.InResponse(type_url_);
    if (at.field == nullptr) return secrets_.InsideAny(at.message, Inside(*at.above));
    return Below(*at.above, *at.field, at.key);
  }
  WalkState Inside(const Visited& at) { return secrets_.Inside(at.message, Outside(at)); }
  WalkState Below(const Visited& at, const wire::Field& field, const wire::Value* key) {
    const WalkState below = secrets_.Below(at.message, field, Inside(at));
    return key == nullptr ? below : secrets_.BelowKey(field, wire::KeyText(*key), below);
  }

 private:
  format::Secrets& secrets_;
  std::string_view type_url_;
};

// Cuts a long value between two characters; what is left out is said by "…".
std::string Cut(std::string text) {
  if (text.size() <= Report::kMostShown) return text;
  std::size_t end = Report::kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

bool HasHiddenKey(const Place& place) {
  const auto hides = [](const wire::Field* map) {
    return map != nullptr && map->sensitive == wire::Sensitive::kKeysToo;
  };
  bool hidden = place.key != nullptr && hides(place.field);
  for (const Visited* at = &place.message; at != nullptr; at = at->above) {
    hidden = hidden || (at->key != nullptr && hides(at->field));
  }
  return hidden;
}

bool IsShown(const wire::Value& value) {
  if (value.field->kind != wire::FieldKind::kMessage) return true;
  const wire::WellKnown type = value.field->message().well_known();
  return type == wire::WellKnown::kDuration || type == wire::WellKnown::kTimestamp || type == wire::WellKnown::kWrapper;
}

}  // namespace

finding::Finding* Report::Add(std::string_view rule, const Place& place) {
  finding::Finding* const finding = sample_.Add(rule);
  if (finding == nullptr) return nullptr;
  finding->type_url = subject_.type_url;
  finding->resource = subject_.name;
  finding->entry = subject_.entry;
  finding->path = encode::PathTo(place.message);
  if (place.field != nullptr) finding->path.AddField(place.field->name);
  if (place.index) finding->path.AddIndex(*place.index);
  if (place.key != nullptr) finding->path.AddKey(wire::KeyText(*place.key));
  Way way(secrets_, subject_.type_url);
  if (HasHiddenKey(place) && way.Outside(place.message).hidden) finding->path.HideKeys(format::kRedacted);
  return finding;
}

std::string Report::Shown(const Place& place, const wire::Value& value) {
  if (!IsShown(value)) return {};
  Way way(secrets_, subject_.type_url);
  const WalkState state = way.Below(place.message, *place.field, place.key);
  if (state.hidden) return std::string(format::kHiddenValue);
  std::string text;
  format::Output out([&text](std::string_view chunk) {
    text.append(chunk);
    return absl::OkStatus();
  });
  format::JsonWriter writer(out, format::JsonWriter::Layout::kCompact);
  format::Walker(types_, {}, writer).Value(value, state);
  static_cast<void>(out.Flush());  // a string takes everything
  return Cut(std::move(text));
}

}  // namespace xdscope::rules
