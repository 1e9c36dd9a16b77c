#include "cli/flags/channel.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/args/version.h"
#include "cli/flags/headers.h"
#include "cli/flags/named_files.h"
#include "lib/config/document.h"
#include "lib/transport/target.h"
#include "lib/transport/tls.h"

using std::chrono::milliseconds;
using xdscope::cli::DurationFlag;
using xdscope::cli::ListFlag;
using xdscope::cli::SizeFlag;

// Type, name, default, form and text of each flag.
#define CONNECTION_FLAGS(FLAG)                                                                                        \
  FLAG(std::string, target, "", Value("TARGET"), "Take this as the TARGET, also where it is the name of a TYPE.")     \
  FLAG(std::string, bootstrap, "", Value("FILE"),                                                                     \
       "Take server, credentials, node and variant from an Envoy bootstrap or a gRPC xDS bootstrap, YAML "            \
       "or JSON. Other flags override it. Each type is asked of its own server, fallbacks in their order; "           \
       "repl talks with the main one.")                                                                               \
  FLAG(bool, plaintext, false, Switch("loopback, unix:, grpc://, http://"), "Connect without TLS.")                   \
  FLAG(bool, tls, false, Switch("every other TARGET"), "Connect with TLS.")                                           \
  FLAG(std::string, cacert, "", Value("FILE", "the roots of the system"),                                             \
       "Trust the certificate authorities (PEM) in this file to sign the server's certificate, in place "             \
       "of those of the bootstrap.")                                                                                  \
  FLAG(std::string, cert, "", Value("FILE"), "Show this certificate (PEM) of ours, for mutual TLS.")                  \
  FLAG(std::string, key, "", Value("FILE"), "Read the key (PEM) of --cert from this file.")                           \
  FLAG(bool, insecure, false, Switch(), "Use TLS, but take any certificate.")                                         \
  FLAG(std::string, authority, "", Value("NAME", "the TARGET's host"),                                                \
       "Call the server by this name in requests, and expect it in its certificate.")                                 \
  FLAG(ListFlag, header, {}, List("'NAME: VALUE'").Letter('H'),                                                       \
       "Send this metadata with every stream. ${ENV} expands; a name that ends in -bin takes base64. "                \
       "Repeats.")                                                                                                    \
  FLAG(DurationFlag, connect_timeout, {milliseconds(10000)}, Value("DURATION"),                                       \
       "Give up connecting after this long; 0 sets no limit.")                                                        \
  FLAG(DurationFlag, max_time, {}, Value("DURATION"), "End the whole run after this long (exit 4); 0 sets no limit.") \
  FLAG(DurationFlag, poll, {milliseconds(5000)}, Value("DURATION"),                                                   \
       "REST: what goes on (watch, auto in the repl) asks again this long after an answer, and by chance up to as "   \
       "much later.")                                                                                                 \
  FLAG(bool, error_detail, false, Switch(), "REST: let the request after a refusal say why.")                         \
  FLAG(DurationFlag, request_timeout, {milliseconds(10000)}, Value("DURATION"),                                       \
       "REST: take a request as failed when its whole answer has not come by then; 0 sets no limit. Over the time "   \
       "that a server holds a poll.")                                                                                 \
  FLAG(DurationFlag, keepalive_time, {}, Value("DURATION"), "Ping the server this often; 0 sends no pings.")          \
  FLAG(SizeFlag, max_message, {1'000'000'000}, Value("SIZE"),                                                         \
       "Take no message that is larger than this, as it came or unpacked (64MB, 1GB).")                               \
  FLAG(std::string, user_agent, "", Value("TEXT", "xdscope/VERSION"),                                                 \
       "Put this in front of gRPC's own user agent; REST sends it alone.")

CONNECTION_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {CONNECTION_FLAGS(XDSCOPE_FLAG_ROW)};

bool HasTlsFlag(const CommandLine& line) {
  return absl::GetFlag(FLAGS_tls) || absl::GetFlag(FLAGS_insecure) || line.Given(FLAGS_cacert) ||
         line.Given(FLAGS_cert) || line.Given(FLAGS_key);
}

// Decides whether the connection is encrypted: by a flag, else by the bootstrap where it names the server too (else it
// is null), else by the scheme of the TARGET, else by whether the TARGET is on this machine.
absl::StatusOr<bool> DecideTls(const CommandLine& line, const transport::Target& target,
                               const config::ServerConfig* server) {
  using Security = transport::Target::Security;
  const bool plaintext = absl::GetFlag(FLAGS_plaintext);
  if (plaintext && HasTlsFlag(line))
    return UsageError("--plaintext", "contradicts --tls, --cacert, --cert, --key, --insecure");
  if (plaintext && target.security == Security::kTls) {
    return UsageError("--plaintext", target.rest ? "contradicts https://" : "contradicts grpcs://");
  }
  if (target.rest && target.security == Security::kPlaintext && HasTlsFlag(line)) {
    return UsageError("TARGET", "http:// is plaintext: give https:// with --tls, --cacert, --cert, --key, --insecure");
  }
  if (plaintext || HasTlsFlag(line)) return !plaintext;
  if (server != nullptr) return server->channel.tls.has_value();
  if (target.security != Security::kUnsaid) return target.security == Security::kTls;
  return !target.is_local;
}

// Puts the flags that say who the server must be over what the bootstrap asks for. An authority or a name that a person
// gives takes the place of the bootstrap's; where no name is left the host's counts, as it does without a bootstrap,
// unless the bootstrap knows the very certificate. `elsewhere`: the TARGET is another than the bootstrap's.
void ReadTrustFlags(const CommandLine& line, bool elsewhere, transport::Tls* tls) {
  if (elsewhere || line.Given(FLAGS_authority)) {
    tls->names.clear();
    tls->sni.clear();
  }
  const bool demands = line.Given(FLAGS_cacert) || (line.Given(FLAGS_insecure) && !InsecureFlag());
  if (demands) {
    tls->check_chain = true;
    tls->insecure = false;
  }
  if (InsecureFlag()) tls->insecure = true;
  const bool pinned = !tls->certificate_hashes.empty() || !tls->key_hashes.empty();
  const bool by_host = line.Given(FLAGS_authority) || (!pinned && (elsewhere || demands));
  if (by_host && tls->names.empty()) tls->check_host = true;
}

// Puts the TLS flags over what the bootstrap says, and tries the result, so that a bad key is an error of the command
// line and not of the connection.
absl::Status ReadTlsFlags(const CommandLine& line, const config::Surroundings& surroundings, transport::Tls* tls) {
  if (line.Given(FLAGS_cert) != line.Given(FLAGS_key))
    return UsageError(line.Given(FLAGS_cert) ? "--cert" : "--key", "--cert and --key belong together");
  absl::Status status = ReadPem(surroundings, FLAGS_cacert, "CERTIFICATE", &tls->ca_pem);
  if (status.ok()) status = ReadPem(surroundings, FLAGS_cert, "CERTIFICATE", &tls->cert_pem);
  if (status.ok()) status = ReadPem(surroundings, FLAGS_key, "PRIVATE KEY", &tls->key_pem);
  if (!status.ok()) return status;
  if (tls->ca_pem.empty() && tls->cert_pem.empty() && tls->key_pem.empty()) return absl::OkStatus();
  const auto context = transport::MakeSslContext(*tls);
  return context.ok() ? absl::OkStatus() : UsageError("TLS", base::Message(context.status()));
}

// Returns the bootstrap's error about a server that cannot be verified as it asks, unless a flag says whom to trust.
absl::Status CheckVerification(const CommandLine& line, const config::ServerConfig* server) {
  const bool said = line.Given(FLAGS_cacert) || InsecureFlag();
  if (said || server == nullptr || server->verification.ok()) return absl::OkStatus();
  const std::string_view what = base::Message(server->verification);
  return base::Error(absl::StatusCode::kInvalidArgument,
                     fmt::format("{}; give --cacert FILE to say whom to trust, or --insecure", what));
}

// Adds what was typed; it takes the place of what a bootstrap has under the same name.
absl::Status ReadHeaders(const Environment& environment, transport::Metadata* headers) {
  transport::Metadata typed;
  for (const std::string& text : absl::GetFlag(FLAGS_header).values) {
    auto header = ParseHeader(text, environment);
    if (!header.ok()) return header.status();
    typed.push_back(*std::move(header));
  }
  std::erase_if(*headers, [&](const auto& given) {
    return std::ranges::any_of(typed, [&](const auto& header) { return header.first == given.first; });
  });
  headers->insert(headers->end(), typed.begin(), typed.end());
  return absl::OkStatus();
}

// Those of REST alone are refused where there is none.
absl::Status CheckRestFlags(const CommandLine& line, bool rest) {
  constexpr std::string_view kOnly = "is for REST: a TARGET that begins with http:// or https://";
  if (line.Given(FLAGS_request_timeout) && !rest) return UsageError("--request-timeout", kOnly);
  if (line.Given(FLAGS_poll) && !rest) return UsageError("--poll", kOnly);
  if (line.Given(FLAGS_error_detail) && !rest) return UsageError("--error-detail", kOnly);
  constexpr milliseconds kLeast{100};
  return absl::GetFlag(FLAGS_poll).value < kLeast ? UsageError("--poll", "expected 100ms or more") : absl::OkStatus();
}

void ReadLimits(transport::ChannelSettings* channel) {
  channel->connect_timeout = absl::GetFlag(FLAGS_connect_timeout).value;
  channel->request_timeout = absl::GetFlag(FLAGS_request_timeout).value;
  channel->keepalive_time = absl::GetFlag(FLAGS_keepalive_time).value;
  channel->max_message = absl::GetFlag(FLAGS_max_message).value;
}

// A bootstrap as it was found, by the name that messages give it.
struct BootstrapText {
  std::string file;
  std::string text;
};

// gRPC's own clients look there for their bootstrap, at the file first.
constexpr std::string_view kFileVariable = "GRPC_XDS_BOOTSTRAP";
constexpr std::string_view kTextVariable = "GRPC_XDS_BOOTSTRAP_CONFIG";

absl::StatusOr<BootstrapText> ReadText(const config::Surroundings& surroundings) {
  BootstrapText read{.file = absl::GetFlag(FLAGS_bootstrap), .text = {}};
  if (!read.file.empty()) {
    const absl::Status status = ReadFlagFile(surroundings, FLAGS_bootstrap, &read.text);
    return status.ok() ? absl::StatusOr<BootstrapText>(std::move(read)) : status;
  }
  read.file = surroundings.environment(kFileVariable).value_or("");
  if (read.file.empty()) {
    return BootstrapText{std::string(kTextVariable), surroundings.environment(kTextVariable).value_or("")};
  }
  absl::StatusOr<std::string> text = surroundings.read_file(read.file, config::kMostOfFile);
  if (!text.ok()) return UsageError(fmt::format("{}={}", kFileVariable, read.file), base::Message(text.status()));
  read.text = *std::move(text);
  return read;
}

}  // namespace

std::span<const FlagRow> ConnectionFlags() {
  return kRows;
}

bool InsecureFlag() {
  return absl::GetFlag(FLAGS_insecure);
}

std::string TargetFlag() {
  return absl::GetFlag(FLAGS_target);
}

void ReadPollFlags(ConnectOptions* options) {
  options->poll = absl::GetFlag(FLAGS_poll).value;
  options->error_detail = absl::GetFlag(FLAGS_error_detail);
}

std::chrono::milliseconds MaxTimeFlag() {
  return absl::GetFlag(FLAGS_max_time).value;
}

BootstrapFrom WhereBootstrapIs(const std::string& target, const Environment& environment) {
  if (!absl::GetFlag(FLAGS_bootstrap).empty()) return {.exists = true};
  if (!target.empty()) return {};
  const std::string file = environment(kFileVariable).value_or("");
  if (!file.empty()) return {.exists = true, .found = fmt::format("{} ({})", file, kFileVariable)};
  const bool has_text = !environment(kTextVariable).value_or("").empty();
  return {.exists = has_text, .found = has_text ? std::string(kTextVariable) : std::string()};
}

absl::StatusOr<std::optional<config::Bootstrap>> ReadBootstrapOf(const BootstrapFrom& from,
                                                                 const config::Surroundings& surroundings,
                                                                 wire::Types& types) {
  if (!from.exists) return std::optional<config::Bootstrap>();
  const absl::StatusOr<BootstrapText> read = ReadText(surroundings);
  if (!read.ok()) return read.status();
  const absl::StatusOr<config::Document> document = config::ParseDocument(read->text, read->file);
  if (!document.ok()) return document.status();
  absl::StatusOr<config::Bootstrap> bootstrap = config::ReadBootstrap(*document, types, surroundings);
  if (!bootstrap.ok()) return bootstrap.status();
  return std::optional(*std::move(bootstrap));
}

absl::StatusOr<ChannelRead> ReadChannelFlags(const CommandLine& line, const std::string& target,
                                             const config::ServerConfig* server,
                                             const config::Surroundings& surroundings) {
  transport::ChannelSettings channel = server == nullptr ? transport::ChannelSettings() : server->channel;
  if (!target.empty()) channel.target = target;
  const absl::StatusOr<transport::Target> parsed = transport::ParseTarget(channel.target);
  if (!parsed.ok()) return parsed.status();

  const bool is_bootstraps = server != nullptr && target.empty();
  const absl::StatusOr<bool> with_tls = DecideTls(line, *parsed, is_bootstraps ? server : nullptr);
  if (!with_tls.ok()) return with_tls.status();
  if (*with_tls) {
    // Certificates of the bootstrap hold for another TARGET too; its server name does not.
    if (!channel.tls) channel.tls.emplace();
    absl::Status status = CheckVerification(line, server);
    if (status.ok()) status = ReadTlsFlags(line, surroundings, &*channel.tls);
    if (!status.ok()) return status;
    ReadTrustFlags(line, server != nullptr && !is_bootstraps, &*channel.tls);
  } else {
    channel.tls.reset();
  }
  if (server != nullptr && !is_bootstraps) channel.authority.clear();
  if (line.Given(FLAGS_authority)) channel.authority = absl::GetFlag(FLAGS_authority);
  const std::string agent = absl::GetFlag(FLAGS_user_agent);
  channel.user_agent = agent.empty() ? fmt::format("xdscope/{}", kVersion) : agent;
  const Carried carried = !parsed->rest ? Carried::kGrpc : channel.tls ? Carried::kHttps : Carried::kHttp;
  if (!parsed->is_local) channel.http_proxy = ProxyFor(parsed->host, carried, surroundings.environment);
  // Servers of a bootstrap may speak REST.
  const absl::Status rest = CheckRestFlags(line, parsed->rest || target.empty());
  if (!rest.ok()) return rest;
  ReadLimits(&channel);
  const absl::Status headers = ReadHeaders(surroundings.environment, &channel.headers);
  if (!headers.ok()) return headers;
  return ChannelRead{parsed->Display(), std::move(channel)};
}

}  // namespace xdscope::cli
