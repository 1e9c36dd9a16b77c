#include "cli/commands/repl/line_editor.h"

#include <histedit.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/repl/screen.h"
#include "cli/console/streams.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// The key that Interrupt() stands for: Ctrl-C.
constexpr wchar_t kInterruptKey = L'\003';
constexpr int kMostHistory = 1000;

// libedit draws and reads wide characters by the locale; without one that has them it would take UTF-8 for noise.
void SetLocale() {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::wstring Wide(std::string_view text) {
  std::wstring wide;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t c = 0;
    const std::size_t size = std::mbrtowc(&c, text.data(), text.size(), &state);
    if (size == 0 || size > text.size()) break;
    wide.push_back(c);
    text.remove_prefix(size);
  }
  return wide;
}

// Returns how many columns a text takes.
std::size_t WidthOf(std::string_view text) {
  return PlaceAfter(Wide(text), std::numeric_limits<std::int32_t>::max()).column;
}

std::string Narrow(std::wstring_view text) {
  std::string narrow;
  std::mbstate_t state{};
  std::string bytes(MB_CUR_MAX, '\0');
  for (const wchar_t c : text) {
    const std::size_t size = std::wcrtomb(bytes.data(), c, &state);
    if (size <= bytes.size()) narrow.append(bytes, 0, size);
  }
  return narrow;
}

std::size_t Columns() {
  return static_cast<std::size_t>(SizeOfTerminal(STDOUT_FILENO).columns);
}

std::size_t Rows() {
  return static_cast<std::size_t>(SizeOfTerminal(STDOUT_FILENO).rows);
}

}  // namespace

struct LineEditor::State {
  explicit State(Host the_host);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static State& Of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }
  // What libedit calls.
  static char* GivePrompt(EditLine* editor) { return Of(editor).prompt.data(); }
  static int GiveKey(EditLine* editor, wchar_t* key) { return Of(editor).ReadKey(key); }
  static unsigned char Complete(EditLine* editor, int) { return Of(editor).OnTab(); }
  static unsigned char Drop(EditLine* editor, int) { return Of(editor).OnInterruptKey(); }

  int ReadKey(wchar_t* key);
  unsigned char OnTab();
  unsigned char OnInterruptKey();
  void Replace(std::size_t begin, std::string_view word);
  void List(const std::vector<Candidate>& candidates);
  void BindKeys();
  void TakeTerminal() const;
  std::size_t RowsAbove() const;
  void GoToEnd();
  void Write(std::string_view text) const;
  void Redraw(std::size_t rows_above, std::string_view lines);

  Host host;
  EditLine* editor;
  History* history;
  std::string prompt;
  std::string listed_for = "\n";  // what was typed when candidates were listed last; at first no line
  bool reading = false;           // a line; only then there is something on the screen to draw again
  bool interrupted = false;       // by Interrupt(), and not yet acted on
  bool dropped = false;           // the line that is being read
  std::size_t columns = 80;
};

LineEditor::State::State(Host the_host) : host(std::move(the_host)) {
  SetLocale();
  editor = el_init("xdscope", stdin, stdout, stderr);
  history = history_init();
  HistEvent event;
  ::history(history, &event, H_SETSIZE, kMostHistory);
  ::history(history, &event, H_SETUNIQUE, 1);
  // Where a terminal can insert and delete characters, libedit lets it do so, and counts a wide one as one column.
  for (const char* capability : {"ic", "IC", "im", "ei", "dc", "DC", "dm", "ed"}) {
    el_set(editor, EL_SETTC, capability, "", nullptr);
  }
  el_set(editor, EL_CLIENTDATA, this);
  el_set(editor, EL_PROMPT, &State::GivePrompt);
  el_set(editor, EL_HIST, &::history, history);
  el_set(editor, EL_GETCFN, &State::GiveKey);
  el_set(editor, EL_ADDFN, "xdscope-complete", "Complete the word", &State::Complete);
  el_set(editor, EL_ADDFN, "xdscope-drop", "Drop the line", &State::Drop);
  el_set(editor, EL_EDITOR, "emacs");
  el_source(editor, nullptr);
  BindKeys();  // after `bind -v` in ~/.editrc, which binds all keys anew
  columns = Columns();
}

