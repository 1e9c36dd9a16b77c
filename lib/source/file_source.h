// Files as a source: what a folder of discovery files holds, or one file. It answers an interest at once: a name that
// is not there is absent, for good or until the files are read again. Verdicts are taken as any source takes them, and
// nobody is told. Knows contents, interests and names; how files are read, when and on which thread, is its owner's
// business.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/clock.h"
#include "lib/files/contents.h"
#include "lib/files/folder_reader.h"
#include "lib/source/source.h"
#include "lib/wire/type.h"

namespace xdscope::source {

class FileSource final : public Source {
 public:
  // Begins to read the files. Take() follows, not inside the call.
  using Read = std::function<void()>;
  // Begins to read them by itself whenever something happens to them, or ends that. UNAVAILABLE: it cannot.
  using Watch = std::function<absl::Status(bool on)>;
  enum class Life : std::uint8_t { kOneReading, kManyReadings };

  // `clock` and `types` must outlive it. Calls `read` when it is opened or first asked for something, and then where a
  // person says so: see ReadAgain().
  FileSource(base::Clock& clock, wire::Types& types, Read read, Life life = Life::kOneReading, Watch watch = {});

  // Takes what was read, once or again and again. Tells FilesRead (of a later reading where there is news), then an
  // update for each type that is wanted: all at first, then what came, changed and went since the last one. Where
  // nothing can be read at first it closes instead: DATA_LOSS where something is wrong with the files, NOT_FOUND where
  // there are none. With many readings it goes on where there is a folder, or a file, that may become good.
  void Take(const files::FolderReader::Reading& reading);

  void Listen(Listener listener) override { listener_ = std::move(listener); }
  bool CanAsk(std::string_view /*type_url*/) const override { return true; }
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) override;
  // Whether it is reading, or has something to tell.
  bool IsBusy() const override;
  bool IsOpen(std::string_view type_url) const override;
  // Files are read whoever reads them.
  void SetNode(const std::string& /*node*/) override {}
  // Begins to read; with many readings also after the end, and then tells what has changed since it told last.
  void Open() override;
  session::Session* SessionOf(std::string_view /*type_url*/) override { return nullptr; }
  FileSource* Files() override { return this; }
  void Finish() override;

  // ---- For a person who says himself when they are read. Each demands many readings.

  // Reads what is there now and tells of the type in any case: what came, changed and went since it told last, what was
  // refused, or that there is nothing newer. Opens it where it is over.
  void ReadAgain(std::string_view type_url);
  // Goes on reading when something happens to the files, after a reading of what is there now, or no longer.
  // UNAVAILABLE: the system has no watch left.
  absl::Status SetWatching(bool on);
  // Returns the names of a type that the files have, sorted.
  std::vector<std::string_view> NamesOf(std::string_view type_url) const;

  // What is wanted of one type, and what was told of it.
  struct Wanted {
    protocol::Interest interest;
    std::vector<std::string> new_names;  // of the interest, to be answered
    bool new_everything = false;         // the same of everything
    bool new_contents = false;           // the files hold something else since the last update
    bool must_answer = false;            // something is told in any case
    // The last verdict; nullopt: there was none.
    std::optional<protocol::Verdict::Kind> verdict = {};
    // Versions of the resources that were told, by name; empty: the last one was refused.
    absl::flat_hash_map<std::string, std::string> told;
    absl::flat_hash_set<std::string> absent;  // names of the interest that nothing answers
    std::vector<std::string> lost = {};       // names that were told and that nothing asks for any more
    bool has_news() const {
      return new_everything || new_contents || must_answer || !new_names.empty() || !lost.empty();
    }
  };
  // Returns nullptr where nothing of the type was ever wanted.
  const Wanted* WantedOf(std::string_view type_url) const;

 private:
  // What answers the news of an interest.
  struct Reply {
    std::vector<files::ResourcePtr> resources;  // that were not told yet, or not as they are now
    std::vector<std::string> asked;             // names that something answers
    protocol::Changes changes;                  // once it is accepted
  };

  absl::Status FailureOf(const files::FolderReader::Reading& reading, bool is_broken) const;
  bool TakeContents(const std::vector<files::ResourcePtr>& resources, FilesRead* read);
  const files::TypeContents& ContentsOf(std::string_view type_url);
  void Begin();
  void GiveUp(std::string_view type_url, const protocol::Interest& interest, Wanted* wanted);
  void TellLater();
  void Tell();
  void Tell(const std::string& type_url, Wanted* wanted);
  Reply ReplyTo(const std::string& type_url, Wanted* wanted);
  static void AnswerNames(const files::TypeContents& contents, Wanted* wanted, Reply* reply);
  static void AnswerContents(const files::TypeContents& contents, Wanted* wanted, Reply* reply);
  void TakeBack(const protocol::Changes& changes);
  void Forget(const std::string& type_url, const std::vector<std::string>& names);
  absl::StatusOr<Update> UpdateOf(const std::string& type_url, const Reply& reply, bool whole);
  void Close(const absl::Status& status);

  base::Clock& clock_;
  wire::Types& types_;
  Read read_;
  Watch watch_;
  const Life life_;
  Listener listener_;
  std::map<std::string, Wanted, std::less<>> wanted_;
  files::Contents contents_;  // with an empty row for each type that was asked about, or was there, and is not
  std::vector<std::string> duplicates_;     // as they were told
  std::map<std::uint64_t, Reply> waiting_;  // for their verdicts, without the resources
  std::uint64_t last_update_ = 0;
  enum class State : std::uint8_t { kIdle, kReading, kRead, kClosed } state_ = State::kIdle;
  bool is_reading_again_ = false;  // because a person said so
  bool failed_ = false;            // the last first reading
  base::Timer tell_;
  base::Timer close_;
};

}  // namespace xdscope::source
