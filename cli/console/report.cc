#include "cli/console/report.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/strings/ascii.h"

#include "cli/args/type_argument.h"
#include "lib/base/fields.h"
#include "lib/format/printable.h"
#include "lib/transport/http_status.h"

namespace xdscope::cli {
namespace {

std::string TlsHint(const Diagnosis&, const ConnectOptions& options) {
  if (options.variant == types::Variant::kRest) return "the server speaks TLS: give https:// in place of http://";
  return "the server speaks TLS: give --tls, or --cacert FILE, or --insecure";
}

std::string PlaintextHint(const Diagnosis&, const ConnectOptions& options) {
  if (options.variant == types::Variant::kRest)
    return "the server does not speak TLS: give http:// in place of https://";
  return "the server does not speak TLS: give --plaintext";
}

std::string GrpcHint(const Diagnosis&, const ConnectOptions&) {
  return "a TARGET without http:// asks over gRPC: give HOST:PORT";
}

std::string AuthorityHint(const Diagnosis&, const ConnectOptions&) {
  return "give --cacert FILE with the authority that signed its certificate, or --insecure";
}

std::string NameHint(const Diagnosis& failure, const ConnectOptions&) {
  const std::string names = failure.certificate_names;
  return names.empty() ? "give --authority with the name in its certificate, or --insecure"
                       : fmt::format("its certificate is for {}: give that as --authority, or --insecure", names);
}

std::string BadCertificateHint(const Diagnosis&, const ConnectOptions&) {
  return "--insecure takes any certificate";
}

std::string OwnCertificateHint(const Diagnosis&, const ConnectOptions& options) {
  if (options.channel.tls && !options.channel.tls->cert_pem.empty()) {
    return "a certificate was shown: is it of an authority that the server trusts, and not expired?";
  }
  return "the server wants a certificate of ours: give --cert FILE --key FILE";
}

std::string HostHint(const Diagnosis&, const ConnectOptions& options) {
  if (options.where.find(".svc") == std::string::npos) return {};
  return "a name inside a Kubernetes cluster: run kubectl port-forward and connect to localhost";
}

// Whether the node says nothing but its id: then the id is what a server may not know it by.
bool IsBare(std::string_view node) {
  constexpr std::array<std::uint32_t, 3> kTelling = {2, 3, 4};  // cluster, metadata, locality
  return std::ranges::none_of(kTelling,
                              [&](std::uint32_t number) { return base::FindBytes(node, number).has_value(); });
}

// A server that says nothing has no answer for this type, this node, these names or this method. It does not say which,
// so the hint names what is most often the reason: a type that does not exist, an id that nobody set, names that do not
// exist or do not cover the snapshot, another variant.
std::string SilenceHint(const Diagnosis& failure, const ConnectOptions& options) {
  if (!failure.nearest_type.empty()) {
    return fmt::format("the schema has no type {}: did you mean {}?", failure.unknown_type, failure.nearest_type);
  }
  if (!failure.unknown_type.empty()) {
    return fmt::format("the schema has no type {}: is it spelled as the server spells it?", failure.unknown_type);
  }
  if (options.node_id_is_default && IsBare(options.node) && !failure.names_asked) {
    return fmt::format(
        "the server may not know the node \"{}\", which is the default: give --node-id, --node or --bootstrap",
        options.node_id);
  }
  if (failure.names_asked) {
    return "a server may say nothing of names that do not exist, or wait until all names of its snapshot are asked "
           "for: "
           "try without names";
  }
  if (!failure.type_without_names.empty()) {
    return fmt::format("the server may want names: {}:NAME, or no TYPE at all", failure.type_without_names);
  }
  return fmt::format(
      "the server may not know the node \"{}\", or serve it in another variant than {}: try --node-id, --variant",
      options.node_id, VariantName(options.variant));
}

std::string AccessHint(const Diagnosis&, const ConnectOptions& options) {
  if (!options.channel.headers.empty()) return {};
  return "if the server wants a token: -H 'authorization: Bearer ${TOKEN}'; a certificate: --cert, --key";
}

// The next step after an HTTP status that is no answer, as far as one is known.
std::string HttpHint(const Diagnosis& failure, const ConnectOptions& options) {
  const int status = transport::HttpStatusOf(failure.status).value_or(0);
  if (status / 100 == 3) return "redirects are not followed: give the server's own URL, without the path, as TARGET";
  if (status == 404 || status == 405) {
    return "the paths of REST are /v3/discovery:clusters and the like: the TARGET may need a prefix, or another port";
  }
  constexpr std::uint32_t kNodeCluster = 2;
  const bool no_cluster = base::FindBytes(options.node, kNodeCluster).value_or(std::string_view()).empty();
  if ((status == 400 || status == 422) && no_cluster) {
    return "the node has no cluster, which some servers demand: give --node-cluster NAME";
  }
  return status == 401 || status == 403 ? AccessHint(failure, options) : std::string();
}

std::string LateHint(const Diagnosis&, const ConnectOptions&) {
  return "--request-timeout DURATION waits longer; 0 sets no limit";
}

// What is left where a server does not have the method of a variant. Many servers say whether they know the service.
struct LeftRow {
  types::Variant variant;
  std::string_view no_service;  // the service is not known there
  std::string_view no_method;   // the service is there, without the method
  std::string_view neither;     // it does not say which
};
constexpr std::array kLeft = {
    LeftRow{types::Variant::kAds, "the server has no aggregated stream: try --variant sotw or delta",
            "the server may have the aggregated stream in delta only: try --variant delta-ads",
            "the server may have a stream for each type only: try --variant sotw or delta; or --variant delta-ads"},
    LeftRow{types::Variant::kDeltaAds, "the server has no aggregated stream: try --variant delta or sotw",
            "the server may have no delta: try --variant ads",
            "the server may have no delta: try --variant ads; or a stream for each type only: sotw"},
    LeftRow{types::Variant::kSotw, "the server may have the aggregated stream only: try --variant ads or delta-ads",
            "the server may have delta only: try --variant delta",
            "the server may have the aggregated stream only: try --variant ads or delta-ads; or --variant delta"},
    LeftRow{types::Variant::kDelta, "the server may have the aggregated stream only: try --variant delta-ads or ads",
            "the server may have no delta: try --variant sotw",
            "the server may have no delta, or the aggregated stream only: try --variant ads, delta-ads or sotw"},
    LeftRow{types::Variant::kUnary, "the server may have the aggregated stream only: try --variant ads or delta-ads",
            "the server may have streams only: try --variant sotw",
            "the server may have the aggregated stream only: try --variant ads or delta-ads"},
};

std::string UnimplementedHint(const Diagnosis& failure, const ConnectOptions& options) {
  if (options.api == types::Api::kV2) return "most servers left v2: try --api v3";
  const auto* const left = std::ranges::find(kLeft, options.variant, &LeftRow::variant);
  if (left == kLeft.end()) return {};
  const std::string words = absl::AsciiStrToLower(base::ToAbsl(base::Message(failure.status)));
  if (words.find("unknown service") != std::string::npos) return std::string(left->no_service);
  const bool no_method =
      words.find("unknown method") != std::string::npos || words.find("not implemented") != std::string::npos;
  return std::string(no_method ? left->no_method : left->neither);
}

std::string SizeHint(const Diagnosis&, const ConnectOptions&) {
  return "--max-message SIZE takes larger messages";
}

struct CauseRow {
  Cause cause;
  ExitCode exit;
  std::string (*hint)(const Diagnosis&, const ConnectOptions&);  // nullptr: no next step is known
};

constexpr std::array kCauses = {
    CauseRow{Cause::kOther, ExitCode::kSource, nullptr},
    CauseRow{Cause::kRefused, ExitCode::kSource, nullptr},
    CauseRow{Cause::kUnresolved, ExitCode::kSource, HostHint},
    CauseRow{Cause::kPlaintextAtTls, ExitCode::kSource, TlsHint},
    CauseRow{Cause::kTlsAtPlaintext, ExitCode::kSource, PlaintextHint},
    CauseRow{Cause::kNotGrpc, ExitCode::kSource, nullptr},
    CauseRow{Cause::kGrpcAtRest, ExitCode::kSource, GrpcHint},
    CauseRow{Cause::kUnknownAuthority, ExitCode::kSource, AuthorityHint},
    CauseRow{Cause::kWrongName, ExitCode::kSource, NameHint},
    CauseRow{Cause::kBadCertificate, ExitCode::kSource, BadCertificateHint},
    CauseRow{Cause::kWantsCertificate, ExitCode::kSource, OwnCertificateHint},
    CauseRow{Cause::kSilent, ExitCode::kSource, SilenceHint},
    CauseRow{Cause::kUnimplemented, ExitCode::kSource, UnimplementedHint},
    CauseRow{Cause::kPermissionDenied, ExitCode::kSource, AccessHint},
    CauseRow{Cause::kUnauthenticated, ExitCode::kSource, AccessHint},
    CauseRow{Cause::kHttpStatus, ExitCode::kSource, HttpHint},
    CauseRow{Cause::kLate, ExitCode::kSource, LateHint},
    CauseRow{Cause::kLost, ExitCode::kSource, nullptr},
    CauseRow{Cause::kTooLarge, ExitCode::kSource, SizeHint},
    CauseRow{Cause::kGarbage, ExitCode::kSource, nullptr},
    CauseRow{Cause::kOutOfTime, ExitCode::kTime, nullptr},
    CauseRow{Cause::kInterrupted, ExitCode::kInterrupted, nullptr},
    CauseRow{Cause::kSettings, ExitCode::kUsage, nullptr},
    CauseRow{Cause::kBug, ExitCode::kBug, nullptr},
};

const CauseRow& RowOf(Cause cause) {
  for (const CauseRow& row : kCauses) {
    if (row.cause == cause) return row;
  }
  return kCauses.front();
}

std::string LineOf(std::string_view failure) {
  return fmt::format("xdscope: {}\n", failure);
}

void WriteFailure(const OutputStream& err, std::string_view failure) {
  err.write(LineOf(failure));
}

}  // namespace

Cause CauseOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return Cause::kUnimplemented;
    case absl::StatusCode::kUnknown:  // as go-control-plane's users write it
      return base::Message(status) == "not implemented" ? Cause::kUnimplemented : Cause::kOther;
    case absl::StatusCode::kPermissionDenied:
      return Cause::kPermissionDenied;
    case absl::StatusCode::kUnauthenticated:
      return Cause::kUnauthenticated;
    case absl::StatusCode::kDataLoss:
      return Cause::kGarbage;
    case absl::StatusCode::kOutOfRange:
      return Cause::kTooLarge;
    default:
      return Cause::kOther;
  }
}

