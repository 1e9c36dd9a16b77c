#include "cli/flags/channel.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/version.h"
#include "cli/flags/headers.h"
#include "cli/flags/named_files.h"
#include "lib/config/document.h"
#include "lib/transport/target.h"
#include "lib/transport/tls.h"

using std::chrono::milliseconds;
using xdscope::cli::DurationFlag;
using xdscope::cli::ListFlag;

ABSL_FLAG(std::string, target, "", "The TARGET, also where its name is that of a TYPE.");
ABSL_FLAG(
    std::string, bootstrap, "",
    "Take server, credentials, node and variant from an Envoy bootstrap or a gRPC xDS bootstrap, YAML or JSON. Other "
    "flags override it.");
ABSL_FLAG(bool, plaintext, false, "Connect without TLS.");
ABSL_FLAG(bool, tls, false, "Connect with TLS.");
ABSL_FLAG(std::string, cacert, "", "Certificate authorities (PEM) that may have signed the server's certificate.");
ABSL_FLAG(std::string, cert, "", "Our own certificate (PEM), for mutual TLS.");
ABSL_FLAG(std::string, key, "", "The key of --cert (PEM).");
ABSL_FLAG(bool, insecure, false, "With TLS, but take any certificate.");
ABSL_FLAG(std::string, authority, "", "The server's name: in requests, and the one its certificate must have.");
ABSL_FLAG(ListFlag, header, {},
          "Metadata for every stream. ${ENV} expands; a name that ends in -bin takes base64. Repeats.");
ABSL_FLAG(DurationFlag, connect_timeout, {milliseconds(10000)},
          "How long connecting may take; 0: as long as it takes.");
ABSL_FLAG(DurationFlag, max_time, {}, "How long the whole run may take (exit 4); 0: as long as it takes.");
ABSL_FLAG(DurationFlag, keepalive_time, {}, "Ping the server this often; 0: never.");
ABSL_FLAG(std::string, user_agent, "", "The user agent in front of gRPC's own.");

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {
    FlagRow{"target", 0, Shape::kValue, "TARGET"},
    FlagRow{"bootstrap", 0, Shape::kValue, "FILE"},
    FlagRow{"plaintext", 0, Shape::kSwitch, "", "loopback, unix:, grpc://"},
    FlagRow{"tls", 0, Shape::kSwitch, "", "every other TARGET"},
    FlagRow{"cacert", 0, Shape::kValue, "FILE", "the roots of the system"},
    FlagRow{"cert", 0, Shape::kValue, "FILE"},
    FlagRow{"key", 0, Shape::kValue, "FILE"},
    FlagRow{"insecure", 0, Shape::kSwitch, ""},
    FlagRow{"authority", 0, Shape::kValue, "NAME", "the TARGET's host"},
    FlagRow{"header", 'H', Shape::kList, "'NAME: VALUE'"},
    FlagRow{"connect-timeout", 0, Shape::kValue, "DURATION"},
    FlagRow{"max-time", 0, Shape::kValue, "DURATION"},
    FlagRow{"keepalive-time", 0, Shape::kValue, "DURATION"},
    FlagRow{"user-agent", 0, Shape::kValue, "TEXT", "xdscope/VERSION"},
};

absl::Status Wrong(std::string_view where, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", where, what));
}

bool HasTlsFlag(const CommandLine& line) {
  return absl::GetFlag(FLAGS_tls) || absl::GetFlag(FLAGS_insecure) || line.Given("cacert") || line.Given("cert") ||
         line.Given("key");
}

// Whether the connection is encrypted. `bootstrap` counts only when it names the server too.
absl::StatusOr<bool> DecideTls(const CommandLine& line, const transport::Target& target,
                               const config::Bootstrap* bootstrap) {
  using Security = transport::Target::Security;
  const bool plaintext = absl::GetFlag(FLAGS_plaintext);
  if (plaintext && HasTlsFlag(line))
    return Wrong("--plaintext", "contradicts --tls, --cacert, --cert, --key, --insecure");
  if (plaintext && target.security == Security::kTls) return Wrong("--plaintext", "contradicts grpcs://");
  if (plaintext || HasTlsFlag(line)) return !plaintext;
  if (bootstrap != nullptr) return bootstrap->channel.tls.has_value();
  if (target.security != Security::kUnsaid) return target.security == Security::kTls;
  return !target.is_local;
}

