#include "cli/console/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/transport/http_status.h"
#include "lib/transport/probe.h"

namespace xdscope::cli {
namespace {

using transport::CertificateProblem;
using transport::Peer;
using transport::ProbeResult;

struct ProblemRow {
  CertificateProblem problem;
  Cause cause;
  std::string_view fact;
};

constexpr ProblemRow kProblems[] = {
    {CertificateProblem::kExpired, Cause::kBadCertificate, "the server's certificate has expired"},
    {CertificateProblem::kNotYetValid, Cause::kBadCertificate, "the server's certificate is not valid yet"},
    {CertificateProblem::kUnknownAuthority, Cause::kUnknownAuthority,
     "the server's certificate is signed by an unknown authority"},
    {CertificateProblem::kWrongName, Cause::kWrongName, "the server's certificate is for another name"},
    {CertificateProblem::kWrongHash, Cause::kBadCertificate,
     "the server's certificate is none of those that the bootstrap names by their hashes"},
    {CertificateProblem::kOther, Cause::kBadCertificate, "the server's certificate cannot be verified"},
    {CertificateProblem::kClientRequired, Cause::kWantsCertificate, "the server wants a client certificate"},
    {CertificateProblem::kClientRefused, Cause::kWantsCertificate, "the server does not take our certificate"},
};

Diagnosis Made(Cause cause, const absl::Status& status, std::string_view fact) {
  return {.cause = cause, .status = base::Error(status.code(), fact)};
}

// The peer speaks TLS, as we do, and still there was no connection: a certificate is wrong, the handshake failed, or
// what is spoken inside is not HTTP/2.
Diagnosis OfTls(const ProbeResult& peer, const absl::Status& status, bool rest) {
  for (const ProblemRow& row : kProblems) {
    if (row.problem != peer.problem) continue;
    Diagnosis failure = Made(row.cause, status, row.fact);
    failure.certificate_names = fmt::format("{}", fmt::join(peer.names, ", "));
    return failure;
  }
  if (!peer.handshake_done) {
    return Made(rest ? Cause::kOther : Cause::kNotGrpc, status,
                fmt::format("the TLS handshake failed: {}", peer.detail));
  }
  if (rest) return {.cause = Cause::kOther, .status = status};
  if (peer.alpn != "h2") return Made(Cause::kNotGrpc, status, "the server speaks TLS, but not HTTP/2: no gRPC there");
  return {.cause = Cause::kOther, .status = status};
}

// Puts what the probe met beside what we spoke. Where the probe meets a server that should have worked, the fact is the
// status of the call after all.
Diagnosis OfPeer(const ProbeResult& peer, const absl::Status& status, const ConnectOptions& options) {
  const bool tls = options.channel.tls.has_value();
  const bool rest = options.variant == types::Variant::kRest;
  switch (peer.peer) {
    case Peer::kUnresolved:
      return Made(Cause::kUnresolved, status, fmt::format("no such host: {}", peer.detail));
    case Peer::kRefused:
      return Made(Cause::kRefused, status, "connection refused");
    case Peer::kTls:
      if (tls) return OfTls(peer, status, rest);
      return Made(Cause::kPlaintextAtTls, status, "the server speaks TLS, and we spoke plaintext");
    case Peer::kPlaintextHttp2:
    case Peer::kHttp1:
      if (tls) return Made(Cause::kTlsAtPlaintext, status, "the server speaks plaintext, and we spoke TLS");
      if (rest && peer.peer == Peer::kHttp1) break;
      if (rest) return Made(Cause::kGrpcAtRest, status, "the server speaks HTTP/2, and no HTTP/1.1");
      if (peer.peer == Peer::kHttp1) return Made(Cause::kNotGrpc, status, "a web server without HTTP/2: no gRPC there");
      break;
    case Peer::kSilent:
      if (rest) break;
      return Made(Cause::kNotGrpc, status, "the server takes the connection and says nothing");
    case Peer::kClosed:
      if (rest) break;
      return Made(Cause::kNotGrpc, status, "the server takes the connection and closes it");
    case Peer::kOther:
      if (rest) break;
      return Made(Cause::kNotGrpc, status, "what answers there is no gRPC server");
    case Peer::kUnreachable:
      break;
  }
  return {.cause = Cause::kOther, .status = status, .from_server = !rest && peer.peer == Peer::kPlaintextHttp2};
}

// The codes with which a call fails that never had a connection.
bool MayHaveHadNoConnection(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kDeadlineExceeded;
}

// An answer says by itself what is wrong. Where there was none the peer is looked at, but not past a proxy.
Diagnosis OfRest(const absl::Status& status, bool connected, const ConnectOptions& options) {
  if (transport::HttpStatusOf(status)) return {.cause = Cause::kHttpStatus, .status = status};
  const bool proxied = !options.channel.http_proxy.empty();
  const bool cut = status.code() == absl::StatusCode::kUnavailable || (!connected && MayHaveHadNoConnection(status));
  if (cut && !proxied) {
    return OfPeer(transport::Probe(options.channel), status, options);
  }
  const bool late = connected && absl::IsDeadlineExceeded(status);
  return {.cause = late ? Cause::kLate : CauseOf(status), .status = status};
}

}  // namespace

Diagnosis Diagnose(const absl::Status& status, bool connected, const ConnectOptions& options) {
  if (options.variant == types::Variant::kRest) return OfRest(status, connected, options);
  if (!connected && MayHaveHadNoConnection(status)) {
    return OfPeer(transport::Probe(options.channel), status, options);
  }
  if (status.ok()) return Made(Cause::kLost, absl::UnavailableError(""), "the server ended the stream");
  // gRPC's own words for an answer that is plain HTTP, and its code for this status.
  if (base::Message(status).find("http2 header with status: 404") != std::string_view::npos) {
    return Made(Cause::kNotGrpc, status, "what answers there is no gRPC server: HTTP 404");
  }
  const Cause cause = CauseOf(status);
  return {.cause = cause, .status = status, .from_server = cause != Cause::kGarbage && cause != Cause::kTooLarge};
}

}  // namespace xdscope::cli
