#include "lib/config/setting.h"

#include <fmt/format.h>

#include <algorithm>

namespace xdscope::config {

using encode::Node;
using encode::NodeKind;

Setting::Setting(const Document& document, Node node)
    : document_(&document), node_(node), offset_(node.valid() ? node.offset() : 0) {}

Setting::Setting(const Setting& parent, Node node, PathStep step)
    : document_(parent.document_), node_(node), offset_(node.valid() ? node.offset() : parent.offset_) {
  steps_.reserve(parent.steps_.size() + 1);
  steps_ = parent.steps_;
  steps_.push_back(step);
}

finding::Path Setting::path() const {
  finding::Path path;
  for (const PathStep& step : steps_) {
    if (step.to == PathStep::To::kField) path.AddField(step.name);
    if (step.to == PathStep::To::kIndex) path.AddIndex(step.index);
    if (step.to == PathStep::To::kKey) path.AddKey(step.name);
  }
  return path;
}

Setting Setting::operator[](std::string_view name) const {
  return {*this, node_.valid() ? FindMember(node_, name) : Node(), {PathStep::To::kField, name}};
}

Setting Setting::First() const {
  if (node_.valid() && node_.is(NodeKind::kMap)) return *this;
  Node first;
  if (node_.valid() && node_.is(NodeKind::kList)) {
    encode::Children element(node_);
    if (element.Next()) first = element.value();
  }
  return {*this, first, {PathStep::To::kIndex, {}, 0}};
}

std::vector<Setting> Setting::Elements() const {
  std::vector<Setting> all;
  if (node_.valid() && node_.is(NodeKind::kMap)) all.push_back(*this);
  if (!node_.valid() || !node_.is(NodeKind::kList)) return all;
  for (encode::Children element(node_); element.Next();) {
    all.push_back({*this, element.value(), {PathStep::To::kIndex, {}, all.size()}});
  }
  return all;
}

std::vector<std::pair<std::string_view, Setting>> Setting::Members() const {
  std::vector<std::pair<std::string_view, Setting>> all;
  if (!node_.valid() || !node_.is(NodeKind::kMap)) return all;
  for (encode::Children member(node_); member.Next();) {
    all.emplace_back(member.key(), Setting(*this, member.value(), {PathStep::To::kKey, member.key()}));
  }
  return all;
}

Setting Setting::FirstBesides(std::span<const std::string_view> names) const {
  for (const auto& [key, member] : Members()) {
    const auto is_key = [name = key](std::string_view known) { return IsNameOf(name, known); };
    if (member.node_.is(NodeKind::kNull) || std::ranges::any_of(names, is_key)) continue;
    return {*this, member.node_, {PathStep::To::kField, key}};
  }
  return {*this, Node(), {PathStep::To::kField, {}}};
}

std::string_view Setting::Text() const {
  return node_.valid() ? node_.text() : std::string_view();
}

std::string Setting::Where() const {
  return fmt::format("{}:{}: {}", document_->file(), document_->LineOf(offset_), finding::ToText(path()));
}

absl::Status Setting::Error(std::string_view what) const {
  return ErrorAt(document_->file(), document_->LineOf(offset_), finding::ToText(path()), what);
}

}  // namespace xdscope::config