LineEditor::State::~State() {
  history_end(history);
  el_end(editor);
}

// Each set of keys has its own bindings.
void LineEditor::State::BindKeys() {
  el_set(editor, EL_BIND, "^I", "xdscope-complete", nullptr);
  el_set(editor, EL_BIND, "^C", "xdscope-drop", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // vi's command mode has keys of its own.
  el_set(editor, EL_BIND, "-a", "^C", "xdscope-drop", nullptr);
  el_set(editor, EL_BIND, "-a", "^R", "em-inc-search-prev", nullptr);
}

// Makes the terminal hand over each key as it is typed. Ctrl-C is a key like others then: as a signal it would be
// overtaken by what is typed behind it. So is Ctrl-\, which would end the program with the terminal in this state.
// libedit has no such setting that takes effect.
void LineEditor::State::TakeTerminal() const {
  el_set(editor, EL_PREP_TERM, 1);
  termios settings;
  if (tcgetattr(STDIN_FILENO, &settings) != 0) return;
  settings.c_cc[VINTR] = settings.c_cc[VQUIT] = _POSIX_VDISABLE;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

// Called by libedit for each character; the loop runs while there is none. Returns 1, or 0 at the end of the input.
int LineEditor::State::ReadKey(wchar_t* key) {
  std::mbstate_t decoding{};
  for (;;) {
    host.await_key();
    if (std::exchange(interrupted, false)) {
      *key = kInterruptKey;
      return 1;
    }
    char byte = 0;
    const ssize_t size = read(STDIN_FILENO, &byte, 1);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return 0;
    const std::size_t length = std::mbrtowc(key, &byte, 1, &decoding);
    if (length == static_cast<std::size_t>(-2)) continue;  // more bytes belong to the character
    if (length != static_cast<std::size_t>(-1)) return 1;
    decoding = {};  // no character of this locale; a terminal that sends such a byte gets no answer to it
  }
}

unsigned char LineEditor::State::OnInterruptKey() {
  GoToEnd();
  dropped = true;
  return CC_EOF;
}

unsigned char LineEditor::State::OnTab() {
  const LineInfo* line = el_line(editor);
  const std::string before(line->buffer, line->cursor);
  const Completion found = host.complete(before);
  if (found.candidates.empty()) return CC_REFRESH_BEEP;
  const std::string common = CommonBeginning(found.candidates);
  const bool whole = found.candidates.size() == 1 && found.candidates.front().whole;
  std::string word = host.quote(common) + (whole ? " " : "");
  const bool quoted = word.size() > 1 && (word.front() == '\'' || word.front() == '"');
  if (!whole && quoted) word.pop_back();  // the quote stays open for what is still to be typed
  // A name with hidden characters is shown, escaped, and not put into the line.
  const bool harmless = format::Printable(common) == common;
  if (harmless && !common.empty() && word != before.substr(found.begin)) {
    Replace(found.begin, word);
  } else if ((found.candidates.size() > 1 || !harmless) && std::exchange(listed_for, before) != before) {
    List(found.candidates);
  }
  return CC_REFRESH;
}

// Puts a word in place of everything between a byte of the line and the cursor.
void LineEditor::State::Replace(std::size_t begin, std::string_view word) {
  const LineInfo* line = el_line(editor);
  const std::string_view typed(line->buffer + begin, static_cast<std::size_t>(line->cursor - line->buffer) - begin);
  el_deletestr(editor, static_cast<int>(Wide(typed).size()));
  el_insertstr(editor, std::string(word).c_str());
}

// Lists as many candidates as the screen has room for, above the line.
void LineEditor::State::List(const std::vector<Candidate>& candidates) {
  const std::size_t across = Columns();
  const std::size_t room = std::max<std::size_t>(Rows(), 6) - 4;
  const std::size_t shown = candidates.size() <= room ? candidates.size() : room - 1;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, WidthOf(format::Printable(candidates[i].text)));
  widest = std::min<std::size_t>(widest, across / 2);
  std::string lines;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text = format::Printable(candidates[i].text);
    const std::size_t width = WidthOf(text);
    std::wstring line = Wide(fmt::format("  {}{}  {}", text, std::string(widest > width ? widest - width : 0, ' '),
                                         format::Printable(candidates[i].about)));
    while (!line.empty() && (line.back() == L' ' || PlaceAfter(line, across).row > 0)) line.pop_back();
    lines += fmt::format("{}\n", Narrow(line));
  }
  if (shown < candidates.size()) lines += fmt::format("  … and {} more\n", candidates.size() - shown);
  Redraw(RowsAbove(), lines);
}

