// Streams over strings: what a run would print, an environment and files of the test's own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/console/streams.h"
#include "tests/fake/memory_files.h"

namespace xdscope::cli {

struct TestStreams {
  std::string out;
  std::string err;
  std::map<std::string, std::string, std::less<>> environment;
  std::map<std::string, std::string> files;  // that flags name
  fake::MemoryFiles disk;                    // that a TARGET names
  // What was written: relative paths are in "/here".
  struct Written {
    std::string text;
    Readers readers;
  };
  std::map<std::string, Written> written;
  std::string cannot_write;  // this path, or this folder

  static std::string Absolute(const std::string& path) { return path.starts_with('/') ? path : "/here/" + path; }

  Streams Get() {
    Streams streams;
    streams.files = &disk;
    streams.out.write = [this](std::string_view text) { return out.append(text), true; };
    streams.err.write = [this](std::string_view text) { return err.append(text), true; };
    streams.surroundings.environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    streams.surroundings.read_file = [this](const std::string& path,
                                            std::size_t /*most*/) -> absl::StatusOr<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return absl::InvalidArgumentError("No such file or directory");
      return found->second;
    };
    streams.make_folder = [this](const std::string& path) -> absl::StatusOr<std::string> {
      if (path == cannot_write) return absl::UnavailableError("Read-only file system");
      return Absolute(path);
    };
    streams.put_file = [this](const std::string& path, std::string_view text, Readers readers) {
      if (path == cannot_write) return absl::UnavailableError("No space left on device");
      written[path] = {std::string(text), readers};
      return absl::OkStatus();
    };
    return streams;
  }
};

}  // namespace xdscope::cli
