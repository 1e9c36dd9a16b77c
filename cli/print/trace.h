// What -v and -vv say on stderr while a conversation goes on: one line for each request and response, or all of each,
// secrets hidden.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/console/report.h"
#include "cli/flags/options.h"
#include "cli/print/message.h"
#include "lib/client/judge.h"
#include "lib/schema/schema.h"
#include "lib/source/source.h"
#include "lib/transport/http_client.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class Trace {
 public:
  // All references must outlive it. Where the options name several servers, each line says which it is about.
  Trace(Report& report, wire::Types& types, bool show_secrets, const ConnectOptions& options)
      : report_(report), types_(types), show_secrets_(show_secrets), options_(options) {}

  void Request(const session::Asked& asked);
  // Says what happens in a conversation, as far as it is not a response.
  void Event(const source::Event& event);
  // Says the response, its answer, and what else was found about it, beside the reasons of a refusal: errors always,
  // the rest under -v. With kSaid the line of the response stands on stdout already.
  enum class Head : std::uint8_t { kToSay, kSaid };
  void Response(const source::Update& update, const client::Judgement& judgement, Head head = Head::kToSay);
  // Says that bytes are no response, and why; under -vv prints the first few thousand of them in base64 where secrets
  // are shown, for they may hold some.
  void Unreadable(const session::Unreadable& what);

 private:
  std::string At(session::Place place, std::string_view line) const;
  std::string MessageAt(session::Place place, Direction direction) const;

  Report& report_;
  wire::Types& types_;
  bool show_secrets_;
  const ConnectOptions& options_;
};

// Says under -v where the bootstrap was found and, of several servers, which is asked for what.
void TraceServers(const ConnectOptions& options, Report& report);

// Says under -v which built-in types were replaced, and what of a program could not be used.
void TraceSchema(const schema::Schema& schema, Report& report);

// Prints under -vv the status and the headers of an answer over HTTP.
void TraceAnswer(std::string_view path, const transport::HttpAnswer& answer, Report& report);

// Prints under -vv a message of the discovery protocol, of the type with this full name, as YAML.
void TraceWhole(std::string_view type, std::string_view bytes, bool show_secrets, wire::Types& types, Report& report);

}  // namespace xdscope::cli