ExitCode ExitCodeOf(Cause cause) {
  return RowOf(cause).exit;
}

Diagnosis OutOfTime() {
  return {.cause = Cause::kOutOfTime, .status = absl::DeadlineExceededError("out of time (--max-time)")};
}

std::string FactOf(const Diagnosis& failure) {
  const std::string message = format::Printable(base::Message(failure.status));
  if (!failure.from_server) return message;
  const std::string code = absl::StatusCodeToString(failure.status.code());
  return message.empty() ? code : fmt::format("{}: {}", code, message);
}

std::string HintFor(const Diagnosis& failure, const ConnectOptions& options) {
  const auto hint = RowOf(failure.cause).hint;
  return hint == nullptr ? std::string() : hint(failure, options);
}

int Report::Fail(const Diagnosis& failure, std::string_view hint) {
  progress_.Clear();
  err_.write(FailureLine(failure));
  if (!hint.empty() && !options_.quiet) err_.write(fmt::format("hint: {}\n", format::Printable(hint)));
  return ToInt(ExitCodeOf(failure.cause));
}

std::string Report::FailureLine(const Diagnosis& failure) const {
  const std::string& where = failure.where.empty() ? options_.where : failure.where;
  return LineOf(fmt::format("{}: {}", format::Printable(where), FactOf(failure)));
}

