// The only place that turns what went wrong into words and an exit code: one line, `xdscope: WHERE: WHAT`, and at most
// one `hint:` line where the next step is known. Also the only way to stderr: notes, traces and the progress line keep
// out of each other's way here.
#pragma once

#include <cstdint>
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
  kUnknownAuthority,  // the certificate is signed by nobody we trust
  kWrongName,         // the certificate is another server's
  kBadCertificate,    // expired, not yet valid, damaged
  kWantsCertificate,  // the server wants one of ours
  kSilent,            // the stream is open and nothing came in time
  kUnimplemented,     // the server has no such method
  kPermissionDenied,
  kUnauthenticated,
  kLost,         // it was there and went away
  kGarbage,      // what came is no response
  kOutOfTime,    // --max-time
  kInterrupted,  // SIGINT, SIGTERM
  kSettings,     // a file that belongs to the command line is wrong
  kBug,
};

// Returns the cause as far as a status tells it by its code: UNIMPLEMENTED, PERMISSION_DENIED, UNAUTHENTICATED,
// DATA_LOSS (kGarbage). INTERNAL of our own cannot be told apart from a server's and is kOther.
Cause CauseOf(const absl::Status& status);

struct Failure {
  Cause cause = Cause::kOther;
  absl::Status status;                 // its message is the fact
  bool from_server = false;            // the status came over the wire, so its code is worth printing
  bool names_asked = false;            // the requests named resources
  std::string certificate_names = {};  // kWrongName: what the certificate is for, if known
};

// Returns the hint, without "hint: "; empty where there is none.
std::string HintFor(const Failure& failure, const ConnectOptions& options);
// Returns the code with which a run that had this cause ends.
ExitCode ExitCodeOf(Cause cause);

class Report {
 public:
  // `streams` and `options` must outlive it.
  Report(const Streams& streams, const MessageOptions& options, base::Time start)
      : err_(streams.err), options_(options), progress_(err_, !options.quiet && CanRedraw(err_, streams), start) {}

  // Prints the line and the hint (unless -q) and returns the exit code.
  int Fail(const Failure& failure, std::string_view hint = {});
  // Prints "xdscope: TEXT": what is said under -q too (absent names).
  void Say(std::string_view text);
  // Prints a line unless -q.
  void Note(std::string_view text);
  // Prints a line from -v (1) or -vv (2) on. Line breaks of `text` stay: -vv prints whole messages.
  void Trace(int level, std::string_view text);
  bool Traces(int level) const { return options_.verbosity >= level && !options_.quiet; }

  // The line draws itself by its own rules; Clear() it before stdout is written.
  Progress& progress() { return progress_; }

 private:
  void WriteLine(std::string_view line);

  const OutputStream& err_;
  const MessageOptions& options_;
  Progress progress_;
};

// These report what happens where there are no options yet. Each prints one line and returns the exit code.
int ReportUsage(const absl::Status& status, const Streams& streams);
int ReportOutputError(std::string_view what, const Streams& streams);
int ReportBug(std::string_view what, const Streams& streams);

}  // namespace xdscope::cli
