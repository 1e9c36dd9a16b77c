// What a server may send, at any moment of a client's life: the input is a conversation, played against the protocol,
// the wire reader, the judge, the snapshot and both printers.
//
// The input begins with a byte of options, and goes on with steps: a letter, two bytes (little endian) that say how
// long the step's own bytes are, and these.
//
//   r BYTES   a response arrives and is answered at once      w T NAME  a name of type T is wanted (none: everything)
//   R BYTES   a response arrives and waits                    u T NAME  no longer
//   a N       the response that waits in place N is accepted  n N       … is refused
//   c         the stream ends and the next one opens          t N       N seconds go by
//   q BYTES   a request by hand                               f         everything is forgotten
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "lib/client/judge.h"
#include "lib/format/difference.h"
#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"
#include "lib/format/yaml_writer.h"
#include "lib/protocol/ads_session.h"
#include "lib/resource/snapshot.h"
#include "lib/schema/schema.h"
#include "lib/source/update.h"
#include "lib/types/known_types.h"
#include "tests/fake/messages.h"

namespace xdscope {
namespace {

using protocol::Verdict;

constexpr std::string_view kTypes[] = {fake::kCds, fake::kEds,  fake::kLds,  fake::kRds,
                                       fake::kSds, fake::kRtds, fake::kVhds, fake::kCdsV2};
constexpr std::size_t kMostWaiting = 4;

wire::Types& Types() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  static auto* const types = new wire::Types(*schema);
  return *types;
}

// What must not happen.
void Demand(bool holds) {
  if (!holds) std::abort();
}

struct Options {
  explicit Options(std::uint8_t bits)
      : variant((bits & 1) != 0 ? protocol::Variant::kDelta : protocol::Variant::kSotw),
        one_type((bits & 2) != 0),
        starred((bits & 4) != 0),
        announces((bits & 8) != 0),
        on_invalid(static_cast<client::JudgePolicy::OnInvalid>((bits >> 4) % 3)) {}

  protocol::Variant variant;
  bool one_type;
  bool starred;
  bool announces;  // wrappers and times to live
  client::JudgePolicy::OnInvalid on_invalid;
};

protocol::AdsSession::Options SessionOptions(const Options& options) {
  protocol::AdsSession::Options made;
  made.variant = options.variant;
  if (options.starred) made.wildcard = protocol::Wildcard::kExplicit;
  if (options.one_type) made.only_type = fake::kCds;
  made.node = options.announces ? fake::Node("n", {"xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"})
                                : fake::Node("n");
  return made;
}

class Conversation {
 public:
  explicit Conversation(const Options& options)
      : options_(options), session_(SessionOptions(options)), judge_({.on_invalid = options.on_invalid}) {
    session_.Change(fake::kCds, {protocol::Interest::Everything()});
    session_.OnStreamOpened();
    Send();
  }

  void Step(char what, std::string_view bytes) {
    switch (what) {
      case 'r':
        Hear(bytes, false);
        break;
      case 'R':
        Hear(bytes, true);
        break;
      case 'a':
        AnswerLate(bytes, Verdict::Ack());
        break;
      case 'n':
        AnswerLate(bytes, Verdict::Nack("no"));
        break;
      case 'w':
      case 'u':
        Want(what == 'w', bytes);
        break;
      case 'c':
        session_.OnStreamClosed();
        waiting_.clear();
        session_.OnStreamOpened();
        break;
      case 't':
        now_ += std::chrono::seconds(Number(bytes));
        session_.OnTime(now_);
        break;
      case 'q':
        if (const auto changes = session_.OnRawRequest(std::string(bytes)); changes.ok()) Lose(*changes);
        break;
      case 'f':
        session_.Forget();
        break;
      default:
        break;
    }
    while (const auto changes = session_.NextChanges()) Lose(*changes);
    Send();
  }

 private:
  static std::uint8_t Number(std::string_view bytes) {
    return bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
  }

  // Whatever a server has said, our own words are well formed.
  void Send() {
    while (const auto request = session_.NextRequest()) {
      Demand(protocol::DecodeRequest(options_.variant, request->bytes).ok());
      Demand(!request->error || request->error->message.size() <= protocol::AdsSession::kMostErrorBytes);
    }
  }

