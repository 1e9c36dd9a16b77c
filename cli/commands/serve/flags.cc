#include "cli/commands/serve/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/console/report.h"
#include "cli/flags/messages.h"
#include "cli/flags/named_files.h"
#include "cli/flags/schema.h"
#include "lib/transport/tls.h"

using xdscope::cli::DurationFlag;

// Type, name, default, form and text of each flag.
#define SERVE_FLAGS(FLAG)                                                                                              \
  FLAG(std::string, listen, "127.0.0.1:18000", Value("HOST:PORT"),                                                     \
       "Listen at this address, or at [::1]:PORT or unix:/path; port 0 takes any that is free.")                       \
  FLAG(std::string, rest_listen, "", Value("HOST:PORT", "nowhere"),                                                    \
       "Serve REST too, at this address; port 0 takes any that is free.")                                              \
  FLAG(DurationFlag, hold, {}, Value("DURATION", "none"),                                                              \
       "REST: let a request whose client has the newest version wait so long for a change before it gets a 304.")      \
  FLAG(std::string, tls_cert, "", Value("FILE", "plaintext"), "Show this certificate (PEM), with the chain above it.") \
  FLAG(std::string, tls_key, "", Value("FILE"), "Read the key (PEM) of --tls-cert from this file.")                    \
  FLAG(std::string, client_ca, "", Value("FILE", "clients need none"),                                                 \
       "Demand certificates of clients, signed by these authorities (PEM).")                                           \
  FLAG(bool, v2, false, Switch(), "Serve the v2 methods too, with the v2 resources of the folder.")                    \
  FLAG(bool, lenient, false, Switch(),                                                                                 \
       "Leave out fields and enum values that the schema does not have, and serve the rest, as Envoy would read it.")  \
  FLAG(bool, strict_folder, false, Switch().As("strict"),                                                              \
       "Serve nothing with an error in it: not begin with such a folder (exit 1), later keep what was served last.")   \
  FLAG(DurationFlag, delay, {}, Value("DURATION", "none"), "Fault: send each response so much later.")                 \
  FLAG(std::uint32_t, close_after, 0, Value("N", "never"),                                                             \
       "Fault: close each stream with UNAVAILABLE after so many responses.")                                           \
  FLAG(bool, drop_nonce, false, Switch(), "Fault: send responses without a nonce.")                                    \
  FLAG(bool, resend_refused, false, Switch(),                                                                          \
       "Fault: send what a client refuses again at once, as often as it refuses it.")

SERVE_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kServeDetails =
    "DIR holds .yaml, .yml, .json, .pb and .pb_text files: discovery responses, single resources with @type, or lists "
    "of them. All four stream variants and the Fetch methods are served on one port, REST on another. When a file is "
    "written, renamed "
    "or its link swapped, what changed is pushed; a file that breaks keeps what it last said, and is named with its "
    "line. "
    "A field or an enum value that the schema does not have breaks it too, unless --lenient. "
    "The files are judged as `xdscope validate` does it: what is wrong is named with its line, and served all the "
    "same, "
    "unless --strict. When a client refuses something, its words stand beside the lines of the resources that they "
    "name, "
    "and what was found there. "
    "Versions are hashes of the content. "
    "A resource in a wrapper (envoy.service.discovery.v3.Resource) with a ttl is kept alive by heartbeats at half of "
    "it, in delta, and in SotW for clients that announce xds.config.resource-in-sotw and "
    "xds.config.supports-resource-ttl.\n\n"
    "REST is POST to /v3/discovery:clusters and its like, JSON in and out, with 304 where the client has the version "
    "already; the version of a request with names is that of these resources alone. Of the faults --delay alone counts "
    "there.\n\n"
    "The addresses go to stderr as `grpc 127.0.0.1:PORT` and `rest 127.0.0.1:PORT` once it listens.\n\n"
    "Exit: 0 ended by SIGINT or SIGTERM; 1 there is an error in the folder (--strict); 2 the command line is wrong; 3 "
    "the folder cannot be read, the address "
    "cannot be used, or there are no descriptors left for clients.";

