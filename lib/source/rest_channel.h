// REST as a channel: a stream of one request is an HTTP exchange, its method the path (XDS-R01). The request goes out
// as JSON, the body comes back as the one message, both serialized on this side, so that whoever speaks the protocol
// sees no difference to a unary call. HTTP 304 ends it with OK and without a message (XDS-R02), every other status but
// 200 with HttpError() (XDS-R03).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/clock.h"
#include "lib/transport/http_client.h"
#include "lib/transport/stream.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::source {

class RestChannel final : public transport::Channel {
 public:
  struct Settings {
    std::string url;  // of the server, as messages name it: "http://127.0.0.1:18001"
    types::Api api = types::Api::kV3;
    // Is told what is odd in a body that was read all the same, "URL:LINE:COLUMN: what".
    std::function<void(std::string_view)> remark = [](std::string_view) {};
    // Is told each answer, before it is read.
    std::function<void(std::string_view path, const transport::HttpAnswer&)> answered =
        [](std::string_view, const transport::HttpAnswer&) {};
  };

  // Clock and types must outlive it.
  RestChannel(base::Clock& clock, std::unique_ptr<transport::HttpClient> client, wire::Types& types, Settings settings);

  // Ends with INVALID_ARGUMENT where what was written is no request, with DATA_LOSS where the body is no response, with
  // INTERNAL for a 304 though no version was said; else as HttpClient does.
  std::unique_ptr<transport::Stream> OpenStream(const std::string& method, transport::StreamEvents& events) override;

 private:
  class Exchange;

  base::Clock& clock_;
  const std::unique_ptr<transport::HttpClient> client_;
  wire::Types& types_;
  const Settings settings_;
};

}  // namespace xdscope::source