void Report::Say(std::string_view text) {
  progress_.Clear();
  WriteFailure(err_, format::Printable(text));
}

void Report::Note(std::string_view text) {
  if (!options_.quiet) WriteLine(format::Printable(text));
}

void Report::Trace(int level, std::string_view text) {
  constexpr std::size_t kLongest = 200;
  if (Traces(level)) WriteLine(format::Shortened(format::Printable(text), kLongest));
}

void Report::NoteSome(std::string_view kind, std::string_view text) {
  Some& some = some_[std::string(kind)];
  if (some.said == kMostSaid) {
    ++some.left_out;
  } else {
    ++some.said;
    Note(text);
  }
}

void Report::SayLeftOut() {
  for (auto& [kind, some] : some_) {
    if (some.left_out > 0) Note(fmt::format("and {} more of {}", std::exchange(some.left_out, 0), kind));
  }
}

void Report::TraceText(std::string_view text) {
  if (!Traces(2)) return;
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += format::Printable(text.substr(0, end));
    if (end < text.size()) lines.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  WriteLine(lines);
}

void Report::WriteLine(std::string_view line) {
  progress_.Clear();
  err_.write(fmt::format("{}\n", line));
}

void ReportNotes(std::span<const std::string> notes, const Streams& streams) {
  for (const std::string& note : notes.first(std::min(notes.size(), kMostSaid))) {
    streams.err.write(fmt::format("note: {}\n", format::Printable(note)));
  }
  if (notes.size() > kMostSaid) streams.err.write(fmt::format("note: and {} more\n", notes.size() - kMostSaid));
}

int ReportUsage(const absl::Status& status, const Streams& streams) {
  WriteFailure(streams.err, format::Printable(base::Message(status)));
  return ToInt(ExitCode::kUsage);
}

int ReportOutputError(std::string_view what, const Streams& streams) {
  WriteFailure(streams.err, fmt::format("stdout: {}", format::Printable(what)));
  return ToInt(ExitCode::kSource);
}

int ReportBug(std::string_view what, const Streams& streams) {
  WriteFailure(streams.err, fmt::format("internal: {}", format::Printable(what)));
  return ToInt(ExitCode::kBug);
}

}  // namespace xdscope::cli