namespace {

constexpr std::array kRows = {SERVE_FLAGS(XDSCOPE_FLAG_ROW)};

absl::Status ReadTls(const CommandLine& line, const Streams& streams, std::optional<transport::ServerTls>* tls) {
  if (line.Given(FLAGS_tls_cert) != line.Given(FLAGS_tls_key)) {
    return UsageError(line.Given(FLAGS_tls_cert) ? "--tls-cert" : "--tls-key",
                      "--tls-cert and --tls-key belong together");
  }
  if (!line.Given(FLAGS_tls_cert)) {
    return line.Given(FLAGS_client_ca) ? UsageError("--client-ca", "needs --tls-cert and --tls-key") : absl::OkStatus();
  }
  transport::ServerTls read;
  absl::Status status = ReadPem(streams.surroundings, FLAGS_tls_cert, "CERTIFICATE", &read.cert_pem);
  if (status.ok()) status = ReadPem(streams.surroundings, FLAGS_tls_key, "PRIVATE KEY", &read.key_pem);
  if (status.ok()) {
    status = ReadPem(streams.surroundings, FLAGS_client_ca, "CERTIFICATE", &read.client_ca_pem);
  }
  if (status.ok()) {
    status = base::Prefix(transport::CheckServerTls(read.cert_pem, read.key_pem, read.client_ca_pem), "TLS");
  }
  if (status.ok()) *tls = std::move(read);
  return status;
}

// Checks everything, reads certificates and starts nothing. Fails with INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<ServeOptions> ReadServeLine(const CommandLine& line, const Streams& streams) {
  if (line.words.empty()) return UsageError("DIR", "is missing: the folder with the discovery files");
  if (line.words.size() > 1) return UsageError(line.words[1], "serve takes one folder");
  ServeOptions settings;
  settings.folder = line.words.front();
  if (settings.folder.empty()) return UsageError("DIR", "is empty");
  settings.where = settings.folder;
  settings.server.listen = absl::GetFlag(FLAGS_listen);
  const absl::Status status = ReadTls(line, streams, &settings.server.tls);
  if (!status.ok()) return status;
  settings.rest_listen = absl::GetFlag(FLAGS_rest_listen);
  settings.hold = absl::GetFlag(FLAGS_hold).value;
  if (line.Given(FLAGS_rest_listen) && settings.rest_listen.empty()) return UsageError("--rest-listen", "is empty");
  if (line.Given(FLAGS_hold) && settings.rest_listen.empty()) return UsageError("--hold", "needs --rest-listen");
  settings.v2 = absl::GetFlag(FLAGS_v2);
  settings.strict = absl::GetFlag(FLAGS_strict_folder);
  if (settings.strict && absl::GetFlag(FLAGS_lenient)) return UsageError("--strict", "does not go with --lenient");
  if (absl::GetFlag(FLAGS_lenient)) settings.strictness = files::Strictness::kLenient;
  settings.faults.delay = absl::GetFlag(FLAGS_delay).value;
  settings.faults.close_after = absl::GetFlag(FLAGS_close_after);
  settings.faults.drop_nonce = absl::GetFlag(FLAGS_drop_nonce);
  settings.faults.resend_refused = absl::GetFlag(FLAGS_resend_refused);
  settings.verbosity = Verbosity();
  settings.quiet = IsQuiet();
  return settings;
}

}  // namespace

std::span<const FlagRow> ServeFlags() {
  return kRows;
}

int RunServeLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<ServeOptions> settings = ReadServeLine(line, streams);
  if (!settings.ok()) return ReportUsage(settings.status(), streams);
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  return RunServe(*settings, **loaded, streams);
}

}  // namespace xdscope::cli