// Puts the TLS flags over what the bootstrap says.
absl::Status ReadTlsFlags(const CommandLine& line, const config::Surroundings& surroundings, transport::Tls* tls) {
  if (line.Given("cert") != line.Given("key"))
    return Wrong(line.Given("cert") ? "--cert" : "--key", "--cert and --key belong together");
  absl::Status status = ReadPem(surroundings, "cacert", absl::GetFlag(FLAGS_cacert), "CERTIFICATE", &tls->ca_pem);
  if (status.ok()) status = ReadPem(surroundings, "cert", absl::GetFlag(FLAGS_cert), "CERTIFICATE", &tls->cert_pem);
  if (status.ok()) status = ReadPem(surroundings, "key", absl::GetFlag(FLAGS_key), "PRIVATE KEY", &tls->key_pem);
  if (!status.ok()) return status;
  if (line.Given("cacert")) tls->insecure = false;
  if (line.Given("insecure")) tls->insecure = absl::GetFlag(FLAGS_insecure);
  if (tls->ca_pem.empty() && tls->cert_pem.empty() && tls->key_pem.empty()) return absl::OkStatus();
  const auto context = transport::MakeSslContext(*tls);
  return context.ok() ? absl::OkStatus() : Wrong("TLS", base::Message(context.status()));
}

absl::Status ReadHeaders(const Environment& environment, transport::Metadata* headers) {
  for (const std::string& text : absl::GetFlag(FLAGS_header).values) {
    auto header = ParseHeader(text, environment);
    if (!header.ok()) return header.status();
    headers->push_back(*std::move(header));
  }
  return absl::OkStatus();
}

void ReadTimes(ConnectOptions* options) {
  options->max_time = absl::GetFlag(FLAGS_max_time).value;
  options->channel.connect_timeout = absl::GetFlag(FLAGS_connect_timeout).value;
  options->channel.keepalive_time = absl::GetFlag(FLAGS_keepalive_time).value;
}

}  // namespace

std::span<const FlagRow> ConnectionFlags() {
  return kRows;
}

std::string TargetFlag() {
  return absl::GetFlag(FLAGS_target);
}

bool HasBootstrap() {
  return !absl::GetFlag(FLAGS_bootstrap).empty();
}

absl::StatusOr<std::optional<config::Bootstrap>> ReadBootstrapFlag(const config::Surroundings& surroundings) {
  const std::string path = absl::GetFlag(FLAGS_bootstrap);
  if (path.empty()) return std::optional<config::Bootstrap>();
  std::string text;
  const absl::Status read = ReadFlagFile(surroundings, "bootstrap", path, &text);
  if (!read.ok()) return read;
  const absl::StatusOr<config::Value> document = config::ParseDocument(text, path);
  if (!document.ok()) return document.status();
  const schema::Schema schema = schema::Schema::Builtin();
  absl::StatusOr<config::Bootstrap> bootstrap = config::ReadBootstrap(*document, path, schema, surroundings);
  if (!bootstrap.ok()) return bootstrap.status();
  return std::optional(*std::move(bootstrap));
}

absl::Status ReadChannelFlags(const CommandLine& line, const std::string& target,
                              const std::optional<config::Bootstrap>& bootstrap,
                              const config::Surroundings& surroundings, ConnectOptions* options) {
  transport::ChannelSettings& channel = options->channel;
  if (bootstrap) channel = bootstrap->channel;
  if (!target.empty()) channel.target = target;
  const absl::StatusOr<transport::Target> parsed = transport::ParseTarget(channel.target);
  if (!parsed.ok()) return parsed.status();
  options->where = parsed->Display();

  const bool is_bootstraps = bootstrap && target.empty();
  const absl::StatusOr<bool> with_tls = DecideTls(line, *parsed, is_bootstraps ? &*bootstrap : nullptr);
  if (!with_tls.ok()) return with_tls.status();
  if (*with_tls) {
    // Certificates of the bootstrap hold for another TARGET too; its server name does not.
    if (!channel.tls) channel.tls.emplace();
    const absl::Status status = ReadTlsFlags(line, surroundings, &*channel.tls);
    if (!status.ok()) return status;
  } else {
    channel.tls.reset();
  }
  if (bootstrap && !is_bootstraps) channel.authority.clear();
  if (line.Given("authority")) channel.authority = absl::GetFlag(FLAGS_authority);
  const std::string agent = absl::GetFlag(FLAGS_user_agent);
  channel.user_agent = agent.empty() ? fmt::format("xdscope/{}", kVersion) : agent;
  if (!parsed->is_local) channel.http_proxy = ProxyFor(parsed->host, surroundings.environment);
  ReadTimes(options);
  return ReadHeaders(surroundings.environment, &channel.headers);
}

}  // namespace xdscope::cli
