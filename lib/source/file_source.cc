#include "lib/source/file_source.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/protocol/names.h"
#include "lib/protocol/response_parts.h"
#include "lib/types/known_types.h"

namespace xdscope::source {
namespace {

using files::ResourcePtr;
using files::TypeContents;

bool IsError(const files::Notice& notice) {
  return notice.finding.severity == finding::Severity::kError;
}

std::optional<types::Api> ApiOf(std::string_view type_url) {
  const types::KnownType* type = types::FindByUrl(type_url);
  if (type == nullptr) return std::nullopt;
  return type->v3.message() == base::MessageName(type_url) ? types::Api::kV3 : types::Api::kV2;
}

std::vector<FilesRead::Type> TypesIn(const files::Contents& contents) {
  std::vector<FilesRead::Type> types;
  for (const auto& [name, type] : contents) {
    types.push_back({type.type_url, type.resources.size(), ApiOf(type.type_url)});
  }
  std::stable_sort(types.begin(), types.end(), [](const FilesRead::Type& a, const FilesRead::Type& b) {
    return types::OutputRank(a.type_url) < types::OutputRank(b.type_url);
  });
  return types;
}

// Returns the resources that a name stands for: the one of that name, the one that has it as an alias, or all that a
// glob covers. `name` is in normal form.
std::vector<ResourcePtr> Find(const TypeContents& contents, std::string_view name) {
  std::vector<ResourcePtr> found;
  if (protocol::IsGlob(name)) {
    const std::string_view folder = protocol::FolderOf(name);
    auto resource = std::lower_bound(contents.resources.begin(), contents.resources.end(), folder,
                                     [](const ResourcePtr& a, std::string_view b) { return a->name < b; });
    for (; resource != contents.resources.end() && (*resource)->name.starts_with(folder); ++resource) {
      if (protocol::GlobOver((*resource)->name) == name) found.push_back(*resource);
    }
    return found;
  }
  const ResourcePtr* resource = contents.Find(name);
  const auto alias = contents.aliases.find(name);
  if (resource == nullptr && alias != contents.aliases.end()) resource = contents.Find(alias->second);
  if (resource != nullptr) found.push_back(*resource);
  return found;
}

bool IsWanted(const protocol::Interest& interest, const files::FileResource& resource) {
  const std::string& name = resource.name;
  return interest.everything() || interest.Has(name) ||
         (protocol::IsXdstp(name) && interest.Has(protocol::GlobOver(name))) ||
         std::any_of(resource.aliases.begin(), resource.aliases.end(),
                     [&](const std::string& alias) { return interest.Has(alias); });
}

// Adds a resource to what is told unless that has it already in this version. Returns whether it did.
bool AddUntold(const ResourcePtr& resource, absl::flat_hash_map<std::string, std::string>* told,
               std::vector<ResourcePtr>* resources) {
  const auto [row, is_new] = told->try_emplace(resource->name);
  if (!is_new && row->second == resource->version) return false;
  row->second = resource->version;
  resources->push_back(resource);
  return true;
}

// Returns the bytes of a response that has these resources and says that those are gone.
std::string BytesOf(const std::string& type_url, const std::string& version, const std::vector<ResourcePtr>& resources,
                    const std::vector<std::string>& gone) {
  std::string bytes = protocol::DeltaEnvelope(version, type_url, {}, gone);
  std::size_t size = bytes.size();
  for (const ResourcePtr& each : resources) size += each->payload.size() + 2 * each->name.size() + 128;
  bytes.reserve(size);
  for (const ResourcePtr& each : resources) {
    bytes += protocol::EncodeDeltaEntry(
        {each->name, each->version, each->aliases, each->type_url, each->payload, each->ttl});
  }
  return bytes;
}

}  // namespace

FileSource::FileSource(base::Clock& clock, wire::Types& types, Read read, Life life, Watch watch)
    : clock_(clock), types_(types), read_(std::move(read)), watch_(std::move(watch)), life_(life) {}

// ---- What was read.

void FileSource::Take(const files::FolderReader::Reading& reading) {
  const bool first = state_ == State::kReading;
  const bool again = state_ == State::kRead && life_ == Life::kManyReadings;
  if (!first && !again) return;
  FilesRead read{.notices = reading.news.notices, .duplicates = {}, .types = {}};
  const bool changed = TakeContents(reading.resources, &read);
  // What is wrong is told once, and stays wrong as long as there is nothing.
  const bool broken = failed_ || std::ranges::any_of(read.notices, IsError);
  const absl::Status status = first ? FailureOf(reading, broken) : absl::OkStatus();
  read.failed = failed_ = !status.ok();
  state_ = State::kRead;
  is_reading_again_ = false;
  if (first || changed || !read.notices.empty()) listener_(std::move(read));
  if (!status.ok()) return Close(status);
  Tell();
}

// Returns why a first reading is the last one, where it is.
absl::Status FileSource::FailureOf(const files::FolderReader::Reading& reading, bool is_broken) const {
  const bool once = life_ == Life::kOneReading;
  if (is_broken && reading.resources.empty() && (once || reading.files == 0)) {
    return base::Error(absl::StatusCode::kDataLoss, "nothing in it can be read");
  }
  if (once && reading.files == 0) {
    return base::Error(absl::StatusCode::kNotFound,
                       "there are no discovery files in it (.yaml, .yml, .json, .pb, .pb_text)");
  }
  return absl::OkStatus();
}

// Returns whether the files hold something else than before.
bool FileSource::TakeContents(const std::vector<ResourcePtr>& resources, FilesRead* read) {
  std::vector<std::string> duplicates;
  files::Contents contents = files::SortByType(resources, &duplicates);
  read->types = TypesIn(contents);
  if (duplicates != duplicates_) read->duplicates = duplicates;
  duplicates_ = std::move(duplicates);
  for (const auto& [name, before] : contents_) {
    if (!contents.contains(name)) contents.emplace(name, files::NothingOf(before.type_url));
  }
  contents_.swap(contents);
  bool changed = !read->duplicates.empty();
  for (const auto& [name, now] : contents_) {
    const auto before = contents.find(name);
    if (before != contents.end() && before->second.version == now.version) continue;
    changed = true;
    const auto wanted = wanted_.find(now.type_url);
    if (state_ == State::kRead && wanted != wanted_.end()) wanted->second.new_contents = true;
  }
  return changed;
}

const TypeContents& FileSource::ContentsOf(std::string_view type_url) {
  const auto [row, is_new] = contents_.try_emplace(std::string(base::MessageName(type_url)));
  if (is_new) row->second = files::NothingOf(std::string(type_url));
  return row->second;
}

// ---- What is wanted.

void FileSource::Want(std::string_view type_url, const protocol::InterestChange& change) {
  if (state_ == State::kClosed && life_ == Life::kOneReading) return;
  Wanted& wanted = wanted_[std::string(type_url)];
  GiveUp(type_url, change.remove, &wanted);
  for (const std::string& name : change.add.names()) {
    if (wanted.interest.Add(name)) wanted.new_names.push_back(name);
  }
  if (change.add.everything()) {
    wanted.new_everything |= !wanted.interest.everything();
    wanted.interest.SetEverything(true, change.add.starred());
  }
  if (state_ == State::kRead && !is_reading_again_ && wanted.has_news()) TellLater();
  if (state_ == State::kIdle) Begin();
}

void FileSource::Begin() {
  state_ = State::kReading;
  read_();
}

void FileSource::Open() {
  const bool again = state_ == State::kClosed && life_ == Life::kManyReadings;
  if (state_ != State::kIdle && !again) return;
  for (auto& [type_url, wanted] : wanted_) wanted.new_contents |= again;
  Begin();
}

// What is told is what this reading finds.
void FileSource::ReadAgain(std::string_view type_url) {
  Wanted& wanted = wanted_[std::string(type_url)];
  wanted.new_contents = wanted.must_answer = true;
  if (state_ != State::kRead) return Open();
  tell_.Cancel();
  is_reading_again_ = true;
  read_();
}

absl::Status FileSource::SetWatching(bool on) {
  const absl::Status status = watch_(on);
  if (!status.ok() || !on || state_ == State::kIdle || state_ == State::kClosed) return status;
  is_reading_again_ = state_ == State::kRead;
  read_();
  return absl::OkStatus();
}

std::vector<std::string_view> FileSource::NamesOf(std::string_view type_url) const {
  const auto contents = contents_.find(base::MessageName(type_url));
  std::vector<std::string_view> names;
  if (contents == contents_.end()) return names;
  for (const ResourcePtr& resource : contents->second.resources) names.push_back(resource->name);
  return names;
}

const FileSource::Wanted* FileSource::WantedOf(std::string_view type_url) const {
  const auto wanted = wanted_.find(type_url);
  return wanted == wanted_.end() ? nullptr : &wanted->second;
}

// Takes an interest back: what was told because of it alone is lost.
void FileSource::GiveUp(std::string_view type_url, const protocol::Interest& interest, Wanted* wanted) {
  if (interest.is_nothing()) return;
  std::vector<ResourcePtr> concerned;
  const TypeContents& contents = ContentsOf(type_url);
  for (const std::string& name : interest.names()) {
    if (!wanted->interest.Remove(name)) continue;
    wanted->absent.erase(name);
    std::ranges::move(Find(contents, name), std::back_inserter(concerned));
  }
  if (interest.everything()) {
    wanted->interest.SetEverything(false, false);
    wanted->new_everything = false;
    concerned = contents.resources;
  }
  for (const ResourcePtr& resource : concerned) {
    if (IsWanted(wanted->interest, *resource)) continue;
    if (wanted->told.erase(resource->name) > 0) wanted->lost.push_back(resource->name);
  }
}

void FileSource::TellLater() {
  tell_ = clock_.After({}, [this](base::Time) { Tell(); });
}

// Whoever listens may want more meanwhile; that is told later.
void FileSource::Tell() {
  std::vector<std::string> due;
  for (const auto& [type_url, wanted] : wanted_) {
    if (wanted.has_news()) due.push_back(type_url);
  }
  for (const std::string& type_url : due) {
    if (state_ == State::kRead) Tell(type_url, &wanted_[type_url]);
  }
}

void FileSource::Tell(const std::string& type_url, Wanted* wanted) {
  if (!wanted->lost.empty()) {
    listener_(session::Changed{{.type_url = type_url, .lost = std::exchange(wanted->lost, {})}});
  }
  if (!wanted->has_news()) return;
  const bool asked = wanted->new_everything || !wanted->new_names.empty();
  const bool must_answer = std::exchange(wanted->must_answer, false);
  Reply reply = ReplyTo(type_url, wanted);
  if (!asked && reply.asked.empty() && reply.changes.empty()) {
    if (must_answer) listener_(session::Unchanged{.stream = type_url});
    return;
  }
  const bool whole = wanted->interest.everything() && reply.resources.size() == ContentsOf(type_url).resources.size();
  absl::StatusOr<Update> update = UpdateOf(type_url, reply, whole);
  if (!update.ok()) return Close(update.status());
  reply.resources.clear();
  update->waiter = {.response = ++last_update_};
  waiting_.emplace(last_update_, std::move(reply));
  listener_(*std::move(update));
}

FileSource::Reply FileSource::ReplyTo(const std::string& type_url, Wanted* wanted) {
  const TypeContents& contents = ContentsOf(type_url);
  Reply reply{.resources = {}, .asked = {}, .changes = {.type_url = type_url}};
  AnswerNames(contents, wanted, &reply);
  if (std::exchange(wanted->new_everything, false)) {
    for (const ResourcePtr& resource : contents.resources) AddUntold(resource, &wanted->told, &reply.resources);
  }
  if (std::exchange(wanted->new_contents, false)) AnswerContents(contents, wanted, &reply);
  for (const ResourcePtr& resource : reply.resources) reply.changes.held.push_back(resource->name);
  return reply;
}

// Answers the names that are new in the interest.
void FileSource::AnswerNames(const TypeContents& contents, Wanted* wanted, Reply* reply) {
  for (const std::string& name : std::exchange(wanted->new_names, {})) {
    if (!wanted->interest.Has(name)) continue;  // it was taken back meanwhile
    const std::vector<ResourcePtr> found = Find(contents, name);
    if (found.empty()) {
      wanted->absent.insert(name);
      reply->changes.absent.push_back({.name = name, .words = {}});
      continue;
    }
    wanted->absent.erase(name);
    reply->asked.push_back(name);
    bool are_new = false;
    for (const ResourcePtr& resource : found) are_new |= AddUntold(resource, &wanted->told, &reply->resources);
    if (found.front()->name != name) {
      reply->changes.answered.push_back(name);
    } else if (!are_new) {  // it was told as one of everything
      reply->changes.held.push_back(name);
    }
  }
}

// Answers what was asked for before with what the files hold now.
void FileSource::AnswerContents(const TypeContents& contents, Wanted* wanted, Reply* reply) {
  for (const ResourcePtr& resource : contents.resources) {
    if (IsWanted(wanted->interest, *resource)) AddUntold(resource, &wanted->told, &reply->resources);
  }
  absl::erase_if(wanted->told, [&](const auto& told) {
    if (contents.Find(told.first) != nullptr) return false;
    reply->changes.lost.push_back(told.first);
    return true;
  });
  std::ranges::sort(reply->changes.lost);
  for (const std::string& name : wanted->interest.names()) {
    const std::vector<ResourcePtr> found = Find(contents, name);
    if (found.empty()) {
      if (wanted->absent.insert(name).second) reply->changes.absent.push_back({.name = name, .words = {}});
    } else if (wanted->absent.erase(name) > 0) {
      reply->asked.push_back(name);
      if (found.front()->name != name) reply->changes.answered.push_back(name);
    }
  }
}

// The same value that a response of a server comes to, made of the same bytes.
absl::StatusOr<Update> FileSource::UpdateOf(const std::string& type_url, const Reply& reply, bool whole) {
  std::vector<std::string> gone = reply.changes.lost;
  for (const protocol::Absence& absence : reply.changes.absent) {
    if (!std::ranges::binary_search(reply.changes.lost, absence.name)) gone.push_back(absence.name);
  }
  auto bytes =
      std::make_shared<const std::string>(BytesOf(type_url, ContentsOf(type_url).version, reply.resources, gone));
  absl::StatusOr<protocol::Response> response = protocol::ReadResponse(protocol::Variant::kDelta, std::move(bytes));
  if (!response.ok()) return response.status();
  response->type_url = type_url;
  response->expects_answer = true;
  response->removed.clear();  // nobody says why
  const Decoded decoded = [&reply](std::size_t entry, std::string_view payload) {
    const std::optional<wire::Message>& message = reply.resources[entry]->message;
    return message ? std::optional(message->MovedTo(payload)) : std::nullopt;
  };
  Update update = MakeUpdate(*std::move(response), whole, types_, {}, decoded);
  for (std::string& name : gone) update.absences.push_back({.name = std::move(name)});
  return update;
}

// ---- Verdicts, and the end.

absl::StatusOr<protocol::Changes> FileSource::Answer(const Waiter& waiter, const protocol::Verdict& verdict) {
  const auto waiting = waiting_.find(waiter.response);
  if (waiting == waiting_.end()) return base::Error(absl::StatusCode::kNotFound, "nobody waits for this answer");
  Reply reply = std::move(waiting->second);
  waiting_.erase(waiting);
  wanted_[reply.changes.type_url].verdict = verdict.kind;
  using Kind = protocol::Verdict::Kind;
  if (verdict.kind == Kind::kAck) return std::move(reply.changes);
  protocol::Changes changes{.type_url = reply.changes.type_url, .absent = std::move(reply.changes.absent)};
  if (verdict.kind == Kind::kNack) {
    TakeBack(reply.changes);
    changes.refused = std::move(reply.asked);
    return changes;
  }
  const absl::flat_hash_set<std::string> refused(verdict.refused.begin(), verdict.refused.end());
  const auto is_refused = [&](const std::string& name) { return refused.contains(name); };
  std::ranges::copy_if(reply.asked, std::back_inserter(changes.refused), is_refused);
  Forget(changes.type_url, verdict.refused);
  std::erase_if(reply.changes.held, is_refused);
  changes.held = std::move(reply.changes.held);
  changes.answered = std::move(reply.changes.answered);
  changes.lost = std::move(reply.changes.lost);
  return changes;
}

// What nobody took is as it was before it was told.
void FileSource::TakeBack(const protocol::Changes& changes) {
  for (const std::string& name : changes.lost) wanted_[changes.type_url].told.try_emplace(name);
  Forget(changes.type_url, changes.held);
}

// What was refused is told once more when the files hold something else, as a file is read as a whole.
void FileSource::Forget(const std::string& type_url, const std::vector<std::string>& names) {
  auto& told = wanted_[type_url].told;
  for (const std::string& name : names) {
    const auto row = told.find(name);
    if (row != told.end()) row->second.clear();
  }
}

bool FileSource::IsBusy() const {
  if (state_ == State::kReading || is_reading_again_) return true;
  return state_ == State::kRead && std::ranges::any_of(wanted_, [](const auto& row) { return row.second.has_news(); });
}

bool FileSource::IsOpen(std::string_view type_url) const {
  return state_ != State::kClosed && (type_url.empty() ? state_ != State::kIdle : wanted_.contains(type_url));
}

void FileSource::Finish() {
  if (state_ == State::kIdle || state_ == State::kClosed) return;
  close_ = clock_.After({}, [this](base::Time) { Close(absl::OkStatus()); });
}

void FileSource::Close(const absl::Status& status) {
  if (state_ == State::kClosed) return;
  tell_.Cancel();
  close_.Cancel();
  state_ = State::kClosed;
  is_reading_again_ = false;
  for (const auto& [number, reply] : std::exchange(waiting_, {})) {
    TakeBack(reply.changes);
    for (const protocol::Absence& absence : reply.changes.absent) {
      wanted_[reply.changes.type_url].absent.erase(absence.name);
    }
  }
  listener_(session::Closed{.stream = {}, .status = status, .had_response = last_update_ > 0});
}

}  // namespace xdscope::source
