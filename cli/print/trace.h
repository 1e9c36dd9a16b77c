// What -v and -vv say on stderr while a conversation goes on: one line for each request and response, or all of each,
// secrets hidden.
#pragma once

#include "cli/console/report.h"
#include "cli/flags/settings.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/schema/schema.h"
#include "lib/session/session.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class Trace {
 public:
  // Both references must outlive it.
  Trace(Report& report, wire::Types& types, const OutputOptions& output, types::Api api, bool delta)
      : report_(report), types_(types), output_(output), api_(api), delta_(delta) {}

  // Which built-in types were replaced, and what of a program could not be used.
  void Schema(const schema::Schema& schema);
  void Request(const protocol::Request& request);
  // The response, its answer, and what is irregular about it beside the findings: errors always, the rest under -v.
  void Response(const protocol::Response& response, const session::Verdict& verdict);

 private:
  void Whole(std::string_view message, std::string_view bytes);

  Report& report_;
  wire::Types& types_;
  OutputOptions output_;
  types::Api api_;
  bool delta_;
};

// Under -vv: a message of the discovery protocol ("DiscoveryRequest" …) as YAML.
void TraceWhole(types::Api api, std::string_view message, std::string_view bytes, bool show_secrets, wire::Types& types,
                Report& report);

}  // namespace xdscope::cli
