#include "cli/commands/repl/recorder.h"

#include <algorithm>

#include <fmt/format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/base/status.h"
#include "lib/wire/secret_names.h"

namespace xdscope::cli {
namespace {

// A wait has this long by itself; where more passed in the conversation, the script says how long.
constexpr std::chrono::seconds kUsualWait{4};
constexpr std::chrono::seconds kMargin{5};

bool IsKeyLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

}  // namespace

bool HoldsSecret(std::string_view line) {
  if (absl::StrContains(absl::AsciiStrToLower(base::ToAbsl(line)), "bearer ")) return true;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t begin = at;
    while (at < line.size() && IsKeyLetter(line[at])) ++at;
    if (at == begin) continue;
    const std::size_t next = line.find_first_not_of(" \t'\"", at);
    const bool is_key = next != line.npos && (line[next] == ':' || line[next] == '=');
    if (is_key && wire::SecrecyOfKey(line.substr(begin, at - begin)) != wire::KeySecrecy::kHarmless) return true;
  }
  return false;
}

void Recorder::OnResponse(Response response) {
  if (came_.size() == kMostResponses || types_size_ + response.type.size() > kMostOfTypes) return;
  types_size_ += response.type.size();
  came_.push_back(std::move(response));
}

Recorder::Response Recorder::TakeOldest() {
  Response oldest = std::move(came_.front());
  came_.pop_front();
  types_size_ -= oldest.type.size();
  return oldest;
}

void Recorder::OnLine(std::string_view line, int stream, base::Time now) {
  SayWaits(stream, came_.size());
  Say(line, now);
}

// One that stands in the script already was waited for there.
void Recorder::OnWait(std::string_view line, int stream, std::uint64_t number, base::Time now) {
  const auto waited = std::find_if(came_.begin(), came_.end(), [&](const Response& response) {
    return response.stream == stream && response.number == number;
  });
  if (waited == came_.end()) return;
  SayWaits(stream, static_cast<std::size_t>(waited - came_.begin()));
  TakeOldest();
  Say(line, now);
}

// Writes a wait for each of the first responses. `wait` is about one stream, so others are made current for it.
void Recorder::SayWaits(int stream, std::size_t count) {
  int current = stream;
  for (; count > 0; --count) {
    const Response response = TakeOldest();
    if (response.stream != current && stream != 0) lines_.Add(fmt::format("use {}", response.stream));
    if (stream != 0) current = response.stream;
    const auto passed = std::chrono::ceil<std::chrono::seconds>(response.at - last_);
    const bool long_ago = last_ != base::Time() && passed > kUsualWait;
    lines_.Add(fmt::format("wait {}{}", response.type,
                           long_ago ? fmt::format(" --for {}s", (passed + kMargin).count()) : std::string()));
    last_ = response.at;
  }
  if (current != stream) lines_.Add(fmt::format("use {}", stream));
}

void Recorder::Say(std::string_view line, base::Time now) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view verb = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  lines_.Add(HoldsSecret(line) ? fmt::format("# {}: left out, because it holds a secret", verb) : std::string(line));
  last_ = now;
}

std::string Recorder::Script() const {
  std::string script;
  if (lines_.dropped() > 0)
    script = fmt::format("# the first {} lines are left out: they are too many\n", lines_.dropped());
  for (const std::string& line : lines_.lines()) script.append(line).append("\n");
  return script;
}

}  // namespace xdscope::cli
