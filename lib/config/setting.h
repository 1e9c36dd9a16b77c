// A value of a settings document together with where it stands: what readers of settings walk with, so that every error
// can say its line and path. Knows no schema. A setting that is absent can be asked for anything as well, so that
// readers go down a chain of names and look once, at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/status.h"
#include "lib/config/document.h"
#include "lib/finding/path.h"

namespace xdscope::config {

// Refers to its document, which must outlive it and stay where it is.
class Setting {
 public:
  // `node` is a value of the document. Paths begin there.
  Setting(const Document& document, encode::Node node);

  // Returns false when nothing stands here. The path is known all the same.
  explicit operator bool() const { return node_.valid(); }
  // Demands that something stands here.
  encode::Node node() const { return node_; }
  const Document& document() const { return *document_; }
  finding::Path path() const;

  // Returns the member of that snake_case or lowerCamelCase name, which must outlive the setting; an absent setting
  // when there is none.
  Setting operator[](std::string_view name) const;
  // Returns the first element of a list; an absent setting when it is empty. A map where a list can be is a list of
  // one, as protobuf's JSON has it.
  Setting First() const;
  // Returns all elements of a list, or of a map as First() takes it; nothing when this is neither.
  std::vector<Setting> Elements() const;
  // Returns all members of a map with their keys, in their order; nothing when this is no map.
  std::vector<std::pair<std::string_view, Setting>> Members() const;
  // Returns the first member of a map that has none of these names (snake_case, also in their lowerCamelCase form) and
  // is not null; an absent setting when there is none.
  Setting FirstBesides(std::span<const std::string_view> names) const;
  // Returns the scalar's text; an empty one when nothing or no scalar stands here.
  std::string_view Text() const;

  // Returns "FILE:LINE: path".
  std::string Where() const;

  // Makes the error INVALID_ARGUMENT, "FILE:LINE: path: what". Where nothing stands the line is that of the nearest
  // thing around.
  absl::Status Error(std::string_view what) const;

 private:
  // One step of the path. Settings are made by the thousand and few have an error: this copies faster than a
  // finding::Path.
  struct PathStep {
    enum class To : std::uint8_t { kField, kIndex, kKey } to;
    std::string_view name;  // of a field or key
    std::size_t index = 0;
  };

  Setting(const Setting& parent, encode::Node node, PathStep step);

  const Document* document_;
  encode::Node node_;
  std::size_t offset_;  // of the value, or of the nearest thing around
  std::vector<PathStep> steps_;
};

}  // namespace xdscope::config
