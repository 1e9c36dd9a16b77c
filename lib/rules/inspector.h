// Judges resources: visits each message of one, wherever it stands, and runs PGV, the annotations of the API and every
// check on it that looks at messages of its type. The checks know messages; this knows how they are come by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/finding/sample.h"
#include "lib/rules/annotations.h"
#include "lib/rules/anys.h"
#include "lib/rules/check.h"
#include "lib/rules/pgv.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// How much is looked for.
enum class Depth : std::uint8_t {
  kAll,
  kRefusals,  // what clients refuse on the spot: PGV, and an Any that cannot be read
};

// What the schema does not know of one resource, wherever it stands in it. Of numbers and types the first few.
struct Unknown {
  static constexpr std::size_t kMost = 5;

  std::size_t fields = 0;                   // with each occurrence
  std::vector<std::uint32_t> numbers = {};  // of fields, each once
  std::vector<std::string> types = {};      // type URLs of Anys, each once
};

class Inspector {
 public:
  // `types` must live longer.
  explicit Inspector(wire::Types& types, Depth depth = Depth::kAll) : types_(types), depth_(depth), pgv_(types) {}

  // Adds what is wrong with a resource. Takes time in proportion to the resource.
  void Inspect(const Subject& subject, const wire::View& resource, finding::Sample* findings);
  // Returns what is unknown of the resource that was inspected last.
  const Unknown& unknown() const { return unknown_; }

 private:
  const std::vector<const Check*>& ChecksOf(const wire::Type& type);
  bool CanRun(const Check& check);
  void NoteFields(const wire::View& message);
  void NoteType(std::string_view type_url);

  wire::Types& types_;
  Depth depth_;
  Pgv pgv_;
  Annotations annotations_;
  Anys anys_;
  Unknown unknown_;
  absl::flat_hash_map<const wire::Type*, std::vector<const Check*>> checks_;
};

}  // namespace xdscope::rules
