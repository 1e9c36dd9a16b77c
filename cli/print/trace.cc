#include "cli/print/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/type_argument.h"
#include "cli/print/words.h"
#include "lib/format/output.h"
#include "lib/format/text.h"
#include "lib/format/walk.h"
#include "lib/format/yaml_writer.h"
#include "lib/transport/http_status.h"
#include "lib/wire/message.h"

namespace xdscope::cli {
namespace {

// How much of an unreadable response is shown: enough to see what it is.
constexpr std::size_t kMostUnreadable = 3072;

}  // namespace

std::string Trace::At(session::Place place, std::string_view line) const {
  return options_.sources.empty() ? std::string(line) : fmt::format("{} {}", WhereOf(options_, place), line);
}

std::string Trace::MessageAt(session::Place place, Direction direction) const {
  const Speech speech = SpeechAt(options_, place);
  return DiscoveryMessage(speech.api, speech.delta, direction);
}

void Trace::Request(const session::Asked& asked) {
  if (!report_.Traces(1)) return;
  report_.Trace(1, At(asked.place, RequestLine(asked.request)));
  TraceWhole(MessageAt(asked.place, Direction::kRequest), asked.request.bytes, show_secrets_, types_, report_);
}

void Trace::Event(const source::Event& event) {
  if (const auto* asked = std::get_if<session::Asked>(&event)) Request(*asked);
  if (const auto* what = std::get_if<session::Unreadable>(&event)) Unreadable(*what);
  if (const auto* moved = std::get_if<source::Moved>(&event); moved != nullptr && report_.Traces(1)) {
    const session::Place next{moved->place.source, moved->place.server + 1};
    report_.Trace(1, At(moved->place, fmt::format("cannot be had; {} is asked", WhereOf(options_, next))));
  }
  if (const auto* unchanged = std::get_if<session::Unchanged>(&event); unchanged != nullptr && report_.Traces(1)) {
    report_.Trace(1, At(unchanged->place, fmt::format("<- {}: nothing newer", TypeWord(unchanged->stream))));
  }
}

void Trace::Response(const source::Update& update, const client::Judgement& judgement, Head head) {
  if (report_.Traces(1)) {
    if (head == Head::kToSay) report_.Trace(1, At(update.place, ResponseLine(update, judgement.verdict)));
    TraceWhole(MessageAt(update.place, Direction::kResponse), *update.bytes, show_secrets_, types_, report_);
  }
  for (const finding::Finding& finding : update.findings) {
    if (client::IsReasonToRefuse(finding)) continue;  // said with the verdict
    if (finding.severity != finding::Severity::kError && !report_.Traces(1)) continue;
    report_.NoteSome(finding.rule,
                     fmt::format("{}: {}", ResourceWord(update.type_url, finding.resource), finding::ToText(finding)));
    report_.LeaveOut(finding.rule, finding.more);
  }
}

void Trace::Unreadable(const session::Unreadable& what) {
  if (!report_.Traces(1)) return;
  const std::string_view bytes = *what.bytes;
  report_.Trace(1, At(what.place, fmt::format("<- a response that cannot be read, {}: {}", SizeWords(bytes.size()),
                                              base::Message(what.status))));
  if (!report_.Traces(2)) return;
  if (!show_secrets_) return report_.Trace(2, kHiddenBytes);
  const std::string_view shown = bytes.substr(0, kMostUnreadable);
  const std::string cut =
      shown.size() < bytes.size() ? fmt::format(" (the first {} of {} bytes)", shown.size(), bytes.size()) : "";
  report_.TraceText(fmt::format("base64: {}{}", format::Base64Text(shown), cut));
}

namespace {

// What a route is for: "cds", "xdstp://example.com/", "all else"; "all" where it is the only one.
std::string RouteWords(const source::Route& route, const ConnectOptions& options) {
  if (!route.type_url.empty()) return TypeWord(route.type_url);
  if (!route.authority.value_or("").empty()) return fmt::format("xdstp://{}/", *route.authority);
  return options.routes.size() == 1 ? "all" : "all else";
}

std::string ServersWords(const SourceOptions& source) {
  std::string words;
  for (std::size_t i = 0; i < std::min(source.size(), kMostSaid); ++i) {
    words += fmt::format("{}{}", i == 0 ? "" : ", then ", source.At(i).where);
  }
  return source.size() <= kMostSaid ? words : fmt::format("{} and {} more", words, source.size() - kMostSaid);
}

}  // namespace

void TraceServers(const ConnectOptions& options, Report& report) {
  if (!report.Traces(1)) return;
  if (!options.bootstrap.empty()) report.Trace(1, fmt::format("bootstrap: {}", options.bootstrap));
  constexpr std::string_view kKind = "what is asked where";
  for (const source::Route& route : options.routes) {
    if (!route.source) {
      report.NoteSome(kKind, fmt::format("{}: nobody is asked", RouteWords(route, options)));
      continue;
    }
    const SourceOptions& source = options.sources[*route.source];
    const ServerOptions& first = source.servers.front();
    report.NoteSome(kKind, fmt::format("{}: {}, {} ({})", RouteWords(route, options), ServersWords(source),
                                       first.path.empty() ? VariantName(first.variant) : "a file", first.said_at));
  }
  report.SayLeftOut();
}

// A cookie opens doors as a token does.
void TraceAnswer(std::string_view path, const transport::HttpAnswer& answer, Report& report) {
  if (!report.Traces(2)) return;
  std::string text = fmt::format("{}: {}\n", path, transport::HttpWords(answer.status));
  for (const auto& [name, value] : answer.headers) {
    text += fmt::format("  {}: {}\n", name, name == "set-cookie" ? "[redacted]" : value);
  }
  text.pop_back();
  report.TraceText(text);
}

void TraceSchema(const schema::Schema& schema, Report& report) {
  if (!report.Traces(1)) return;
  for (const std::string& name : schema.Overridden()) {
    report.NoteSome("--schema: not the built-in one", fmt::format("--schema: {} is not the built-in one", name));
  }
  for (const std::string& what : schema.left_out()) {
    report.NoteSome("--schema: left out", fmt::format("--schema: left out: {}", what));
  }
  report.SayLeftOut();
}

void TraceWhole(std::string_view type, std::string_view bytes, bool show_secrets, wire::Types& types, Report& report) {
  if (!report.Traces(2)) return;
  std::string text;
  format::Output out([&](std::string_view chunk) {
    text.append(chunk);
    return absl::OkStatus();
  });
  format::YamlWriter writer(out);
  format::WalkOptions options;
  options.show_secrets = show_secrets;
  format::Walker walker(types, options, writer);
  WalkMessage(type, bytes, show_secrets, types, walker);
  if (out.Flush().ok()) report.TraceText(text);
}

}  // namespace xdscope::cli
