// Streams over strings, and one run of the command line in this process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/streams.h"

namespace xdscope::cli {

struct TestStreams {
  std::string out;
  std::string err;
  std::map<std::string, std::string, std::less<>> environment;

  Streams Get() {
    Streams streams;
    streams.out.write = [this](std::string_view text) { return out.append(text), true; };
    streams.err.write = [this](std::string_view text) { return err.append(text), true; };
    streams.environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    return streams;
  }
};

}  // namespace xdscope::cli
