#include "cli/print/trace.h"

#include <fmt/format.h>

#include "cli/print/message.h"
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

void Trace::Request(const protocol::Request& request) {
  report_.Trace(1, RequestLine(request));
  TraceWhole(DiscoveryMessage(api_, delta_, Direction::kRequest), request.bytes, show_secrets_, types_, report_);
}

void Trace::Event(const source::Event& event) {
  if (const auto* asked = std::get_if<session::Asked>(&event)) Request(asked->request);
  if (const auto* unchanged = std::get_if<session::Unchanged>(&event)) {
    report_.Trace(1, fmt::format("<- {}: nothing newer", TypeWord(unchanged->stream)));
  }
  if (const auto* what = std::get_if<session::Unreadable>(&event))
    Unreadable(*what->bytes, base::Message(what->status));
}

void Trace::Response(const source::Update& update, const client::Judgement& judgement) {
  if (report_.Traces(1)) report_.Trace(1, ResponseLine(update, judgement.verdict));
  TraceWhole(DiscoveryMessage(api_, delta_, Direction::kResponse), *update.bytes, show_secrets_, types_, report_);
  for (const finding::Finding& finding : update.findings) {
    if (client::IsReasonToRefuse(finding)) continue;  // said with the verdict
    if (finding.severity != finding::Severity::kError && !report_.Traces(1)) continue;
    report_.NoteSome(finding.rule,
                     fmt::format("{}: {}", ResourceWord(update.type_url, finding.resource), finding::ToText(finding)));
    report_.LeaveOut(finding.rule, finding.more);
  }
}

void Trace::Unreadable(std::string_view bytes, std::string_view why) {
  report_.Trace(1, fmt::format("<- a response that cannot be read, {}: {}", SizeWords(bytes.size()), why));
  if (!report_.Traces(2)) return;
  if (!show_secrets_) return report_.Trace(2, kHiddenBytes);
  const std::string_view shown = bytes.substr(0, kMostUnreadable);
  const std::string cut =
      shown.size() < bytes.size() ? fmt::format(" (the first {} of {} bytes)", shown.size(), bytes.size()) : "";
  report_.TraceText(fmt::format("base64: {}{}", format::Base64Text(shown), cut));
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
