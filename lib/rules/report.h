// Where judges put what they find in one resource: a finding knows its resource and the path to the place, and shows
// the value there without its secrets. Knows no rule.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/encode/visit.h"
#include "lib/finding/finding.h"
#include "lib/finding/sample.h"
#include "lib/format/secrets.h"
#include "lib/wire/type.h"

namespace xdscope::rules {

// A resource that is judged, as its findings name it.
struct Subject {
  std::string_view type_url;  // of the response that it came in, or its own
  std::string_view name;      // empty: it has none
  std::optional<std::size_t> entry = {};
};

// A place in a message that a visit has come to: a field of it, one element or one entry; without a field the message.
struct Place {
  const encode::Visited& message;
  const wire::Field* field = nullptr;
  std::optional<std::size_t> index = {};
  const wire::Value* key = nullptr;
};

class Report {
 public:
  // `types` and `sample` must live longer.
  Report(wire::Types& types, finding::Sample& sample) : types_(types), secrets_(types, false), sample_(sample) {}

  // Says which resource the findings are about from now on. The texts have to live until then.
  void Begin(const Subject& subject) { subject_ = subject; }

  // Makes a finding about a place, for the caller to put into words. The pointer is good until the next call; nullptr
  // where there are enough of that rule.
  finding::Finding* Add(std::string_view rule, const Place& place);

  // Returns a value that stands at a place as compact JSON without its secrets, at most kMostShown bytes of it; empty
  // for messages that have no JSON form of their own: they would not fit into a line.
  std::string Shown(const Place& place, const wire::Value& value);
  static constexpr std::size_t kMostShown = 80;

 private:
  wire::Types& types_;
  format::Secrets secrets_;
  finding::Sample& sample_;
  Subject subject_;
};

}  // namespace xdscope::rules
