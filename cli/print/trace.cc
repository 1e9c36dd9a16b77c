#include "cli/print/trace.h"

#include <fmt/format.h>

#include "cli/print/words.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"
#include "lib/format/yaml_writer.h"
#include "lib/source/update.h"
#include "lib/wire/message.h"

namespace xdscope::cli {

void Trace::Schema(const schema::Schema& schema) {
  if (!report_.Traces(1)) return;
  for (const std::string& name : schema.Overridden())
    report_.Trace(1, fmt::format("--schema: {} is not the built-in one", name));
  for (const std::string& what : schema.left_out()) report_.Trace(1, fmt::format("--schema: left out: {}", what));
}

void Trace::Request(const protocol::Request& request) {
  report_.Trace(1, RequestLine(request));
  Whole(delta_ ? "DeltaDiscoveryRequest" : "DiscoveryRequest", request.bytes);
}

void Trace::Response(const protocol::Response& response, const session::Verdict& verdict) {
  if (report_.Traces(1)) report_.Trace(1, ResponseLine(response, verdict));
  Whole(delta_ ? "DeltaDiscoveryResponse" : "DiscoveryResponse", *response.bytes);
  for (const protocol::Irregularity& irregularity : response.irregularities) {
    if (source::MakesBad(irregularity)) continue;  // said with the findings
    const std::string line = fmt::format("{}: {} [{}]", ResourceWord(response.type_url, irregularity.resource),
                                         irregularity.message, irregularity.rule);
    if (irregularity.severity == protocol::Severity::kError) {
      report_.Note(line);
    } else {
      report_.Trace(1, line);
    }
  }
}

void Trace::Whole(std::string_view message, std::string_view bytes) {
  TraceWhole(api_, message, bytes, output_.show_secrets, types_, report_);
}

void TraceWhole(types::Api api, std::string_view message, std::string_view bytes, bool show_secrets, wire::Types& types,
                Report& report) {
  if (!report.Traces(2)) return;
  const std::string_view package = api == types::Api::kV3 ? "envoy.service.discovery.v3." : "envoy.api.v2.";
  std::string text;
  format::Output out([&](std::string_view chunk) {
    text.append(chunk);
    return absl::OkStatus();
  });
  format::YamlWriter writer(out);
  format::WalkOptions options;
  options.show_secrets = show_secrets;
  format::Walker walker(types, options, writer);
  const wire::Type* type = types.Find(fmt::format("{}{}", package, message));
  const absl::StatusOr<wire::Message> decoded =
      type == nullptr ? absl::StatusOr<wire::Message>(absl::NotFoundError("unknown type")) : wire::Decode(bytes, *type);
  if (decoded.ok()) {
    walker.Message(decoded->view());
  } else {
    walker.Unopened(message, bytes, base::Message(decoded.status()));
  }
  if (out.Flush().ok()) report.Trace(2, text);
}

}  // namespace xdscope::cli
