// What must hold of the differences of any two messages, tried with messages filled at random and changed at random.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/base/fields.h"
#include "lib/format/difference.h"
#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsSet(const FieldDescriptor& field) {
  const auto lists = UnorderedLists();
  return std::any_of(lists.begin(), lists.end(), [&](const UnorderedList& list) {
    return list.message == field.containing_type()->full_name() && list.field == field.name();
  });
}

// Changes one thing in a message, somewhere: a field is gone, filled again, loses an element, or has two of them
// swapped. Sets are not swapped: that is no difference.
void Mutate(Message* message, fake::RandomMessages* random) {
  const Reflection& reflection = *message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  if (fields.empty()) return random->Fill(message, 2);
  const FieldDescriptor* field = fields[random->Below(fields.size())];
  const bool list = field->is_repeated();
  const int size = list ? reflection.FieldSize(*message, field) : 1;
  const int at = static_cast<int>(random->Below(static_cast<std::size_t>(size)));
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !random->OneIn(4)) {
    return Mutate(
        list ? reflection.MutableRepeatedMessage(message, field, at) : reflection.MutableMessage(message, field),
        random);
  }
  if (!list) return reflection.ClearField(message, field);
  reflection.SwapElements(message, field, at, size - 1);
  if (random->OneIn(2) || IsSet(*field)) reflection.RemoveLast(message, field);
}

// A walk shows nothing of an empty message in an Any, even where that is a Duration of no time.
bool Shows(const std::string& text, const std::optional<std::string>& value) {
  return !value || *value == kHiddenValue || *value == R"("0s")" || text.find(*value) != text.npos;
}

class DifferenceProperty : public testing::Test {
 protected:
  DifferenceProperty() {
    for (const char* name :
         {"envoy.config.core.v3.Locality", "envoy.type.v3.FractionalPercent", "google.protobuf.Duration",
          "google.protobuf.Struct", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"}) {
      any_types_.push_back(api_.schema.FindMessage(name));
    }
  }

  // Expects that there are differences just where the messages are not equal, and that what they show of a message a
  // walk over all of it shows too. Returns whether there are any.
  bool Check(const wire::Type& type, const std::string& before, const std::string& after) {
    const absl::StatusOr<wire::Message> left = wire::Decode(before, type);
    const absl::StatusOr<wire::Message> right = wire::Decode(after, type);
    if (!left.ok() || !right.ok()) return false;  // a oneof of messages was filled twice and is cut off
    WalkOptions options;
    options.unknown_fields = true;
    const std::string old_text = ShowBytes(type.full_name(), before, options);
    const std::string new_text = ShowBytes(type.full_name(), after, options);
    int changes = 0;
    Differ differ(api_.types, options, [&](const Change& change) {
      ++changes;
      EXPECT_TRUE(change.before || change.after);
      if (change.order) return;
      const std::string where = finding::ToText(change.path);
      EXPECT_TRUE(Shows(old_text, change.before)) << type.full_name() << " " << where << ": " << *change.before;
      EXPECT_TRUE(Shows(new_text, change.after)) << type.full_name() << " " << where << ": " << *change.after;
    });
    differ.Messages(left->view(), right->view());
    EXPECT_EQ(changes == 0, wire::Equal(left->view(), right->view(), api_.types)) << type.full_name();
    return changes > 0;
  }

  Api& api_ = SharedApi();
  std::vector<const google::protobuf::Descriptor*> any_types_;
  google::protobuf::LogSilencer silence_;  // protobuf says on stderr that a key stands twice
};

TEST_F(DifferenceProperty, ThereAreDifferencesJustWhereMessagesAreNotEqual) {
  fake::RandomMessages random(api_.factory, any_types_, 11);
  int changed = 0;
  for (const std::string& name : api_.schema.MessageNames()) {
    const wire::Type& type = *api_.types.Find(name);
    const std::unique_ptr<Message> message = random.Make(*api_.schema.FindMessage(name), 4);
    const std::string bytes = fake::Serialized(*message);
    EXPECT_FALSE(Check(type, bytes, bytes));
    EXPECT_FALSE(Check(type, bytes, message->SerializePartialAsString()));
    for (int i = 0; i < 3; ++i) {
      Mutate(message.get(), &random);
      const std::string mutated = fake::Serialized(*message);
      changed += Check(type, bytes, mutated) ? 1 : 0;
      Check(type, mutated, bytes);
    }
    std::string unknown = bytes;
    base::AppendBytes(&unknown, 9999, "x");
    EXPECT_TRUE(Check(type, bytes, unknown) || !wire::Decode(unknown, type).ok());
  }
  EXPECT_GT(changed, 1000);
}

}  // namespace
}  // namespace xdscope::format
