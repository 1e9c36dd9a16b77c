#include "cli/print/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/print/words.h"
#include "lib/finding/path.h"
#include "lib/format/colors.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

constexpr std::size_t kColumns = 100;  // of a value
constexpr std::size_t kAhead = 20;     // bytes that are shown in front of the first difference

std::string Cut(std::string_view value) {
  if (value == format::kHiddenValue) value = value.substr(1, value.size() - 2);  // a word of ours needs no quotes
  return format::Shortened(value, kColumns);
}

// Cuts the beginning off, up to shortly before `place`.
std::string CutTo(std::string_view value, std::size_t place) {
  std::size_t begin = place - std::min(place, kAhead);
  const auto inside_character = [&] { return (static_cast<unsigned char>(value[begin]) & 0xC0) == 0x80; };
  while (begin > 0 && begin < value.size() && inside_character()) --begin;
  return fmt::format("…{}", format::Shortened(value.substr(begin), kColumns - 1));
}

std::string BothValues(std::string_view before, std::string_view after) {
  if (before == after) return fmt::format("{} → {} (changed)", Cut(before), Cut(after));
  std::string left = Cut(before);
  std::string right = Cut(after);
  if (left == right) {
    const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first;
    const auto place = static_cast<std::size_t>(differ - before.begin());
    left = CutTo(before, place);
    right = CutTo(after, place);
  }
  return fmt::format("{} → {}", left, right);
}

std::string_view ColorOf(std::string_view line) {
  switch (line.front()) {
    case '+':
      return format::kAddedColor;
    case '-':
    case '!':
      return format::kRemovedColor;
    case '~':
    case '?':
      return format::kChangedColor;
    default:
      return "";
  }
}

// Calls `visit` for the keys of both maps in their common order, with the values that they have there or nullptr.
template <typename Map, typename Visit>
void Together(const Map& before, const Map& after, const Visit& visit) {
  auto left = before.begin();
  auto right = after.begin();
  const auto less = before.key_comp();
  while (left != before.end() || right != after.end()) {
    const bool is_old = right == after.end() || (left != before.end() && !less(right->first, left->first));
    const bool is_new = left == before.end() || (right != after.end() && !less(left->first, right->first));
    visit(is_old ? left->first : right->first, is_old ? &left->second : nullptr, is_new ? &right->second : nullptr);
    if (is_old) ++left;
    if (is_new) ++right;
  }
}

}  // namespace

std::string ChangeLine(const format::Change& change) {
  std::string where = format::Printable(finding::ToText(change.path));
  if (change.order) where.append(where.empty() ? "order" : " (order)");
  if (!where.empty()) where.append(": ");
  if (!change.before) return fmt::format("+ {}{}", where, Cut(change.after.value_or("")));
  if (!change.after) return fmt::format("- {}{}", where, Cut(*change.before));
  return where + BothValues(*change.before, *change.after);
}

void ChangePrinter::Line(std::string_view mark, std::string_view text) {
  const std::string_view color = style_.color ? ColorOf(mark.front() == ' ' ? text : mark) : "";
  out_.Append(color);
  out_.Append(mark);
  out_.Append(text);
  if (!color.empty()) out_.Append(format::kPlainColor);
  out_.Append('\n');
}

bool ChangePrinter::Resource(const std::string& type_url, const resource::Resource* before,
                             const resource::Resource* after) {
  const std::string word = ResourceWord(type_url, (after != nullptr ? after : before)->name);
  if (before == nullptr || after == nullptr) {
    Line(before == nullptr ? "+ " : "- ", word);
    return true;
  }
  bool changed = false;
  format::Differ differ(types_, options_, [&](const format::Change& change) {
    if (!changed) Line("~ ", word);
    changed = true;
    Line("    ", ChangeLine(change));
  });
  differ.Anys({before->type_url, before->payload}, {after->type_url, after->payload}, type_url);
  return changed;
}

bool ChangePrinter::Type(const std::string& type_url, const Resources& before, const Resources& after) {
  bool changed = false;
  Together(before, after, [&](const std::string&, const resource::Resource* left, const resource::Resource* right) {
    if (Resource(type_url, left, right)) changed = true;
  });
  return changed;
}

bool ChangePrinter::Snapshots(const resource::Snapshot& before, const resource::Snapshot& after) {
  const Resources none;
  bool changed = false;
  Together(before.types(), after.types(),
           [&](const std::string& type_url, const resource::TypeState* left, const resource::TypeState* right) {
             const bool differ =
                 Type(type_url, left != nullptr ? left->resources : none, right != nullptr ? right->resources : none);
             changed = changed || differ;
           });
  return changed;
}

}  // namespace xdscope::cli
