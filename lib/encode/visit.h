// A visit to every message of a resource, wherever it stands: in fields, lists and maps, inside an Any, inside a
// TypedStruct (whose Struct is read as the message that it spells), inside a plain Struct as that Struct's own
// messages. Whoever looks for something in resources, references or broken rules, looks at one message at a time and
// asks for the path only when there is something to say. Changes nothing and prints nothing.
//
// It stands here and not in lib/wire because to open a TypedStruct takes the JSON mapping.
#pragma once

#include <cstddef>
#include <functional>

#include "lib/base/status.h"
#include "lib/finding/path.h"
#include "lib/wire/view.h"

namespace xdscope::encode {

// A message that a visit has come to, and the way to it: a chain that leads up to the message where the visit began. It
// lives while the message is looked at.
struct Visited {
  const wire::View& message;       // while it is looked at, it finds its fields in `fields`
  const Visited* above = nullptr;  // nullptr: here the visit began
  const wire::Field* field =
      nullptr;                       // of the message above; nullptr: that is an Any or a TypedStruct, which holds this
  std::size_t index = 0;             // in a list
  const wire::Value* key = nullptr;  // in a map; else nullptr
  bool spelled = false;              // it comes from a Struct: its bytes are made, and stand nowhere in the resource
  const wire::Fields* fields = nullptr;  // of the message; never nullptr while it is looked at
};

// Returns the path as the resource's JSON form has it: what an Any holds stands in the Any's place, and its type is a
// step; what a TypedStruct spells stands below its `value`, and the members of a Struct are keys.
finding::Path PathTo(const Visited& visited);

// Calls `look` for `root` and each message below it: first the message, then those in its fields, by ascending number,
// lists in their order, maps by key. Where `look` returns false, what is below the message is left out. Below an Any or
// a TypedStruct that does not open there is nothing, nor below one that stands deeper than wire::kMaxAnyDepth or
// wire::kMaxOpenDepth, so the stack has an end. Calls `unopened` for an Any or a TypedStruct that does not open, with
// the reason: see wire::Open() and FromTypedStruct().
void Visit(const wire::View& root, wire::Types& types, const std::function<bool(const Visited&)>& look,
           const std::function<void(const Visited&, const absl::Status&)>& unopened = nullptr);

}  // namespace xdscope::encode