  void Want(bool wanted, std::string_view bytes) {
    const std::string_view type = kTypes[Number(bytes) % std::size(kTypes)];
    const std::string_view name = bytes.substr(std::min<std::size_t>(1, bytes.size()));
    if (!base::IsUtf8(name)) return;  // interest demands it
    const protocol::Interest interest =
        name.empty() ? protocol::Interest::Everything() : protocol::Interest::Names({std::string(name)});
    session_.Change(type, wanted ? protocol::InterestChange{interest} : protocol::InterestChange{{}, interest});
  }

  void Hear(std::string_view bytes, bool waits) {
    absl::StatusOr<protocol::Response> response = session_.OnMessage(std::make_shared<const std::string>(bytes), now_);
    if (!response.ok()) return;
    const protocol::ResponseId id = response->id;
    const bool whole = options_.variant == protocol::Variant::kSotw && types::RowOf(response->type_url).full_state;
    const source::FindHeld find_held = [this](const std::string& type_url) { return held_.FindType(type_url); };
    source::Update update =
        source::MakeUpdate(*std::move(response), whole, Types(), waits ? source::FindHeld() : find_held);
    if (waits) {
      waiting_.emplace_back(id, std::move(update));
      if (waiting_.size() > kMostWaiting) waiting_.pop_front();
      return;
    }
    const client::Judgement judgement = judge_(update);
    if (judgement.verdict) Answer(id, std::move(update), *judgement.verdict);
  }

  void AnswerLate(std::string_view bytes, const Verdict& verdict) {
    const std::size_t place = Number(bytes);
    if (place >= waiting_.size()) return;
    auto [id, update] = std::move(waiting_[place]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
    Answer(id, std::move(update), verdict);
  }

  void Answer(protocol::ResponseId id, source::Update update, const Verdict& verdict) {
    const absl::StatusOr<protocol::Changes> changes = session_.Answer(id, verdict);
    if (!changes.ok()) return;
    source::DropRefused(verdict, &update);
    if (verdict.kind != Verdict::Kind::kNack) Take(source::TakeDelivery(&update));
    Lose(*changes);
  }

  void Lose(const protocol::Changes& changes) {
    Take({.type_url = changes.type_url, .version = {}, .resources = {}, .removed = changes.lost});
  }

  void Take(resource::Delivery delivery) {
    const std::string type_url = delivery.type_url;
    held_.Apply(std::move(delivery), Types(), [&](const resource::Resource* before, const resource::Resource* after) {
      if (after != nullptr) Print(type_url, *after);
      if (before == nullptr || after == nullptr) return;
      format::Differ differ(Types(), {}, [](const format::Change& /*change*/) {});
      differ.Anys({before->type_url, before->payload}, {after->type_url, after->payload}, type_url);
    });
  }

  static void Print(const std::string& type_url, const resource::Resource& resource) {
    format::Output out([](std::string_view /*chunk*/) { return absl::OkStatus(); });
    format::JsonWriter json(out, format::JsonWriter::Layout::kCompact);
    format::Walker(Types(), {.unknown_fields = true}, json).Any(resource.type_url, resource.payload, type_url);
    format::YamlWriter yaml(out);
    format::Walker(Types(), {.show_secrets = true}, yaml).Any(resource.type_url, resource.payload, type_url);
    out.Flush().IgnoreError();  // nobody fails to take it
  }

  const Options options_;
  protocol::AdsSession session_;
  client::Judge judge_;
  resource::Snapshot held_;
  std::deque<std::pair<protocol::ResponseId, source::Update>> waiting_;
  protocol::Moment now_{};
};

}  // namespace
}  // namespace xdscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  xdscope::Conversation conversation(xdscope::Options{data[0]});
  input.remove_prefix(1);
  while (input.size() >= 3) {
    const char what = input[0];
    const std::size_t length = static_cast<std::uint8_t>(input[1]) + 256u * static_cast<std::uint8_t>(input[2]);
    input.remove_prefix(3);
    const std::string_view bytes = input.substr(0, length);
    conversation.Step(what, bytes);
    input.remove_prefix(bytes.size());
  }
  return 0;
}
