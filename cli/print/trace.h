// What -v and -vv say on stderr while a conversation goes on: one line for each request and response, or all of each,
// secrets hidden.
#pragma once

#include "cli/console/report.h"
#include "lib/client/judge.h"
#include "lib/protocol/request.h"
#include "lib/schema/schema.h"
#include "lib/source/source.h"
#include "lib/transport/http_client.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class Trace {
 public:
  // Both references must outlive it.
  Trace(Report& report, wire::Types& types, bool show_secrets, types::Api api, bool delta)
      : report_(report), types_(types), show_secrets_(show_secrets), api_(api), delta_(delta) {}

  void Request(const protocol::Request& request);
  // Says what happens in a conversation, as far as it is not a response.
  void Event(const source::Event& event);
  // Says the response, its answer, and what else was found about it, beside the reasons of a refusal: errors always,
  // the rest under -v.
  void Response(const source::Update& update, const client::Judgement& judgement);
  // Says that bytes are no response, and why; under -vv prints the first few thousand of them in base64 where secrets
  // are shown, for they may hold some.
  void Unreadable(std::string_view bytes, std::string_view why);

 private:
  Report& report_;
  wire::Types& types_;
  bool show_secrets_;
  types::Api api_;
  bool delta_;
};

// Says under -v which built-in types were replaced, and what of a program could not be used.
void TraceSchema(const schema::Schema& schema, Report& report);

// Prints under -vv the status and the headers of an answer over HTTP.
void TraceAnswer(std::string_view path, const transport::HttpAnswer& answer, Report& report);

// Prints under -vv a message of the discovery protocol, of the type with this full name, as YAML.
void TraceWhole(std::string_view type, std::string_view bytes, bool show_secrets, wire::Types& types, Report& report);

}  // namespace xdscope::cli
