#include "cli/commands/repl/words.h"

#include <algorithm>

namespace xdscope::cli {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Returns true for characters that mean nothing in a line, wherever they stand.
bool IsPlain(char c) {
  return !IsBlank(c) && std::string_view("'\"\\").find(c) == std::string_view::npos;
}

// `#3` is a response of the log.
bool IsNumber(std::string_view word) {
  return word.size() > 1 && word[0] == '#' && word[1] >= '0' && word[1] <= '9';
}

absl::Status Unfinished(std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, what);
}

// Reads one word after the other. Inside single quotes every character stands for itself; inside double quotes a
// backslash counts before '"' and '\' alone, so that JSON and regular expressions can be typed there.
class Splitter {
 public:
  // In an unfinished line a '#' at the end is the beginning of a number.
  Splitter(std::string_view line, bool unfinished) : line_(line), unfinished_(unfinished) {}

  absl::StatusOr<std::vector<Word>> Split() {
    std::vector<Word> words;
    while (SkipBlanks()) {
      Word word{.text = {}, .begin = at_, .end = at_};
      const absl::Status status = ReadWord(&word);
      if (!status.ok()) return status;
      word.end = at_;
      words.push_back(std::move(word));
    }
    return words;
  }

 private:
  // Returns false at the end of the line, or of what counts in it.
  bool SkipBlanks() {
    while (at_ < line_.size() && IsBlank(line_[at_])) ++at_;
    return at_ < line_.size() && !BeginsComment();
  }

  bool BeginsComment() const {
    return line_[at_] == '#' && !IsNumber(line_.substr(at_)) && !(unfinished_ && at_ + 1 == line_.size());
  }

  absl::Status ReadWord(Word* word) {
    std::string* const text = &word->text;
    while (at_ < line_.size() && !IsBlank(line_[at_])) {
      const char c = line_[at_++];
      absl::Status status;
      if (c == '\'' || c == '"') {
        word->quoted = true;
        status = ReadQuoted(c, text);
      } else if (c == '\\') {
        if (at_ == line_.size()) return Unfinished("nothing follows the backslash at the end");
        word->quoted = true;
        text->push_back(line_[at_++]);
      } else {
        text->push_back(c);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadQuoted(char quote, std::string* text) {
    while (at_ < line_.size() && line_[at_] != quote) {
      const bool escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
      if (escapes) ++at_;
      text->push_back(line_[at_++]);
    }
    if (at_ == line_.size()) return Unfinished(quote == '"' ? "a \" is not closed" : "a ' is not closed");
    ++at_;
    return absl::OkStatus();
  }

  std::string_view line_;
  bool unfinished_;
  std::size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Word>> SplitLine(std::string_view line) {
  return Splitter(line, false).Split();
}

std::vector<Word> SplitUnfinished(std::string_view line) {
  for (const std::string_view end : {"", "'", "\"", " "}) {
    absl::StatusOr<std::vector<Word>> words = Splitter(std::string(line).append(end), true).Split();
    if (!words.ok()) continue;
    if (!words->empty()) words->back().end = std::min(words->back().end, line.size());
    return *std::move(words);
  }
  return {};
}

std::string Quoted(std::string_view word) {
  const bool begins_comment = word.starts_with('#') && !IsNumber(word);
  if (!word.empty() && !begins_comment && std::all_of(word.begin(), word.end(), IsPlain)) return std::string(word);
  if (word.find('\'') == std::string_view::npos) return "'" + std::string(word) + "'";
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

}  // namespace xdscope::cli
