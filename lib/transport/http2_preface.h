// What a client of HTTP/2 says first; every server of HTTP/2 answers it.
#pragma once

#include <string_view>

namespace xdscope::transport {

// The connection preface and an empty SETTINGS frame.
inline constexpr std::string_view kHttp2Preface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

}  // namespace xdscope::transport
