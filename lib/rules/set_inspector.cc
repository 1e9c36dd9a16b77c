#include "lib/rules/set_inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/finding/rules.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using finding::Finding;
using wire::View;

constexpr std::string_view kFilterChain = "envoy.config.listener.v3.FilterChain";

std::string_view LastName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The address of a listener in one form: "tcp 0.0.0.0:80". Empty: it has none of its own.
std::string AddressOf(const View& address) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (socket) {
    const std::uint64_t port = NumberIn(*socket, "port_value").value_or(0);
    if (port == 0) return {};  // any that is free
    return fmt::format("{} {}:{}", NumberIn(*socket, "protocol").value_or(0) == 1 ? "udp" : "tcp",
                       socket->GetText("address"), port);
  }
  const std::optional<View> pipe = MessageIn(address, "pipe");
  return pipe ? fmt::format("pipe {}", pipe->GetText("path")) : std::string();
}

// The key of a scope in one form.
std::string KeyOf(const View& scope) {
  std::string text;
  const std::optional<View> key = MessageIn(scope, "key");
  if (!key) return text;
  for (const View& fragment : MessagesIn(*key, "fragments")) {
    const std::string_view value = fragment.GetText("string_key");
    text += fmt::format("{}:{}", value.size(), value);
  }
  return text;
}

}  // namespace

finding::Finding* SetInspector::Add(std::string_view rule, const Member& member, finding::Path path,
                                    std::string message) {
  Finding* const finding = (*findings_)(member.file).Add(rule);
  if (finding == nullptr) return nullptr;
  finding->severity = finding::SeverityOf(rule);
  finding->type_url = member.subject.type_url;
  finding->resource = member.subject.name;
  finding->entry = member.subject.entry;
  finding->path = std::move(path);
  finding->message = std::move(message);
  return finding;
}

void SetInspector::Inspect(std::span<const std::string> files, std::span<const Member> members,
                           const SampleOf& findings) {
  findings_ = &findings;
  files_ = files;
  Index(members);
  CheckTypes(members);
  CheckNames(members);
  CheckSubscriptions(members);
  CheckAddresses(members);
  CheckScopes(members);
  CheckStatNames();
  CheckFilterKeys(members);
  for (const Use& use : uses_) {
    CheckReference(use);
    CheckKindOfSecret(use);
  }
  CheckAggregates();
  CheckSources(members);
  CheckLocalEndpoints();
}

void SetInspector::Index(std::span<const Member> members) {
  by_type_.clear();
  searched_ = 0;
  uses_.clear();
  members_of_.clear();
  scoped_routes_from_.clear();
  for (const Member& member : members) {
    by_type_[base::ToAbsl(KindOf(member))].all.emplace(base::ToAbsl(member.subject.name), &member);
  }
  for (const Member& member : members) FindUses(member);
  // Scopes name route configurations; where these come from is said beside the source of the scopes.
  for (Use& use : uses_) {
    if (KindOf(*use.from) == kScopeType && use.reference.elsewhere.empty())
      use.reference.elsewhere = scoped_routes_from_;
  }
}

const Member* SetInspector::Find(std::string_view kind, std::string_view name) const {
  const auto of_type = by_type_.find(base::ToAbsl(kind));
  if (of_type == by_type_.end()) return nullptr;
  const auto found = of_type->second.all.find(base::ToAbsl(name));
  return found == of_type->second.all.end() ? nullptr : found->second;
}

// ---- One file. [XDS-V006, V007]

// The resources of a response are of the type of the first one.
void SetInspector::CheckTypes(std::span<const Member> members) {
  std::map<std::size_t, std::string_view> first;
  for (const Member& member : members) {
    const auto [row, is_new] = first.emplace(member.file, KindOf(member));
    if (is_new || row->second == KindOf(member)) continue;
    Add("XDS-V006", member, {},
        fmt::format("is a {}, and the first resource of the file a {}", KindOf(member), row->second));
  }
}

void SetInspector::CheckNames(std::span<const Member> members) {
  absl::flat_hash_set<std::tuple<std::size_t, absl::string_view, absl::string_view>> seen;
  for (const Member& member : members) {
    if (member.subject.name.empty()) continue;
    if (seen.emplace(member.file, base::ToAbsl(KindOf(member)), base::ToAbsl(member.subject.name)).second) continue;
    Add("XDS-V007", member, {}, fmt::format("\"{}\" stands in the file twice", member.subject.name));
  }
}

// ---- Files that config sources point to. [XDS-V004, V005]

void SetInspector::CheckSubscriptions(std::span<const Member> members) {
  std::vector<InFile> by_file(files_.size());
  for (const Member& member : members) {
    InFile& file = by_file[member.file];
    if (file.first == nullptr) {
      file.first = &member;
    } else if (file.second == nullptr) {
      file.second = &member;
    }
    if (file.other == nullptr && KindOf(member) != KindOf(*file.first)) file.other = &member;
  }
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < files_.size(); ++i) by_name.emplace(LastName(files_[i]), i);
  for (const Use& use : uses_) {
    if (!use.reference.elsewhere.starts_with(kFile)) continue;
    const auto file = by_name.find(LastName(std::string_view(use.reference.elsewhere).substr(kFile.size())));
    if (file == by_name.end()) continue;
    by_file[file->second].first == nullptr ? CheckEmpty(use, file->second)
                                           : CheckSubscription(use, by_file[file->second]);
  }
}

