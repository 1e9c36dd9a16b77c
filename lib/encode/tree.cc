#include "lib/encode/tree.h"

#include <algorithm>
#include <cstring>

namespace xdscope::encode {

std::string_view NameOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNull:
      return "null";
    case NodeKind::kBool:
      return "a boolean";
    case NodeKind::kNumber:
      return "a number";
    case NodeKind::kText:
      return "text";
    case NodeKind::kSymbol:
      return "a word";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "a map";
  }
  return "";
}

NodeKind Node::kind() const {
  return tree_->rows_[index_].kind;
}

std::string_view Node::text() const {
  const Tree::Row& row = tree_->rows_[index_];
  return {row.text, row.size};
}

std::size_t Node::offset() const {
  return tree_->rows_[index_].offset;
}

bool Node::empty() const {
  return !Children(*this).Next();
}

Node Node::Find(std::string_view key) const {
  Node found;
  if (!is(NodeKind::kMap)) return found;
  for (Children children(*this); children.Next();) {
    if (children.key() == key) found = children.value();
  }
  return found;
}

// A tree is one array in the order of the text: behind a list or a map stand the rows of what is in it, and `end` says
// where those end, so that to go to the next sibling is one jump and to copy a value is to copy a run of rows. In a map
// a row for the key stands in front of each value. A value whose end is 0 was open when the text broke off: it reaches
// to the end of what was read.
Children::Children(const Node& parent, Hidden hidden)
    : tree_(parent.tree_), show_hidden_(hidden == Hidden::kShow), next_(parent.index_ + 1) {
  const Tree::Row& row = tree_->rows_[parent.index_];
  const bool open = row.end == 0;  // the text broke off inside
  end_ = open ? static_cast<std::uint32_t>(tree_->rows_.size()) : row.end;
}

bool Children::Next() {
  while (next_ < end_) {
    const Tree::Row& row = tree_->rows_[next_];
    const bool has_key = row.kind == Tree::kKey || row.kind == Tree::kHiddenKey;
    key_ = next_;
    value_ = has_key ? next_ + 1 : next_;
    if (value_ >= end_) return false;
    const std::uint32_t end = tree_->rows_[value_].end;
    next_ = end == 0 ? end_ : end;
    if (row.kind != Tree::kHiddenKey || show_hidden_) return true;
  }
  return false;
}

std::string_view Children::key() const {
  const Tree::Row& row = tree_->rows_[key_];
  return key_ == value_ ? std::string_view() : std::string_view(row.text, row.size);
}

std::size_t Children::offset() const {
  return tree_->rows_[key_].offset;
}

void Tree::Clear() {
  rows_.clear();
  open_.clear();
  blocks_.clear();
  room_size_ = 0;
}

void Tree::Push(NodeKind kind, std::string_view text, std::size_t offset) {
  rows_.push_back(
      {text.data(), static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(offset), next() + 1, kind});
}

void Tree::Open(NodeKind kind, std::size_t offset) {
  open_.push_back(next());
  Push(kind, {}, offset);
  rows_.back().end = 0;
}

void Tree::Close() {
  rows_[open_.back()].end = next();
  open_.pop_back();
}

// Keeps the ends of the lists and maps around the row it looks at: one pass, and no recursion that a deep text could
// exhaust.
std::size_t Tree::DepthOf(std::uint32_t row) const {
  std::vector<std::uint32_t> ends;
  std::size_t deepest = 0;
  for (std::uint32_t i = row; i < rows_[row].end; ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    if (rows_[i].kind == NodeKind::kList || rows_[i].kind == NodeKind::kMap) ends.push_back(rows_[i].end);
    deepest = std::max(deepest, ends.size());
  }
  return deepest;
}

std::size_t Tree::BytesOf(std::uint32_t row) const {
  std::size_t bytes = 0;
  for (std::uint32_t i = row; i < rows_[row].end; ++i) bytes += sizeof(Row) + rows_[i].size;
  return bytes;
}

void Tree::Hide(const Children& member) {
  rows_[member.key_].kind = kHiddenKey;
}

// The ends of the copied rows move by as much as the rows do; texts are shared with the original.
void Tree::Repeat(std::uint32_t row, std::size_t offset) {
  const std::uint32_t by = next() - row;
  const std::uint32_t end = rows_[row].end;
  for (std::uint32_t i = row; i < end; ++i) {
    Row copy = rows_[i];
    copy.end += by;
    rows_.push_back(copy);
  }
  rows_[row + by].offset = static_cast<std::uint32_t>(offset);
}

// Puts short texts into shared blocks, since a text with many escapes keeps thousands of them; a long one gets a block
// of its own, so that no block is left half empty for it.
std::string_view Tree::Keep(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{16} << 10;
  if (text.empty()) return {};
  if (text.size() > kBlock / 4) {
    blocks_.push_back(std::make_unique<char[]>(text.size()));
    std::memcpy(blocks_.back().get(), text.data(), text.size());
    return {blocks_.back().get(), text.size()};
  }
  if (room_size_ < text.size()) {
    blocks_.push_back(std::make_unique<char[]>(kBlock));
    room_ = blocks_.back().get();
    room_size_ = kBlock;
  }
  std::memcpy(room_, text.data(), text.size());
  const std::string_view kept(room_, text.size());
  room_ += text.size();
  room_size_ -= text.size();
  return kept;
}

}  // namespace xdscope::encode
