// Mutated messages, read by us and by protobuf's own parser: the same verdict, the same content.
#include <google/protobuf/util/message_differencer.h>

#include "tests/unit/wire/fixture.h"

#include "lib/base/type_url.h"

namespace xdscope::wire {
namespace {

constexpr std::string_view kTypes[] = {
    "envoy.config.cluster.v3.Cluster",
    "envoy.config.listener.v3.Listener",
    "envoy.config.route.v3.RouteConfiguration",
    "envoy.config.endpoint.v3.ClusterLoadAssignment",
    "envoy.extensions.transport_sockets.tls.v3.Secret",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    "envoy.service.runtime.v3.Runtime",
    "google.protobuf.Struct",
    "google.protobuf.FileDescriptorProto",  // proto2
};

// Writes a message anew from what View, Fields and Elements say of it: if they say it all, protobuf reads the same.
void Rewrite(const View& view, std::string* out);

void RewriteValue(const Value& value, std::string* out) {
  const Field& field = *value.field;
  if (field.kind == FieldKind::kMessage) {
    std::string inside;
    Rewrite(value.AsMessage(), &inside);
    base::AppendBytes(out, field.number, inside);
  } else if (!field.packable()) {
    base::AppendBytes(out, field.number, value.bytes);
  } else if (const std::size_t width = FixedWidth(field.kind); width > 0) {
    base::AppendTag(out, field.number, width == 4 ? base::WireType::kFixed32 : base::WireType::kFixed64);
    for (std::size_t i = 0; i < width; ++i) out->push_back(static_cast<char>(value.bits >> (8 * i)));
  } else {
    const bool zigzag = field.kind == FieldKind::kSint32 || field.kind == FieldKind::kSint64;
    const auto folded = (value.bits << 1) ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(value.bits) >> 63);
    base::AppendTag(out, field.number, base::WireType::kVarint);
    base::AppendVarint(out, zigzag ? folded : value.bits);
  }
}

void Rewrite(const View& view, std::string* out) {
  const Fields fields(view);
  for (const Present& present : fields.known()) {
    if (!present.field->repeated) {
      RewriteValue(Single(present), out);
      continue;
    }
    for (Elements elements(present); elements.Next();) RewriteValue(elements.value(), out);
  }
  for (const UnknownField& unknown : UnknownFields(view)) out->append(unknown.raw);
}

void Mutate(fake::RandomMessages& random, std::string* bytes) {
  if (bytes->empty()) return;
  const auto size = static_cast<std::uint32_t>(bytes->size());
  const std::size_t at = random.Below(size);
  switch (random.Below(6)) {
    case 0:
      (*bytes)[at] = static_cast<char>(random.Below(256));
      break;
    case 1:
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random.Below(8)));
      break;
    case 2:
      bytes->erase(at, random.Below(8));
      break;
    case 3:
      bytes->insert(at, 1, static_cast<char>(random.Below(256)));
      break;
    case 4:
      bytes->insert(at, bytes->substr(random.Below(size), random.Below(40)));
      break;
    default:
      bytes->append(*bytes, 0, std::string::npos);
      break;
  }
}

class FuzzTest : public WireTest, public testing::WithParamInterface<std::string_view> {
 protected:
  // Compares verdict and content; returns whether protobuf took the bytes.
  bool Compare(const std::string& bytes) {
    const std::string_view type = GetParam();
    std::unique_ptr<google::protobuf::Message> theirs(factory_.GetPrototype(schema_.FindMessage(type))->New());
    const bool accepted = theirs->ParsePartialFromString(bytes);
    const absl::StatusOr<Message> ours = Decode(bytes, TypeOf(type));
    EXPECT_EQ(ours.ok(), accepted) << ours.status() << " " << testing::PrintToString(bytes);
    if (!ours.ok() || !accepted) return accepted;
    std::string rewritten;
    Rewrite(ours->view(), &rewritten);
    std::unique_ptr<google::protobuf::Message> again(theirs->New());
    EXPECT_TRUE(again->ParsePartialFromString(rewritten));
    google::protobuf::util::DefaultFieldComparator comparator;
    comparator.set_treat_nan_as_equal(true);
    google::protobuf::util::MessageDifferencer differencer;
    differencer.set_field_comparator(&comparator);
    EXPECT_TRUE(differencer.Compare(*theirs, *again)) << theirs->DebugString() << "\n---\n" << again->DebugString();
    return true;
  }
};

TEST_P(FuzzTest, MutatedMessagesAreReadAsProtobufReadsThem) {
  fake::RandomMessages random = Random(20261121);
  int accepted = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    std::string bytes = fake::Serialized(*random.Make(*schema_.FindMessage(GetParam()), 3));
    for (std::uint32_t n = random.Below(4); n > 0; --n) Mutate(random, &bytes);
    if (bytes.size() < 100'000 && Compare(bytes)) ++accepted;
  }
  EXPECT_GT(accepted, kRounds / 10);
  EXPECT_LT(accepted, kRounds);
}

INSTANTIATE_TEST_SUITE_P(Types, FuzzTest, testing::ValuesIn(kTypes), [](const auto& param) {
  std::string name(base::MessageName(param.param));
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace xdscope::wire
