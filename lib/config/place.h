// A value together with where it stands: what a reader of settings walks with, so that every error can say its line and
// path. For the .cc files of this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/config/document.h"

namespace xdscope::config {

class Place {
 public:
  Place() = default;
  Place(const Value* value, std::string_view file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  // False: nothing stands here. The path is known all the same.
  explicit operator bool() const { return value_ != nullptr; }
  const Value& value() const { return *value_; }
  const std::string& path() const { return path_; }

  // A member by its snake_case or camelCase name; nothing when there is none.
  Place operator[](std::string_view name) const;
  // The first entry of a list; nothing when it is empty.
  Place First() const;
  // All entries of a list.
  std::vector<Place> All() const;
  // The scalar's text; empty when nothing or no scalar stands here.
  std::string Text() const;

  // INVALID_ARGUMENT, "FILE:LINE: path: what". Where nothing stands the line is that of the nearest thing around.
  absl::Status Error(std::string_view what) const;

 private:
  const Value* value_ = nullptr;
  std::string_view file_;
  std::string path_;
  int line_ = 0;  // of the nearest thing around
};

}  // namespace xdscope::config
