#include "lib/source/rest_body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/base/status.h"
#include "lib/format/json_text.h"
#include "lib/format/printable.h"
#include "lib/format/read.h"
#include "lib/wire/message.h"

namespace xdscope::source {
namespace {

constexpr std::size_t kLongestHead = 200;
constexpr std::size_t kMostFindings = 20;

std::string_view RequestName(types::Api api) {
  return api == types::Api::kV3 ? "envoy.service.discovery.v3.DiscoveryRequest" : "envoy.api.v2.DiscoveryRequest";
}

std::string ToText(std::string_view where, const finding::Finding& finding) {
  std::string text = fmt::format("{}:{}:{}:", where, finding.position.line, finding.position.column);
  if (!finding.path.empty()) text += fmt::format(" {}:", finding::ToText(finding.path));
  return text + fmt::format(" {}", finding.message);
}

std::string Quoted(std::string_view text, std::size_t most) {
  return fmt::format("\"{}{}\"", format::Printable(text.substr(0, most)), most < text.size() ? "…" : "");
}

// Shows how the body begins. Resources may hold secrets, so that of JSON this ends with the envelope, which is what
// stands in front of the second bracket.
absl::Status Unreadable(std::string_view what, std::string_view text) {
  const std::size_t second = text.find_first_of("{[", std::min(text.find_first_of("{["), text.size() - 1) + 1);
  const std::string head = Quoted(text, std::min(second == text.npos ? text.size() : second + 1, kLongestHead));
  return base::Error(absl::StatusCode::kDataLoss,
                     text.empty() ? std::string(what) : fmt::format("{}; the body begins {}", what, head));
}

absl::Status FailureOf(std::string_view where, const format::ReadFile& file, std::string_view text) {
  const auto is_error = [](const finding::Finding& finding) { return finding.severity == finding::Severity::kError; };
  const auto first = std::find_if(file.findings.begin(), file.findings.end(), is_error);
  if (first == file.findings.end()) return Unreadable(fmt::format("{}: cannot be read", where), text);
  const auto errors = std::count_if(first, file.findings.end(), is_error);
  const std::string more = errors > 1 ? fmt::format(" (and {} more)", errors - 1) : "";
  return Unreadable(ToText(where, *first) + more, text);
}

std::size_t SizeOf(const format::ReadFile& file) {
  std::size_t size = file.documents.front().bytes.size();
  for (const format::ReadResource& resource : file.resources) {
    size += 32 + (resource.wrapped ? resource.wrapper_url.size() + resource.wrapper_bytes.size()
                                   : resource.type_url.size() + resource.bytes.size());
  }
  return size;
}

}  // namespace

std::string HeadOf(std::string_view text) {
  return Quoted(text, kLongestHead);
}

absl::StatusOr<std::string> WriteRestRequest(std::string_view bytes, types::Api api, wire::Types& types) {
  const wire::Type* type = types.Find(RequestName(api));
  if (type == nullptr) return base::Error(absl::StatusCode::kInvalidArgument, types.WhyUnknown(RequestName(api)));
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *type);
  if (!message.ok()) return base::Error(absl::StatusCode::kInvalidArgument, base::Message(message.status()));
  return format::JsonText(message->view(), types);
}

absl::StatusOr<std::string> ReadRestBody(std::string_view where, std::string_view text, wire::Types& types,
                                         const std::function<void(std::string_view)>& remark) {
  format::ReadOptions options;
  options.max_findings = kMostFindings;
  format::ReadFile file = format::Read(text, format::Format::kJson, options, types);
  if (file.has_errors) return FailureOf(where, file, text);
  if (!file.documents.front().response) {
    return Unreadable(fmt::format("{}:1:1: is no discovery response", where), text);
  }
  for (const finding::Finding& finding : file.findings) remark(ToText(where, finding));
  std::string bytes;
  bytes.reserve(SizeOf(file));
  bytes += file.documents.front().bytes;
  for (const format::ReadResource& resource : file.resources) {
    const bool wrapped = resource.wrapped;
    base::AppendAny(&bytes, base::kResponseResourcesField,
                    {.type_url = wrapped ? resource.wrapper_url : resource.type_url,
                     .value = wrapped ? resource.wrapper_bytes : resource.bytes});
  }
  return bytes;
}

}  // namespace xdscope::source
