// A conversation by hand over a fake stream, or files in memory ("./mesh"), with a console that takes down what is
// said.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/repl/repl.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/memory_files.h"
#include "tests/fake/messages.h"
#include "tests/unit/source/memory_folder.h"

namespace xdscope::cli {

// Takes what is said, and lets time pass when somebody waits.
class TestConsole final : public Console {
 public:
  explicit TestConsole(fake::FakeClock& clock) : clock_(clock) {
    out_.write = [this](std::string_view text) {
      printed.append(text);
      return true;
    };
  }
  bool NextLine(Repl&, std::string*) override { return false; }
  const OutputStream& out() override { return out_; }
  void Remark(std::string_view line) override { announced.emplace_back(line); }
  const TypedLines& History() const override { return history; }
  void Announce(std::string_view line) override { announced.emplace_back(line); }
  void Changed() override {}
  absl::Status Wait(const std::function<bool()>& done, base::Duration limit) override {
    if (!done()) clock_.Advance(limit);
    return done() ? absl::OkStatus() : absl::DeadlineExceededError("it takes too long");
  }
  void Interrupt() override {}
  void End() override {}

  std::string printed;
  std::vector<std::string> announced;
  TypedLines history;

 private:
  fake::FakeClock& clock_;
  OutputStream out_;
};

class ReplTest : public testing::Test {
 protected:
  ReplTest() {
    Repl::Settings settings;
    settings.connect.where = "server";
    settings.connect.policy.on_invalid = client::JudgePolicy::OnInvalid::kNack;  // as without --on-invalid
    settings.output.width = 0;
    Repl::Services services;
    services.make_source = [this](types::Variant variant, const std::string& node,
                                  const std::string& target) -> std::unique_ptr<source::Source> {
      targets_.push_back(target);
      if (target == "./mesh") return folder_.MakeSource(source::FileSource::Life::kManyReadings);
      source::GrpcSource::Settings made;
      made.variant = variant;
      made.session.node = node;
      return std::make_unique<source::GrpcSource>(clock_, channel_, types_, std::move(made));
    };
    services.explain = [](const absl::Status& status, bool, const std::string&) {
      return Repl::Explanation{std::string(base::Message(status)), "start the server"};
    };
    services.flag_value = [this](std::string_view flag) { return flags_[std::string(flag)]; };
    services.keys = [] { return "emacs"; };
    services.set_keys = [](std::string_view) { return absl::FailedPreconditionError("there are no keys"); };
    services.replay = "xdscope repl server '--node={\n}'";
    services.files = &disk_;
    services.set_flag = [this](std::string_view flag, const std::string& value, Repl::Settings*) {
      flags_[std::string(flag)] = value;
      return absl::OkStatus();
    };
    services.read_file = [this](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files_.find(path);
      if (found == files_.end()) return absl::InvalidArgumentError("no such file");
      return found->second;
    };
    services.write_file = [this](const std::string& path, std::string_view contents) {
      files_[path] = contents;
      return absl::OkStatus();
    };
    repl_.emplace(settings, console_, clock_, types_, services);
    EXPECT_TRUE(repl_->Start().ok());
  }

  void Do(std::string_view line) { EXPECT_EQ(repl_->Execute(line), absl::OkStatus()) << line; }
  std::string Fails(std::string_view line) {
    const absl::Status status = repl_->Execute(line);
    EXPECT_FALSE(status.ok()) << line;
    return std::string(base::Message(status));
  }
  // Types a line and returns what it prints.
  std::string Printed(std::string_view line) {
    console_.printed.clear();
    Do(line);
    return console_.printed;
  }

  fake::FakeStream& stream() { return channel_.last(); }
  // What was sent since this was last asked.
  std::vector<protocol::Request> Sent(protocol::Variant variant = protocol::Variant::kSotw) {
    while (stream().writing) stream().Written();
    std::vector<protocol::Request> requests;
    for (; read_ < stream().written.size(); ++read_) {
      requests.push_back(*protocol::DecodeRequest(variant, stream().written[read_]));
    }
    return requests;
  }
  // Connects, asks for all clusters and gets two.
  void Begin() {
    Do("sub cds");
    stream().Connect();
    Sent();
    stream().Deliver(
        fake::Sotw({.type_url = fake::kCds, .version = "1", .nonce = "n1", .resources = fake::Named({"a", "b"})}));
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  TestConsole console_{clock_};
  std::map<std::string, std::string> files_;
  fake::MemoryFiles disk_;
  source::MemoryFolder folder_{clock_, types_};
  std::map<std::string, std::string> flags_;
  std::vector<std::string> targets_;
  std::size_t read_ = 0;
  std::optional<Repl> repl_;
};

}  // namespace xdscope::cli
