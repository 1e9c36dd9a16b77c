#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {"XDS-V012", Severity::kWarning, "A number is one, and finite: NaN passes every bound.", Client::kEnvoy,
     "Envoy takes NaN past every bound of PGV, and may refuse it later.",
     "A double that is NaN or infinite is smaller and larger than no bound, so PGV lets it pass. Some checks of Envoy "
     "refuse it later: with a healthy_panic_threshold of NaN the server does not become ready."},
    {"XDS-V123", Severity::kError, "A v3 resource holds v3 types.", Client::kBoth,
     "Envoy has no extensions of v2 types any more and refuses what holds one.",
     "The types of the v2 API (envoy.api.v2, envoy.config.….v2) are in the schema, so that v2 control planes can be "
     "read; Envoy has not registered them since 2021. Each has a successor in v3."},
    {"XDS-V124", Severity::kWarning, "An extension is in the usual builds of Envoy.", Client::kEnvoy,
     "An Envoy without contrib extensions refuses what holds it.",
     "Types in a package v3alpha belong to contrib extensions, which envoy-contrib and some vendors' builds have."},
    {"XDS-V125", Severity::kError, "An extension stands where its kind belongs.", Client::kBoth,
     "Envoy finds no such extension of the kind that belongs there and refuses what holds it.",
     "Envoy looks for an extension by the type of its configuration among those of one kind: network filters in a "
     "filter chain, HTTP filters in a connection manager, and so on. One of another kind is not found."},
    {"XDS-V126", Severity::kWarning, "An extension does not have the usual name of another one.", Client::kEnvoy,
     "Envoy goes by the type and not by the name; but the configuration per route goes by the name.",
     "The name of a filter is free, since Envoy looks the extension up by the type of its configuration. One that has "
     "the well-known name of another extension is mostly a slip, and typed_per_filter_config finds it by that name."},
    {"XDS-V128", Severity::kError, "A TypedStruct spells a message of the type that it names.", Client::kEnvoy,
     "Envoy refuses what holds it.",
     "xds.type.v3.TypedStruct and udpa.type.v1.TypedStruct have the JSON form of a message as a Struct; Envoy turns it "
     "into the message that type_url names. A type that the schema does not have is skipped with a note."},
    {"XDS-V129", Severity::kError, "An extension is in Envoy.", Client::kEnvoy,
     "Envoy does not know the type and refuses the whole file or response.",
     "The API has types that Envoy does not link, for gRPC most of them: pick_first, credentials. Where an Any holds "
     "one, Envoy does not get as far as to look for another policy in the list."},
    {"XDS-V130", Severity::kWarning, "A field or enum value is not deprecated.", Client::kEnvoy,
     "Envoy takes it and logs a warning; with envoy.features.fail_on_any_deprecated_feature it refuses it.",
     "A deprecated field works until the next major version of the API, and there is mostly a newer one beside it."},
    {"XDS-V131", Severity::kError, "A field or enum value is not disallowed by default.", Client::kEnvoy,
     "Envoy refuses it unless its runtime allows it.",
     "Fields on their way out are disallowed by default (envoy.annotations.disallowed_by_default): Envoy takes them "
     "only where its runtime has a flag for them. An enum whose value 0 is disallowed has to be set."},
    {"XDS-V132", Severity::kWarning, "A field, message or file is not marked as work in progress.", Client::kEnvoy,
     "Envoy takes it and logs a warning: it may change and is not covered by the threat model.",
     "The API marks what is not finished (work_in_progress): it may change without notice and may not be secure."},
};

}  // namespace

std::span<const Rule> ConfigRules() {
  return kRules;
}

}  // namespace xdscope::finding
