// One stream of a conversation by hand: a source, what came from it and waits for an answer, what was accepted, and the
// log of both directions. Files are one too: what was read waits for an answer as a response does. It answers nothing
// that nobody told it to. Knows no words and prints nothing; what happens by itself is told to a listener.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/choice.h"
#include "cli/commands/repl/log.h"
#include "lib/base/clock.h"
#include "lib/client/following.h"
#include "lib/client/judge.h"
#include "lib/resource/snapshot.h"
#include "lib/session/unary_session.h"
#include "lib/source/file_source.h"
#include "lib/source/source.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// What answers responses by itself.
enum class Auto : std::uint8_t { kOff, kAck, kNack, kJudge };

// The words of these, as `auto` and --auto take them.
inline constexpr std::array kAutos = {
    Choice<Auto>{"off", Auto::kOff},
    Choice<Auto>{"ack", Auto::kAck},
    Choice<Auto>{"nack", Auto::kNack},
    Choice<Auto>{"judge", Auto::kJudge},
};
std::string_view AutoName(Auto answers);
std::optional<Auto> FindAuto(std::string_view word);

class ReplStream {
 public:
  struct Settings {
    std::string where;  // the target, as a person wrote it
    types::Variant variant = types::Variant::kAds;
    types::Api api = types::Api::kV3;
    Auto answers = Auto::kOff;
    client::JudgePolicy judge;                                                  // of Auto::kJudge
    std::string nack_message = "refused by xdscope, which was told to refuse";  // of Auto::kNack
    resource::ThisServer this_server;                                           // for references
    // When a source that is polled is asked again while answers are given by themselves; nullopt: it is no such source.
    std::optional<session::Polling> polling = {};
  };
  // A response that no `wait` has seen.
  struct Unseen {
    std::string type_url;
    std::uint64_t number = 0;  // counts the responses of this stream, from 1
  };
  static constexpr std::size_t kMostUnseen = 10'000;
  // In bytes, of their types: a server may make them as long as a message.
  static constexpr std::size_t kMostUnseenText = std::size_t{4} << 20;
  // How much of the content that is held a response adds, changes and takes away, if it is accepted.
  struct ContentCounts {
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t removed = 0;
  };
  // What happens by itself. All are called inside the source's own events.
  struct Listener {
    std::function<void(const protocol::Request& request)> asked;
    std::function<void(const source::Update& update, const ContentCounts& counts, const client::Judgement& judgement)>
        came;
    std::function<void(std::string_view bytes, const absl::Status& status)> unreadable;
    std::function<void(std::string_view type_url)> unchanged;  // a poll or a reading brought nothing newer
    std::function<void()> connected;
    std::function<void(const source::FilesRead& read, bool is_first)> read;  // since it is open
    std::function<void(const session::Closed& closed, bool was_connected)> closed;
    std::function<void()> changed;  // after each event
  };

  // All references must outlive it.
  ReplStream(Settings settings, base::Clock& clock, wire::Types& types, std::unique_ptr<source::Source> source,
             Listener listener);

  const Settings& settings() const { return settings_; }
  bool is_open() const { return !connected_.empty(); }
  // Whether a conversation about any type goes on, or is being opened.
  bool has_conversation() const;
  // Whether it was open, or was to be, and is no longer.
  bool is_over() const { return over_; }
  // Whether it never was.
  bool was_never_open() const { return !was_open_; }
  // Whether something that a person did has not gone out yet.
  bool is_busy() const { return source_->IsBusy(); }
  // Since when it is there; since() is that of its present stream.
  base::Time begin() const { return begin_; }
  base::Time since() const { return since_; }
  // The types that were mentioned, in that order.
  const std::vector<std::string>& types() const { return mentioned_; }
  Log& log() { return log_; }
  const Log& log() const { return log_; }
  const resource::Snapshot& held() const { return held_; }
  // The responses that wait for an answer, oldest first.
  const std::deque<source::Update>& waiting() const { return waiting_; }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t responses() const { return responses_; }
  // Whether a response of a type (empty: of any) came that was not seen; See() takes the oldest such. Demands that
  // there is one.
  bool HasUnseen(std::string_view type_url) const;
  Unseen See(std::string_view type_url);
  // What a client would refuse of the last response of a type.
  const std::vector<finding::Finding>& FindingsOf(std::string_view type_url) const;
  // What the protocol knows of a type; nullptr: nothing was asked of it.
  const protocol::Subscription* Find(std::string_view type_url) const;
  // What is asked for of a type; nullptr: nothing ever was.
  const protocol::Interest* InterestIn(std::string_view type_url) const;
  // The files that it is about; nullptr: it is a conversation with a server.
  source::FileSource* files() const { return source_->Files(); }
  // What the files turned out to hold when they were read last.
  const std::vector<source::FilesRead::Type>& types_in_files() const { return types_in_files_; }
  bool Waits(std::string_view type_url) const;
  session::Session* SessionOf(std::string_view type_url) { return source_->SessionOf(type_url); }
  bool CanAsk(std::string_view type_url) const { return source_->CanAsk(type_url); }

