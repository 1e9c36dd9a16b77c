#include "cli/commands/serve/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "cli/args/flag_types.h"
#include "cli/console/report.h"
#include "cli/flags/messages.h"
#include "cli/flags/named_files.h"
#include "lib/transport/tls.h"

using xdscope::cli::ListFlag;

ABSL_DECLARE_FLAG(ListFlag, schema);
ABSL_FLAG(std::string, listen, "127.0.0.1:18000",
          "Where to listen, also [::1]:PORT or unix:/path; port 0 takes any that is free.");
ABSL_FLAG(std::string, tls_cert, "", "The server's certificate (PEM) and the chain above it.");
ABSL_FLAG(std::string, tls_key, "", "The key (PEM) of that certificate.");
ABSL_FLAG(std::string, client_ca, "", "Who must have signed a client's certificate (PEM).");
ABSL_FLAG(bool, v2, false, "Serve the v2 methods too, with the v2 resources of the folder.");

namespace xdscope::cli {

const std::string_view kServeDetails =
    "DIR holds .yaml, .yml, .json, .pb and .pb_text files: discovery responses, single resources with @type, or lists "
    "of "
    "them. All four stream variants and the Fetch methods are served on one port. When a file is written, renamed or "
    "its link swapped, what changed is pushed; a file that breaks keeps what it last said, and is named with its line. "
    "Versions are hashes of the content.\n\n"
    "The address goes to stderr as `grpc 127.0.0.1:PORT` once it listens.\n\n"
    "Exit: 0 ended by SIGINT or SIGTERM; 2 the command line is wrong; 3 the folder cannot be read, or the address "
    "cannot be used.";

namespace {

constexpr std::array kRows = {
    FlagRow{"listen", 0, Shape::kValue, "HOST:PORT"},
    FlagRow{"tls-cert", 0, Shape::kValue, "FILE", "plaintext"},
    FlagRow{"tls-key", 0, Shape::kValue, "FILE"},
    FlagRow{"client-ca", 0, Shape::kValue, "FILE", "clients need none"},
    FlagRow{"v2", 0, Shape::kSwitch, ""},
};
constexpr std::array kSchemaRows = {FlagRow{"schema", 0, Shape::kList, "FILE"}};

absl::Status Wrong(std::string_view where, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", where, what));
}

absl::Status ReadTls(const CommandLine& line, const Streams& streams, std::optional<transport::ServerTls>* tls) {
  if (line.Given("tls-cert") != line.Given("tls-key")) {
    return Wrong(line.Given("tls-cert") ? "--tls-cert" : "--tls-key", "--tls-cert and --tls-key belong together");
  }
  if (!line.Given("tls-cert")) {
    return line.Given("client-ca") ? Wrong("--client-ca", "needs --tls-cert and --tls-key") : absl::OkStatus();
  }
  transport::ServerTls read;
  absl::Status status =
      ReadPem(streams.surroundings, "tls-cert", absl::GetFlag(FLAGS_tls_cert), "CERTIFICATE", &read.cert_pem);
  if (status.ok())
    status = ReadPem(streams.surroundings, "tls-key", absl::GetFlag(FLAGS_tls_key), "PRIVATE KEY", &read.key_pem);
  if (status.ok()) {
    status =
        ReadPem(streams.surroundings, "client-ca", absl::GetFlag(FLAGS_client_ca), "CERTIFICATE", &read.client_ca_pem);
  }
  if (status.ok()) {
    status = base::Prefix(transport::CheckServerTls(read.cert_pem, read.key_pem, read.client_ca_pem), "TLS");
  }
  if (status.ok()) *tls = std::move(read);
  return status;
}

}  // namespace

std::span<const FlagRow> ServeFlags() {
  return kRows;
}
std::span<const FlagRow> ServeSchemaFlags() {
  return kSchemaRows;
}

absl::StatusOr<ServeSettings> ReadServeLine(const CommandLine& line, const Streams& streams) {
  if (line.words.empty()) return Wrong("DIR", "is missing: the folder with the discovery files");
  if (line.words.size() > 1) return Wrong(line.words[1], "serve takes one folder");
  ServeSettings settings;
  settings.folder = line.words.front();
  if (settings.folder.empty()) return Wrong("DIR", "is empty");
  settings.server.listen = absl::GetFlag(FLAGS_listen);
  const absl::Status status = ReadTls(line, streams, &settings.server.tls);
  if (!status.ok()) return status;
  settings.v2 = absl::GetFlag(FLAGS_v2);
  absl::StatusOr<std::vector<schema::SchemaFile>> schemas =
      ReadSchemaFiles(absl::GetFlag(FLAGS_schema).values, streams.surroundings);
  if (!schemas.ok()) return schemas.status();
  settings.schemas = *std::move(schemas);
  settings.verbosity = Verbosity();
  settings.quiet = IsQuiet();
  return settings;
}

int RunServeLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<ServeSettings> settings = ReadServeLine(line, streams);
  if (!settings.ok()) return ReportUsage(settings.status(), streams);
  return RunServe(*settings, streams);
}

}  // namespace xdscope::cli
