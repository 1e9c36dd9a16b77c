// A line that a person types at a terminal, by libedit: keys of Emacs and vi, history, search, completion. Other text
// can be written above it while it is typed. Knows keys and a screen; does not know what a line means.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands/repl/completion.h"

namespace xdscope::cli {

class LineEditor {
 public:
  struct Host {
    // Returns when a key can be read from the standard input, or at once after Interrupt(); everything else that the
    // program does happens inside.
    std::function<void()> await_key;
    // Returns what the word before the cursor may become.
    std::function<Completion(std::string_view line)> complete;
    // Returns how a candidate is written in a line.
    std::function<std::string(std::string_view word)> quote;
  };
  enum class Keys : std::uint8_t { kEmacs, kVi };
  enum class End : std::uint8_t { kLine, kInterrupted, kInputOver };

  // Edits on the terminal that stdin and stdout are. Reads ~/.editrc. One at a time in a process, whose locale for
  // characters it sets.
  explicit LineEditor(Host host);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Takes one line from the keyboard, without its end. kInterrupted: Ctrl-C was typed, or Interrupt() called; what was
  // typed is dropped.
  End ReadLine(std::string prompt, std::string* line);
  // Makes a line one that Up and Ctrl-R find.
  void Remember(const std::string& line);
  void SetKeys(Keys keys);

  // Writes whole lines above the line that is being typed and draws that again, under another prompt. Demands
  // is_reading().
  void WriteAbove(std::string_view lines, std::string prompt);
  // The terminal has another size: draws the line again.
  void OnResize();
  // Ends ReadLine().
  void Interrupt();
  // Gives the terminal back as it was, and takes it again, before and after the program is stopped for a while.
  void Suspend();
  void Resume();
  bool is_reading() const;
  // Columns and rows of the terminal.
  std::size_t columns() const;
  std::size_t rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xdscope::cli