// Envoy counts an empty update of endpoints and routes, and refuses one of secrets. [validation.md 2.1]
void SetInspector::CheckEmpty(const Use& use, std::size_t file) {
  if (use.reference.name.empty() || base::MessageName(use.reference.type_url) == kFilterChain) return;
  Finding* const finding = (*findings_)(file).Add("XDS-V004");
  if (finding == nullptr) return;
  const bool secret = base::MessageName(use.reference.type_url) == kSecretType;
  finding->severity = secret ? finding::Severity::kError : finding::Severity::kWarning;
  finding->message =
      fmt::format("holds nothing, and {} \"{}\" is expected", WordFor(use.reference.type_url), use.reference.name);
}

// A subscription to EDS, RDS, SDS or ECDS is for one name; one to SRDS is for all, and so is one to FCDS, whatever its
// name.
void SetInspector::CheckSubscription(const Use& use, const InFile& in_file) {
  const std::string_view wanted = base::MessageName(use.reference.type_url);
  const bool of_type = KindOf(*in_file.first) == wanted;
  if (const Member* const member = of_type ? in_file.other : in_file.first; member != nullptr) {
    Add("XDS-V006", *member, {},
        fmt::format("is a {}, and the file is subscribed to as {}", KindOf(*member), WordFor(use.reference.type_url)));
    return;
  }
  if (use.reference.name.empty() || wanted == kFilterChain) return;
  if (in_file.second != nullptr) {
    Add("XDS-V004", *in_file.second, {},
        fmt::format("is another resource in the file of {} \"{}\", which holds one", WordFor(use.reference.type_url),
                    use.reference.name));
    return;
  }
  const Member& only = *in_file.first;
  if (only.subject.name == use.reference.name) return;
  Finding* const finding = Add("XDS-V005", only, {},
                               fmt::format("is \"{}\", where \"{}\" is wanted", only.subject.name, use.reference.name));
  if (finding != nullptr) finding->related = RelatedTo(*use.from, use.path, only, files_);
}

// ---- All. [XDS-V024, V061, V087]

void SetInspector::CheckAddresses(std::span<const Member> members) {
  std::map<std::string, std::pair<const Member*, finding::Path>> seen;
  for (const Member& member : members) {
    if (KindOf(member) != kListenerType || Has(member.resource, "api_listener")) continue;
    std::vector<std::pair<std::string, finding::Path>> addresses;
    if (const std::optional<View> address = MessageIn(member.resource, "address")) {
      addresses.emplace_back(AddressOf(*address), finding::Path().AddField("address"));
    }
    std::size_t index = 0;
    for (const View& additional : MessagesIn(member.resource, "additional_addresses")) {
      finding::Path path = finding::Path().AddField("additional_addresses").AddIndex(index++);
      if (const auto address = MessageIn(additional, "address")) addresses.emplace_back(AddressOf(*address), path);
    }
    for (auto& [address, path] : addresses) {
      if (address.empty()) continue;
      const auto [row, is_new] = seen.emplace(address, std::pair(&member, path));
      if (is_new) continue;
      const auto& [other, other_path] = row->second;
      Finding* const finding = Add(
          "XDS-V024", member, std::move(path),
          fmt::format("{} is the address of \"{}\" too", address.substr(address.find(' ') + 1), other->subject.name));
      if (finding != nullptr) finding->related = RelatedTo(*other, other_path, member, files_);
    }
  }
}

void SetInspector::CheckScopes(std::span<const Member> members) {
  std::map<std::string, const Member*> seen;
  for (const Member& member : members) {
    if (KindOf(member) != kScopeType) continue;
    const auto [row, is_new] = seen.emplace(KeyOf(member.resource), &member);
    if (is_new) continue;
    Add("XDS-V061", member, finding::Path().AddField("key"),
        fmt::format("scopes \"{}\" and \"{}\" have the same key", row->second->subject.name, member.subject.name));
  }
}

// Statistics go by alt_stat_name, where there is one. [XDS-V087]
void SetInspector::CheckStatNames() {
  const auto of_type = by_type_.find(base::ToAbsl(kClusterType));
  if (of_type == by_type_.end()) return;
  std::vector<std::pair<absl::string_view, const Member*>> clusters(of_type->second.all.begin(),
                                                                    of_type->second.all.end());
  std::sort(clusters.begin(), clusters.end());
  const auto stat_name = [](const Member& cluster) {
    const std::string_view other = cluster.resource.GetText("alt_stat_name");
    return other.empty() ? cluster.subject.name : other;
  };
  std::map<std::string_view, const Member*> seen;
  for (const auto& [name, cluster] : clusters) {
    const Member& member = *cluster;
    const auto [row, is_new] = seen.emplace(stat_name(member), &member);
    if (is_new) continue;
    const Member& other = *row->second;
    // The one with an alt_stat_name is the one to change.
    const bool swap = member.resource.GetText("alt_stat_name").empty();
    Finding* const finding = Add("XDS-V087", swap ? other : member, finding::Path().AddField("alt_stat_name"),
                                 fmt::format("the statistics of \"{}\" have the name \"{}\" too",
                                             swap ? member.subject.name : other.subject.name, row->first));
    if (finding != nullptr) {
      finding->related = RelatedTo(swap ? member : other, {}, swap ? other : member, files_);
    }
  }
}

}  // namespace xdscope::rules
