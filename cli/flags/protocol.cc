#include "cli/flags/protocol.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/flag.h"
#include "cli/args/choice.h"
#include "cli/args/flag_types.h"
#include "cli/flags/messages.h"
#include "cli/flags/named_files.h"

using xdscope::cli::ListFlag;

ABSL_FLAG(std::string, variant, "ads",
          "All types on one stream, a stream for each type, or the Fetch methods. Envoy's names (GRPC, DELTA_GRPC, "
          "AGGREGATED_GRPC, "
          "AGGREGATED_DELTA_GRPC) are taken too.");
ABSL_FLAG(std::string, api, "v3", "Version of the transport and of the resources.");
ABSL_FLAG(std::string, client, "envoy",
          "Whose habits to follow where the protocol leaves a choice. grpc never asks for everything.");
ABSL_FLAG(std::string, wildcard, "legacy", "How \"everything\" is said: an empty list, or *.");
ABSL_FLAG(std::string, on_invalid, "ack",
          "The answer to a response with a bad resource: accept it, refuse it, or keep its good part. What is bad is "
          "said in each case.");
ABSL_FLAG(bool, nack, false, "Refuse every response, once per version.");
ABSL_FLAG(std::string, nack_message, "", "The text of a refusal.");
ABSL_FLAG(ListFlag, schema, {},
          "More types, over the built-in ones: a descriptor set, or a program with the types compiled into it (Envoy, "
          "istiod, any C++ or Go server). Repeats.");

namespace xdscope::cli {
namespace {

using config::ClientKind;
using types::Api;
using types::Variant;

constexpr std::array kProtocolRows = {
    FlagRow{"variant", 0, Shape::kValue, "ads|delta-ads|sotw|delta|unary"},
    FlagRow{"api", 0, Shape::kValue, "v3|v2"},
    FlagRow{"client", 0, Shape::kValue, "envoy|grpc|strict", "envoy; grpc with a gRPC bootstrap"},
    FlagRow{"wildcard", 0, Shape::kValue, "legacy|explicit", "legacy; explicit with --client strict"},
    FlagRow{"on-invalid", 0, Shape::kValue, "ack|nack|partial"},
    FlagRow{"nack", 0, Shape::kSwitch, ""},
    FlagRow{"nack-message", 0, Shape::kValue, "TEXT", "what was found"},
    FlagRow{"schema", 0, Shape::kList, "FILE"},
};

constexpr std::array kVariants = {
    Choice<Variant>{"ads", Variant::kAds},     Choice<Variant>{"delta-ads", Variant::kDeltaAds},
    Choice<Variant>{"sotw", Variant::kSotw},   Choice<Variant>{"delta", Variant::kDelta},
    Choice<Variant>{"unary", Variant::kUnary},
};
// Envoy's names of api_type.
constexpr std::array kEnvoyVariants = {
    Choice<Variant>{"GRPC", Variant::kSotw},
    Choice<Variant>{"DELTA_GRPC", Variant::kDelta},
    Choice<Variant>{"AGGREGATED_GRPC", Variant::kAds},
    Choice<Variant>{"AGGREGATED_DELTA_GRPC", Variant::kDeltaAds},
};
constexpr std::array kApis = {Choice<Api>{"v3", Api::kV3}, Choice<Api>{"v2", Api::kV2}};
constexpr std::array kClients = {
    Choice<ClientKind>{"envoy", ClientKind::kEnvoy},
    Choice<ClientKind>{"grpc", ClientKind::kGrpc},
    Choice<ClientKind>{"strict", ClientKind::kStrict},
};
constexpr std::array kWildcards = {
    Choice<WildcardForm>{"legacy", WildcardForm::kLegacy},
    Choice<WildcardForm>{"explicit", WildcardForm::kExplicit},
};
constexpr std::array kOnInvalid = {
    Choice<OnInvalid>{"ack", OnInvalid::kAck},
    Choice<OnInvalid>{"nack", OnInvalid::kNack},
    Choice<OnInvalid>{"partial", OnInvalid::kPartial},
};

absl::StatusOr<Variant> ChooseVariant(const std::string& word) {
  for (const Choice<Variant>& choice : kEnvoyVariants) {
    if (choice.word == word) return choice.value;
  }
  std::string dashed = word;
  for (char& c : dashed) c = c == '_' ? '-' : c;
  return Choose<Variant>("variant", dashed, kVariants);
}

// Puts the value of a flag into *value, unless the flag was not typed.
template <typename T>
absl::Status Take(const CommandLine& line, std::string_view flag, const absl::StatusOr<T>& chosen, T* value) {
  if (!line.Given(flag)) return absl::OkStatus();
  if (!chosen.ok()) return chosen.status();
  *value = *chosen;
  return absl::OkStatus();
}

}  // namespace

std::span<const FlagRow> ProtocolFlags() {
  return kProtocolRows;
}

absl::Status ReadProtocolFlags(const CommandLine& line, const std::optional<config::Bootstrap>& bootstrap,
                               const config::Surroundings& surroundings, ConnectOptions* options) {
  ClientKind client = ClientKind::kEnvoy;
  if (bootstrap) {
    client = bootstrap->client;
    options->variant = bootstrap->variant;
    options->api = bootstrap->api;
  }
  absl::Status status =
      Take(line, "client", Choose<ClientKind>("client", absl::GetFlag(FLAGS_client), kClients), &client);
  if (status.ok()) status = Take(line, "variant", ChooseVariant(absl::GetFlag(FLAGS_variant)), &options->variant);
  if (status.ok()) status = Take(line, "api", Choose<Api>("api", absl::GetFlag(FLAGS_api), kApis), &options->api);
  options->profile = config::ProfileOf(client);
  options->wildcard = options->profile.explicit_wildcard ? WildcardForm::kExplicit : WildcardForm::kLegacy;
  if (status.ok()) {
    status = Take(line, "wildcard", Choose<WildcardForm>("wildcard", absl::GetFlag(FLAGS_wildcard), kWildcards),
                  &options->wildcard);
  }
  if (status.ok()) {
    status = Take(line, "on-invalid", Choose<OnInvalid>("on-invalid", absl::GetFlag(FLAGS_on_invalid), kOnInvalid),
                  &options->on_invalid);
  }
  if (!status.ok()) return status;
  options->nack_all = absl::GetFlag(FLAGS_nack);
  options->nack_message = absl::GetFlag(FLAGS_nack_message);
  options->verbosity = Verbosity();
  options->quiet = IsQuiet();
  absl::StatusOr<std::vector<schema::SchemaFile>> schemas =
      ReadSchemaFiles(absl::GetFlag(FLAGS_schema).values, surroundings);
  if (!schemas.ok()) return schemas.status();
  options->schemas = *std::move(schemas);
  return absl::OkStatus();
}

}  // namespace xdscope::cli
