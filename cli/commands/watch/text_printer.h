// What `watch` sees, as lines for people: a head for each response with the time, and below it the resources that came,
// went and changed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands/watch/printer.h"
#include "cli/flags/options.h"
#include "cli/print/changes.h"
#include "lib/base/clock.h"
#include "lib/format/document.h"
#include "lib/format/output.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class TextPrinter final : public WatchPrinter {
 public:
  struct Settings {
    OutputOptions output;
    bool full = false;   // what came or changed as a whole, in the format of `output`, in place of differences
    bool files = false;  // they are no responses: they have no nonce, and nobody hears an answer
    WallClock wall;
  };

  // `types` and `out` must live longer.
  TextPrinter(Settings settings, wire::Types& types, format::Output& out);

  void Connected(const session::Connected& connected) override;
  void Closed(const session::Closed& closed) override;
  void Unreadable(const session::Unreadable& unreadable) override;
  void Response(const source::Update& update, const client::Judgement& judgement) override;
  void Resource(const client::ResourceEvent& event) override;
  void Told() override;
  void Repeated(const client::Repetition& repetition) override;

 private:
  using Kind = client::ResourceEvent::Kind;
  // A response whose changes are still being told. The head counts them, so that they are kept until then.
  struct Head {
    std::string before;  // the counts
    std::string after;
  };

  void Change(const client::ResourceEvent& event);
  void Whole(const client::ResourceEvent& event);
  void Remark(std::string_view mark, const client::ResourceEvent& event, std::string_view words);
  void Line(std::string_view text);
  std::string Counts() const;
  std::string CountsInWords() const;

  const Settings settings_;
  wire::Types& types_;
  format::Output& out_;
  std::string body_;  // lines that stand below the head
  format::Output body_out_;
  ChangePrinter changes_;
  std::optional<Head> head_;
  std::array<std::size_t, 6> counts_{};  // by Kind
  std::optional<std::chrono::system_clock::time_point> last_response_;
};

}  // namespace xdscope::cli
