// The only place that turns what went wrong into words and an exit code: one line, `xdscope: WHERE: WHAT`, and at most
// one `hint:` line where the next step is known. Also the only way to stderr: notes, traces and the progress line keep
// out of each other's way here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "cli/console/streams.h"
#include "cli/console/terminal.h"
#include "cli/flags/options.h"
#include "lib/base/clock.h"
#include "lib/base/status.h"

namespace xdscope::cli {

enum class ExitCode : std::uint8_t {
  kDone = 0,
  kNo = 1,      // done, and the answer is no
  kUsage = 2,   // the command line or a settings file is wrong
  kSource = 3,  // the source could not be reached, was lost or was not understood
  kTime = 4,    // --max-time
  kBug = 70,
  kInterrupted = 130,
};
constexpr int ToInt(ExitCode code) {
  return static_cast<int>(code);
}

// Why a run could not go on, by what is known and not by what some text says.
enum class Cause : std::uint8_t {
  kOther,             // by the status alone
  kRefused,           // nobody listens there
  kUnresolved,        // the host's name is not known
  kPlaintextAtTls,    // we spoke plaintext to a TLS port
  kTlsAtPlaintext,    // the reverse
  kNotGrpc,           // something else answers there
  kGrpcAtRest,        // we spoke HTTP/1.1 to a server of HTTP/2
  kUnknownAuthority,  // the certificate is signed by nobody we trust
  kWrongName,         // the certificate is another server's
  kBadCertificate,    // expired, not yet valid, damaged
  kWantsCertificate,  // the server wants one of ours
  kSilent,            // the stream is open and nothing came in time
  kUnimplemented,     // the server has no such method
  kPermissionDenied,
  kUnauthenticated,
  kHttpStatus,   // REST: an answer that is none
  kLate,         // REST: no answer within --request-timeout
  kLost,         // it was there and went away
  kTooLarge,     // a message was over --max-message
  kGarbage,      // what came is no response
  kOutOfTime,    // --max-time
  kInterrupted,  // SIGINT, SIGTERM
  kSettings,     // a file that belongs to the command line is wrong
  kBug,
};

// Returns the cause as far as a status tells it by its code: UNIMPLEMENTED (or UNKNOWN, "not implemented"),
// PERMISSION_DENIED, UNAUTHENTICATED, DATA_LOSS (kGarbage), OUT_OF_RANGE (kTooLarge). INTERNAL of our own cannot be
// told apart from a server's and is kOther.
Cause CauseOf(const absl::Status& status);

struct Diagnosis {
  Cause cause = Cause::kOther;
  absl::Status status;                  // its message is the fact
  bool from_server = false;             // the status came over the wire, so its code is worth printing
  bool names_asked = false;             // the requests named resources
  std::string type_without_names = {};  // kSilent: a TYPE of which everything was asked and of which servers want names
  std::string unknown_type = {};        // kSilent: a type that was asked for and that the schema does not know …
  std::string nearest_type = {};        // … and what may have been meant; empty: nothing is near
  std::string where = {};               // the server that it is about; empty: that of the run
  std::string certificate_names = {};   // kWrongName: what the certificate is for, if known
};

// Returns the failure of a run that --max-time ends.
Diagnosis OutOfTime();

// Returns the fact as one line for people, with the code that a server gave it.
std::string FactOf(const Diagnosis& failure);
// Returns the hint, without "hint: "; empty where there is none.
std::string HintFor(const Diagnosis& failure, const ConnectOptions& options);
// Returns the code with which a run that had this cause ends.
ExitCode ExitCodeOf(Cause cause);

class Report {
 public:
  // `streams` and `options` must outlive it.
  Report(const Streams& streams, const MessageOptions& options, base::Time start)
      : err_(streams.err), options_(options), progress_(err_, !options.quiet && CanRedraw(err_, streams), start) {}

  // Prints the line and the hint (unless -q) and returns the exit code.
  int Fail(const Diagnosis& failure, std::string_view hint = {});
  // Returns the line that Fail() prints.
  std::string FailureLine(const Diagnosis& failure) const;
  // Prints "xdscope: TEXT": what is said under -q too (absent names).
  void Say(std::string_view text);
  // Prints a line unless -q.
  void Note(std::string_view text);
  // Prints a line from -v (1) or -vv (2) on: one line whatever is in it, cut where it is longer than 200 characters.
  void Trace(int level, std::string_view text);
  // Prints a whole message under -vv, with its line breaks.
  void TraceText(std::string_view text);
  // Prints a line as Note() does, but of each kind only the first ten, because a peer may give cause for a million.
  void NoteSome(std::string_view kind, std::string_view text);
  // Counts lines of a kind that are not even put into words.
  void LeaveOut(std::string_view kind, std::size_t count) { some_[std::string(kind)].left_out += count; }
  // Says how many lines of each kind were left out since the last call.
  void SayLeftOut();
  bool Traces(int level) const { return options_.verbosity >= level && !options_.quiet; }

  // The line draws itself by its own rules; Clear() it before stdout is written.
  Progress& progress() { return progress_; }

 private:
  // The lines of one kind.
  struct Some {
    std::size_t said = 0;
    std::size_t left_out = 0;
  };

  void WriteLine(std::string_view line);

  const OutputStream& err_;
  const MessageOptions& options_;
  Progress progress_;
  std::map<std::string, Some, std::less<>> some_;
};

// The most that is said of what repeats: lines of one kind, names in one line.
inline constexpr std::size_t kMostSaid = 10;

// These report what happens where there are no options yet. Those that end the run print one line and return the exit
// code.
// Prints "note: TEXT" for each, ten at most and how many more there are.
void ReportNotes(std::span<const std::string> notes, const Streams& streams);
int ReportUsage(const absl::Status& status, const Streams& streams);
int ReportOutputError(std::string_view what, const Streams& streams);
int ReportBug(std::string_view what, const Streams& streams);

}  // namespace xdscope::cli