// libedit keeps the text before the cursor, in a search with the match and what is searched for behind it.
std::size_t LineEditor::State::RowsAbove() const {
  const LineInfoW* line = el_wline(editor);
  const std::wstring_view typed(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
  return PlaceAfter(Wide(prompt) + std::wstring(typed), columns).row;
}

// Goes from the cursor to the end of all that is typed.
void LineEditor::State::GoToEnd() {
  const LineInfoW* line = el_wline(editor);
  const std::wstring_view typed(line->buffer, static_cast<std::size_t>(line->lastchar - line->buffer));
  const Place end = PlaceAfter(Wide(prompt) + std::wstring(typed), columns);
  const std::size_t rows = end.row - std::min(end.row, RowsAbove());
  Write(fmt::format("\r{}{}", rows == 0 ? std::string() : fmt::format("\x1b[{}B", rows),
                    end.column == 0 ? std::string() : fmt::format("\x1b[{}C", end.column)));
}

void LineEditor::State::Write(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Takes away what stands on the screen from the prompt on, writes the lines there, and lets libedit draw anew below.
void LineEditor::State::Redraw(std::size_t rows_above, std::string_view lines) {
  const std::string up = rows_above == 0 ? std::string() : fmt::format("\x1b[{}A", rows_above);
  Write(fmt::format("\r{}\x1b[J{}", up, lines));
  el_set(editor, EL_REFRESH);
}

LineEditor::LineEditor(Host host) : state_(std::make_unique<State>(std::move(host))) {}
LineEditor::~LineEditor() = default;

LineEditor::End LineEditor::ReadLine(std::string prompt, std::string* line) {
  state_->prompt = std::move(prompt);
  state_->interrupted = state_->dropped = false;
  state_->listed_for = "\n";
  state_->reading = true;
  state_->TakeTerminal();  // before the prompt is drawn, or keys typed at once are shown twice
  int size = 0;
  const char* const read = el_gets(state_->editor, &size);
  state_->reading = false;
  if (state_->dropped) {
    state_->Write("^C\n");
    el_reset(state_->editor);
    return End::kInterrupted;
  }
  if (read == nullptr || size <= 0) return End::kInputOver;
  line->assign(read, static_cast<std::size_t>(size));
  while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) line->pop_back();
  return End::kLine;
}

void LineEditor::Remember(const std::string& line) {
  HistEvent event;
  history(state_->history, &event, H_ENTER, line.c_str());
}

void LineEditor::SetKeys(Keys keys) {
  el_set(state_->editor, EL_EDITOR, keys == Keys::kVi ? "vi" : "emacs");
  state_->BindKeys();
}

void LineEditor::WriteAbove(std::string_view lines, std::string prompt) {
  const std::size_t rows = state_->RowsAbove();
  state_->prompt = std::move(prompt);
  state_->Redraw(rows, lines);
}

// Terminals differ in whether they fold old lines anew. Rows are taken away that belong to the line in both cases, so
// that nothing else ever is.
void LineEditor::OnResize() {
  const std::size_t before = state_->RowsAbove();
  state_->columns = Columns();
  const std::size_t rows = std::min(before, state_->RowsAbove());
  el_resize(state_->editor);
  if (state_->reading) state_->Redraw(rows, {});
}

void LineEditor::Interrupt() {
  state_->interrupted = true;
}

void LineEditor::Suspend() {
  if (state_->reading) el_set(state_->editor, EL_PREP_TERM, 0);
}

void LineEditor::Resume() {
  if (!state_->reading) return;
  state_->TakeTerminal();
  state_->Redraw(0, {});
}

bool LineEditor::is_reading() const {
  return state_->reading;
}

std::size_t LineEditor::columns() const {
  return Columns();
}

std::size_t LineEditor::rows() const {
  return Rows();
}

}  // namespace xdscope::cli
