// How things of the protocol are called in lines for people: sizes, counts, types, requests and responses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/protocol/request.h"
#include "lib/protocol/verdict.h"
#include "lib/source/update.h"

namespace xdscope::cli {

// "812 B", "14 kB", "1.5 MB".
std::string SizeWords(std::uint64_t bytes);
// "1 resource", "12 resources".
std::string CountWords(std::uint64_t count, std::string_view noun);
// "cds" for a known type, else the type URL without its usual prefix: what a TYPE argument takes.
std::string TypeWord(std::string_view type_url);
// "cds:NAME", as a TYPE argument takes it; only the type when there is no name.
std::string ResourceWord(std::string_view type_url, std::string_view name);

// "-> CDS ack, version 3, nonce 7": a request in one line.
std::string RequestLine(const protocol::Request& request);
// "<- CDS 3 nonce 7: 12 resources, 14 kB: ack": a response and its answer in one line; without a verdict it gets none.
std::string ResponseLine(const source::Update& update, const std::optional<protocol::Verdict>& verdict);

}  // namespace xdscope::cli
