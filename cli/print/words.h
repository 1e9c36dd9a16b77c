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

// Returns a size as "812 B", "14 kB" or "1.5 MB".
std::string SizeWords(std::uint64_t bytes);
// Returns a count with its noun: "1 resource", "12 resources".
std::string CountWords(std::uint64_t count, std::string_view noun);
// Returns a type as a TYPE argument takes it: "cds" for a known one, else the type URL without its usual prefix.
std::string TypeWord(std::string_view type_url);
// Returns "cds:NAME", as a TYPE argument takes it; only the type when there is no name.
std::string ResourceWord(std::string_view type_url, std::string_view name);

// Returns a request in one line: "-> CDS ack, version 3, nonce 7".
std::string RequestLine(const protocol::Request& request);
// Returns an answer as lines say it: "ack", "nack \"text\"", "no answer".
std::string AnswerWords(const std::optional<protocol::Verdict>& verdict);
// Returns a response and its answer in one line, "<- CDS 3 nonce 7: 12 resources, 14 kB: ack"; without a verdict the
// response gets no answer.
std::string ResponseLine(const source::Update& update, const std::optional<protocol::Verdict>& verdict);
// Returns the same without an answer; `changes` stands behind the count of resources: " (+1 ~2)".
std::string ResponseWords(const source::Update& update, std::string_view changes = {});
// Return the two parts of that between which the changes stand.
std::string ResponseStart(const source::Update& update);
// The same of files, which have no nonce.
std::string ReadingStart(const source::Update& update);
std::string ResponseEnd(const source::Update& update);

}  // namespace xdscope::cli
