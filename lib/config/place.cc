#include "lib/config/place.h"

#include <fmt/format.h>

namespace xdscope::config {

Place Place::operator[](std::string_view name) const {
  Place below(value_ == nullptr ? nullptr : value_->Find(name), file_,
              path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
  below.line_ = value_ == nullptr ? line_ : value_->line;
  return below;
}

Place Place::First() const {
  const std::vector<Place> all = All();
  if (!all.empty()) return all.front();
  Place none(nullptr, file_, fmt::format("{}[0]", path_));
  none.line_ = value_ == nullptr ? line_ : value_->line;
  return none;
}

std::vector<Place> Place::All() const {
  std::vector<Place> all;
  if (value_ == nullptr || !value_->is(Value::Kind::kList)) return all;
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    all.emplace_back(&value_->items[i], file_, fmt::format("{}[{}]", path_, i));
  }
  return all;
}

std::string Place::Text() const {
  return value_ == nullptr ? std::string() : value_->text;
}

absl::Status Place::Error(std::string_view what) const {
  return ErrorAt(file_, value_ == nullptr ? line_ : value_->line, path_, what);
}

}  // namespace xdscope::config