  // Opens it, as far as that can be done before anything is wanted. Fails as set_answers() does.
  absl::Status Open();
  void Want(const std::string& type_url, protocol::InterestChange change);
  // Answers a response. NOT_FOUND: it waits for no answer any more.
  absl::Status Answer(const source::Waiter& waiter, const protocol::Verdict& verdict);
  // Sends a request exactly as it is; opens the stream of its type where types have their own. FAILED_PRECONDITION: the
  // stream is closed.
  absl::Status Send(const std::string& type_url, std::string request);
  // Answers by itself, and so polls by itself and watches files, from now on; or no longer. UNAVAILABLE: the files
  // cannot be watched.
  absl::Status set_answers(Auto answers);
  // Asks for a type once more, as it was asked for last, where each request is a call of its own, and reads files.
  void AskAgain(const std::string& type_url);
  // Subscribes to what the resources that are held refer to, and no longer to what none of them does.
  void Follow(bool on);
  bool follows() const { return following_.has_value(); }
  // References that cannot be followed here.
  std::set<client::Elsewhere> elsewhere() const;
  // Opens it again with this node; `fresh` forgets what was held and its versions.
  void Reopen(bool fresh, const std::string& node);
  void Close();

 private:
  void On(source::Event event);
  void OnOpened(const std::string& stream);
  void OnAsked(const protocol::Request& request);
  void OnUpdate(source::Update update);
  void OnClosed(const session::Closed& closed);
  void Mention(const std::string& type_url);
  void Forget(const source::Update& latest);
  void Take(source::Update update, const protocol::Verdict& verdict);
  void PollLater(const std::string& type_url);
  void Drop(const protocol::Changes& changes);
  void Apply(resource::Delivery delivery);
  void FollowChanges();
  ContentCounts CountsOf(const source::Update& update) const;
  std::optional<protocol::Verdict> AnswerByItself(const client::Judgement& judgement) const;

  Settings settings_;
  base::Clock& clock_;
  wire::Types& types_;
  std::unique_ptr<source::Source> source_;
  Listener listener_;
  client::Judge judge_;
  Log log_;
  resource::Snapshot held_;
  std::deque<source::Update> waiting_;
  std::vector<std::string> mentioned_;
  std::vector<source::FilesRead::Type> types_in_files_;
  std::deque<Unseen> unseen_;
  std::size_t unseen_text_ = 0;
  std::map<std::string, protocol::Interest, std::less<>> typed_;  // what a person asked for
  std::optional<client::Following> following_;
  std::map<std::string, std::vector<finding::Finding>, std::less<>> findings_;
  std::map<std::string, base::Timer, std::less<>> polls_;  // by type, until it is asked again
  std::uint64_t requests_ = 0;
  std::uint64_t responses_ = 0;
  bool over_ = false;
  bool was_open_ = false;
  std::set<std::string, std::less<>> connected_;  // conversations
  base::Time begin_;
  base::Time since_;
};

// "NACK \"text\"", "ACK": an answer as the log says it.
std::string VerdictWords(const protocol::Verdict& verdict);

}  // namespace xdscope::cli
