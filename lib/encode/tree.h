// A text in JSON's data model, as somebody wrote it: values with their places, keys in their order, repeated ones too.
// Knows no format and no schema. Small: 24 bytes a value, its text stays in the source where it stands there as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace xdscope::encode {

enum class NodeKind : std::uint8_t {
  kNull,
  kBool,    // text() is "true" or "false"
  kNumber,  // text() as it was written
  kText,
  kSymbol,  // a word without quotes, in text proto: "true", "ROUND_ROBIN", "-inf"
  kList,
  kMap,
};

// Names a kind for messages: "text", "a map".
std::string_view NameOf(NodeKind kind);

class Tree;

// A value in a Tree, which must outlive it.
class Node {
 public:
  Node() = default;  // invalid: valid() alone may be asked
  Node(const Tree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  NodeKind kind() const;
  bool is(NodeKind kind_wanted) const { return kind() == kind_wanted; }
  // Returns the text of a scalar; it is empty for lists and maps.
  std::string_view text() const;
  // Returns where the value begins in the source, in bytes.
  std::size_t offset() const;
  // Returns true for a map or a list in which nothing stands.
  bool empty() const;
  // Finds the value of a map's last member `key`; an invalid node when there is none.
  Node Find(std::string_view key) const;

  bool valid() const { return tree_ != nullptr; }
  friend bool operator==(const Node&, const Node&) = default;

 private:
  friend class Tree;
  friend class Children;

  const Tree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

// Tells whether Children shows the members that Tree::Hide() and Tree::HiddenKey() took out of sight.
enum class Hidden : std::uint8_t { kSkip, kShow };

// The members of a map or elements of a list, in order. Nothing in a scalar.
//
//   for (Children children(node); children.Next();) use(children.key(), children.value());
class Children {
 public:
  explicit Children(const Node& parent, Hidden hidden = Hidden::kSkip);
  bool Next();
  // Returns the key of a map's member; it is empty for elements.
  std::string_view key() const;
  // Returns where the key begins, of an element where the value does.
  std::size_t offset() const;
  Node value() const { return Node(*tree_, value_); }

 private:
  friend class Tree;

  const Tree* tree_;
  bool show_hidden_;
  std::uint32_t next_;
  std::uint32_t end_;
  std::uint32_t key_ = 0;
  std::uint32_t value_ = 0;
};

// Values are added in the order of the text: Open, the values in it (in a map each behind its Key), Close. The source
// must outlive the tree and be shorter than 4 GiB.
class Tree {
 public:
  Tree() = default;
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;

  // Returns the first value; an invalid node when there is none.
  Node root() const { return rows_.empty() ? Node() : Node(*this, 0); }
  std::size_t size() const { return rows_.size(); }
  // Forgets all values (and what Keep() kept), keeps its memory.
  void Clear();

  // Adds a scalar. Demands that `text` stands in the source or came from Keep().
  void Scalar(NodeKind kind, std::string_view text, std::size_t offset) { Push(kind, text, offset); }
  void Open(NodeKind kind, std::size_t offset);
  void Close();
  void Key(std::string_view text, std::size_t offset) { Push(kKey, text, offset); }
  // Adds a key that is there for its anchors alone: nobody sees the member.
  void HiddenKey(std::string_view text, std::size_t offset) { Push(kHiddenKey, text, offset); }
  // Counts the lists and maps that are open.
  std::size_t depth() const { return open_.size(); }

  // Returns the row that the next value or key gets: the name of that value for Repeat().
  std::uint32_t next() const { return static_cast<std::uint32_t>(rows_.size()); }
  // Returns true when the value `row` has been closed.
  bool IsComplete(std::uint32_t row) const { return rows_[row].end != 0; }
  // Counts the bytes that a complete value takes: its rows and their texts.
  std::size_t BytesOf(std::uint32_t row) const;
  // Counts the lists and maps that a complete value has in one another; 0 for a scalar.
  std::size_t DepthOf(std::uint32_t row) const;
  Node NodeAt(std::uint32_t row) const { return Node(*this, row); }
  // Makes a member of a map unseen.
  void Hide(const Children& member);
  // Adds a complete value once more, at another place.
  void Repeat(std::uint32_t row, std::size_t offset);

  // Makes a copy of `text` that lives as long as the tree.
  std::string_view Keep(std::string_view text);

 private:
  friend class Node;
  friend class Children;
  static constexpr auto kKey = static_cast<NodeKind>(32);
  static constexpr auto kHiddenKey = static_cast<NodeKind>(33);

  struct Row {
    const char* text;
    std::uint32_t size;
    std::uint32_t offset;
    std::uint32_t end;  // the row behind its last one; 0 while it is open
    NodeKind kind;
  };

  void Push(NodeKind kind, std::string_view text, std::size_t offset);

  std::vector<Row> rows_;
  std::vector<std::uint32_t> open_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* room_ = nullptr;
  std::size_t room_size_ = 0;
};

}  // namespace xdscope::encode
