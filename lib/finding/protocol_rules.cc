#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

// The severity is that of the usual case; where a check knows a milder or worse one, it says so beside the check.
constexpr Rule kRules[] = {
    {"XDS-R09", Severity::kWarning,
     "A poll that says a version is not answered with 200 and what was said with that version before."},
    {"XDS-S001", Severity::kError, "Each streamed response carries a nonce."},
    {"XDS-S002", Severity::kError, "No nonce is used twice for one type on one stream."},
    {"XDS-S003", Severity::kInfo, "A nonce stands for one type only on an aggregated stream."},
    {"XDS-S004", Severity::kError, "A response on an aggregated stream names its type URL."},
    {"XDS-S005", Severity::kWarning, "A response on a stream of one type names its type URL too."},
    {"XDS-S006", Severity::kError, "A stream of one type delivers the type of its method only."},
    {"XDS-S007", Severity::kError, "Each resource has the type of its response."},
    {"XDS-S008", Severity::kError, "The payload inside a SotW wrapper has the type of its response."},
    {"XDS-S009", Severity::kError, "The server sends only types that were asked for on this stream."},
    {"XDS-S010", Severity::kError, "Resources come in the API version that was asked for."},
    {"XDS-S011", Severity::kWarning, "A type URL begins with type.googleapis.com/."},
    {"XDS-S012", Severity::kError, "Bytes parse as the message that their type URL names."},
    {"XDS-S014", Severity::kError, "Each resource has a name."},
    {"XDS-S015", Severity::kError, "A resource has either a name or a resource_name, not both."},
    {"XDS-S016", Severity::kError, "No name comes twice in one response."},
    {"XDS-S017", Severity::kError, "The name of a wrapper and the name inside its payload agree."},
    {"XDS-S019", Severity::kInfo, "A control plane does not change its identifier within a stream."},
    {"XDS-S020", Severity::kError,
     "Errors of resources concern names that were asked for and that this response does not deliver."},
    {"XDS-S021", Severity::kError, "The server does not speak before the first request of the stream."},
    {"XDS-S023", Severity::kWarning, "A SotW response has a version_info."},
    {"XDS-S024", Severity::kError, "While the version of a full state is unchanged, it lacks no resource that it had."},
    {"XDS-S027", Severity::kInfo, "A response holds only resources that were asked for."},
    {"XDS-S036", Severity::kInfo,
     "A type whose responses are no full state gets no empty response, which means nothing."},
    {"XDS-S037", Severity::kError, "A type that exists in delta only is not served as state of the world."},
    {"XDS-S038", Severity::kWarning, "Each resource that is delivered in delta has a version."},
    {"XDS-S039", Severity::kError, "No name is both delivered and removed in one response."},
    {"XDS-S040", Severity::kError, "No name is removed twice in one response."},
    {"XDS-S041", Severity::kWarning,
     "What does not exist is said by removed_resources, not by an entry without payload."},
    {"XDS-S050", Severity::kInfo, "Only names that the client holds or asked for are removed."},
    {"XDS-S051", Severity::kInfo, "A delta response has a system_version_info."},
    {"XDS-S055", Severity::kError, "A heartbeat repeats the version that was sent last for its resource."},
    {"XDS-S056", Severity::kError, "A heartbeat concerns a resource that was sent before."},
    {"XDS-S058", Severity::kWarning,
     "Only clients that announced xds.config.supports-resource-ttl get a time to live."},
    {"XDS-S059", Severity::kError,
     "Only clients that announced xds.config.resource-in-sotw get wrapped SotW resources."},
    {"XDS-S060", Severity::kError, "A time to live is positive."},
    {"XDS-S064", Severity::kWarning, "Virtual hosts on demand get no heartbeats."},
    {"XDS-S068", Severity::kError,
     "After a client has given up all names of a type, it gets no more resources of that type."},
    {"XDS-S070", Severity::kInfo, "The server takes '*' for the wildcard and not for the name of a resource."},
};

}  // namespace

std::span<const Rule> ProtocolRules() {
  return kRules;
}

}  // namespace xdscope::finding
