#include "cli/flags/protocol.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/choice.h"
#include "cli/args/flag.h"
#include "cli/args/usage_error.h"
#include "cli/flags/messages.h"
#include "cli/flags/schema.h"
#include "lib/transport/target.h"

// Type, name, default, form and text of each flag.
#define PROTOCOL_FLAGS(FLAG)                                                                                   \
  FLAG(std::string, variant, "ads", Value("ads|delta-ads|sotw|delta|unary"),                                   \
       "Ask for all types on one stream, on a stream for each type, or by the Fetch methods. Envoy's "         \
       "names (GRPC, DELTA_GRPC, AGGREGATED_GRPC, AGGREGATED_DELTA_GRPC) are taken too.")                      \
  FLAG(std::string, api, "v3", Value("v3|v2"), "Use this version of the transport and of the resources.")      \
  FLAG(std::string, client, "envoy", Value("envoy|grpc|strict", "envoy; grpc with a gRPC bootstrap"),          \
       "Follow this client's habits where the protocol leaves a choice. grpc never asks for everything.")      \
  FLAG(std::string, wildcard, "legacy", Value("legacy|explicit", "legacy; explicit with --client strict"),     \
       "Say \"everything\" by an empty list, or by *.")                                                        \
  FLAG(std::string, on_invalid, "ack", Value("ack|nack|partial"),                                              \
       "Answer a response with a bad resource in this way: accept it, refuse it, or keep its good part. With " \
       "--client grpc, nack keeps the good part too, as gRPC does. What is bad is said in each case.")         \
  FLAG(bool, nack, false, Switch(), "Refuse every response, once per version.")                                \
  FLAG(std::string, nack_message, "", Value("TEXT", "what was found"), "Refuse with this text.")

PROTOCOL_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

using client::JudgePolicy;
using config::ClientKind;
using protocol::Wildcard;
using types::Api;
using types::Variant;

constexpr std::array kRows = {PROTOCOL_FLAGS(XDSCOPE_FLAG_ROW)};

constexpr std::array kVariants = {
    Choice<Variant>{"ads", Variant::kAds},     Choice<Variant>{"delta-ads", Variant::kDeltaAds},
    Choice<Variant>{"sotw", Variant::kSotw},   Choice<Variant>{"delta", Variant::kDelta},
    Choice<Variant>{"unary", Variant::kUnary},
};
// Envoy's names of api_type, which people copy from their bootstraps.
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
    Choice<Wildcard>{"legacy", Wildcard::kLegacy},
    Choice<Wildcard>{"explicit", Wildcard::kExplicit},
};
constexpr std::array kOnInvalid = {
    Choice<JudgePolicy::OnInvalid>{"ack", JudgePolicy::OnInvalid::kAck},
    Choice<JudgePolicy::OnInvalid>{"nack", JudgePolicy::OnInvalid::kNack},
    Choice<JudgePolicy::OnInvalid>{"partial", JudgePolicy::OnInvalid::kPartial},
};

absl::StatusOr<Variant> ChooseVariant(const std::string& word) {
  for (const Choice<Variant>& choice : kEnvoyVariants) {
    if (choice.word == word) return choice.value;
  }
  std::string dashed = word;
  for (char& c : dashed) c = c == '_' ? '-' : c;
  return Choose<Variant>(FlagName(FLAGS_variant), dashed, kVariants);
}

// Puts the value of a flag into *value, unless the flag was not typed.
template <typename T>
absl::Status Take(const CommandLine& line, const absl::Flag<std::string>& flag, const absl::StatusOr<T>& chosen,
                  T* value) {
  if (!line.Given(flag)) return absl::OkStatus();
  if (!chosen.ok()) return chosen.status();
  *value = *chosen;
  return absl::OkStatus();
}

}  // namespace

std::span<const FlagRow> ProtocolFlags() {
  return kRows;
}

absl::StatusOr<types::Api> ReadApiFlag() {
  return Choose<Api>(FLAGS_api, kApis);
}

absl::Status ReadProtocolFlags(const CommandLine& line, const std::optional<config::Bootstrap>& bootstrap,
                               ConnectOptions* options) {
  ClientKind client = ClientKind::kEnvoy;
  if (bootstrap) {
    client = bootstrap->client;
  }
  if (const config::ServerConfig* const server = bootstrap ? bootstrap->MainServer() : nullptr; server != nullptr) {
    options->variant = server->variant;
    options->api = server->api;
  }
  absl::Status status = Take(line, FLAGS_client, Choose<ClientKind>(FLAGS_client, kClients), &client);
  if (status.ok()) status = Take(line, FLAGS_variant, ChooseVariant(absl::GetFlag(FLAGS_variant)), &options->variant);
  if (status.ok()) status = Take(line, FLAGS_api, ReadApiFlag(), &options->api);
  options->profile = config::ProfileOf(client);
  options->wildcard = options->profile.explicit_wildcard ? Wildcard::kExplicit : Wildcard::kLegacy;
  if (status.ok()) {
    status = Take(line, FLAGS_wildcard, Choose<Wildcard>(FLAGS_wildcard, kWildcards), &options->wildcard);
  }
  if (status.ok()) {
    status = Take(line, FLAGS_on_invalid, Choose<JudgePolicy::OnInvalid>(FLAGS_on_invalid, kOnInvalid),
                  &options->policy.on_invalid);
  }
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(options->channel.target);
  if (status.ok() && target.ok() && target->rest) {
    if (line.Given(FLAGS_variant)) {
      status = UsageError("--variant", "is for gRPC: REST asks for each type by itself, and has neither ADS nor delta");
    }
    options->variant = Variant::kRest;
  } else if (options->variant == Variant::kRest) {
    options->variant = Variant::kAds;  // that of the bootstrap's server, whose place a TARGET takes
  }
  if (!status.ok()) return status;
  // A client that keeps the good part of what it refuses does so whenever it refuses (K17).
  if (options->profile.nack_keeps_good_part && options->policy.on_invalid == JudgePolicy::OnInvalid::kNack) {
    options->policy.on_invalid = JudgePolicy::OnInvalid::kPartial;
  }
  options->policy.nack_all = absl::GetFlag(FLAGS_nack);
  options->policy.nack_message = absl::GetFlag(FLAGS_nack_message);
  options->verbosity = Verbosity();
  options->quiet = IsQuiet();
  return absl::OkStatus();
}

}  // namespace xdscope::cli
