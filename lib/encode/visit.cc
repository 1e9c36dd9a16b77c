#include "lib/encode/visit.h"

#include "lib/encode/struct.h"
#include "lib/wire/message.h"

namespace xdscope::encode {
namespace {

using wire::WellKnown;

class Visitor {
 public:
  Visitor(wire::Types& types, const std::function<bool(const Visited&)>& look,
          const std::function<void(const Visited&, const absl::Status&)>& unopened)
      : types_(types), look_(look), unopened_(unopened) {}

  void Message(const Visited& visited) {
    const wire::Fields fields(visited.message);
    const wire::View message = fields.Of(visited.message);
    const Visited at = {message, visited.above, visited.field, visited.index, visited.key, visited.spelled, &fields};
    if (!look_(at)) return;
    ++depth_;
    switch (at.message.type().well_known()) {
      case WellKnown::kAny:
        if (MayOpen()) Inside(at, wire::Open(at.message, types_), at.spelled);
        break;
      case WellKnown::kTypedStruct:
        if (MayOpen()) Inside(at, FromTypedStruct(at.message, types_), true);
        break;
      default:
        Fields(at);
    }
    --depth_;
  }

 private:
  bool MayOpen() const { return opened_ < wire::kMaxAnyDepth && depth_ < wire::kMaxOpenDepth; }

  void Inside(const Visited& at, const absl::StatusOr<wire::Message>& opened, bool spelled) {
    if (!opened.ok()) {
      if (unopened_) unopened_(at, opened.status());
      return;
    }
    ++opened_;
    Message({.message = opened->view(), .above = &at, .spelled = spelled});
    --opened_;
  }

  void Fields(const Visited& at) {
    for (const wire::Present& present : at.fields->known()) {
      const wire::Field& field = *present.field;
      if (field.kind != wire::FieldKind::kMessage) continue;
      if (!field.repeated) {
        const wire::View message = wire::Single(present).AsMessage();
        Message({message, &at, &field, 0, nullptr, at.spelled});
      } else {
        field.map ? Map(at, present) : List(at, present);
      }
    }
  }

  void List(const Visited& at, const wire::Present& present) {
    std::size_t index = 0;
    for (wire::Elements elements(present); elements.Next(); ++index) {
      const wire::View message = elements.value().AsMessage();
      Message({message, &at, present.field, index, nullptr, at.spelled});
    }
  }

  void Map(const Visited& at, const wire::Present& present) {
    if (present.field->message().Find(2U)->kind != wire::FieldKind::kMessage) return;
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      const wire::View message = entry.value.AsMessage();
      Message({message, &at, present.field, 0, &entry.key, at.spelled});
    }
  }

  wire::Types& types_;
  const std::function<bool(const Visited&)>& look_;
  const std::function<void(const Visited&, const absl::Status&)>& unopened_;
  int depth_ = 0;   // messages around the one that is looked at
  int opened_ = 0;  // of them those in which something was opened
};

// Tells whether the JSON form of a type leaves out the names of its fields.
bool HasNamelessFields(WellKnown type) {
  return type == WellKnown::kStruct || type == WellKnown::kValue || type == WellKnown::kListValue;
}

void AddSteps(const Visited& visited, finding::Path* path) {
  if (visited.above == nullptr) return;
  AddSteps(*visited.above, path);
  const WellKnown above = visited.above->message.type().well_known();
  if (visited.field == nullptr) {
    if (above == WellKnown::kTypedStruct) path->AddField("value");
    path->AddType(visited.message.type().full_name());
    return;
  }
  if (!HasNamelessFields(above)) path->AddField(visited.field->name);
  if (visited.key != nullptr) {
    path->AddKey(wire::KeyText(*visited.key));
  } else if (visited.field->repeated) {
    path->AddIndex(visited.index);
  }
}

}  // namespace

finding::Path PathTo(const Visited& visited) {
  finding::Path path;
  AddSteps(visited, &path);
  return path;
}

void Visit(const wire::View& root, wire::Types& types, const std::function<bool(const Visited&)>& look,
           const std::function<void(const Visited&, const absl::Status&)>& unopened) {
  Visitor(types, look, unopened).Message({.message = root});
}

}  // namespace xdscope::encode
