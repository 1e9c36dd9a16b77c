#include "lib/schema/schema.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lib/schema/builtin_set.h"
#include "lib/schema/descriptor_index.h"
#include "lib/schema/nearest.h"
#include "lib/schema/overlay.h"

namespace xdscope::schema {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::DescriptorProto;
using google::protobuf::FileDescriptorProto;

// Names derived from the field's own are there or not, depending on who serialized the descriptor.
void DropJsonNames(DescriptorProto* message) {
  for (auto& field : *message->mutable_field()) field.clear_json_name();
  for (auto& nested : *message->mutable_nested_type()) DropJsonNames(&nested);
}

std::string Canonical(DescriptorProto message) {
  DropJsonNames(&message);
  return message.SerializeAsString();
}

template <typename Declaration>
std::string Canonical(const Declaration& declaration) {
  return declaration.SerializeAsString();
}

// Top-level declarations of a file: full name and content.
std::map<std::string, std::string> Declarations(std::string_view bytes) {
  std::map<std::string, std::string> all;
  FileDescriptorProto file;
  if (!file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return all;
  const std::string scope = file.package().empty() ? std::string() : file.package() + '.';
  for (const auto& message : file.message_type()) all[scope + message.name()] = Canonical(message);
  for (const auto& entry : file.enum_type()) all[scope + entry.name()] = Canonical(entry);
  for (const auto& service : file.service()) all[scope + service.name()] = Canonical(service);
  return all;
}

}  // namespace

// The pools hold pointers to their databases, so all of it stays where it is.
struct Schema::State {
  DescriptorIndex builtin;
  BuildErrors builtin_errors;
  DescriptorPool builtin_pool{&builtin, &builtin_errors};
  std::unique_ptr<Overlay> overlay;  // nullptr without files, and when they say nothing new
  std::vector<std::string> left_out;

  // What `find` finds in the given files and those they go with, else in the embedded ones alone: a type that does not
  // fit the given files is still there as it was embedded.
  template <typename Find>
  auto FindIn(Find find) const {
    auto* found = overlay ? find(overlay->pool()) : nullptr;
    return found != nullptr ? found : find(builtin_pool);
  }
};

Schema::Schema(std::unique_ptr<State> state) : state_(std::move(state)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Schema Schema::Builtin() {
  auto state = std::make_unique<State>();
  state->builtin.AddSet(BuiltinSet());
  // Whole and checked when it was made, so files may be built without all that they import.
  state->builtin_pool.InternalSetLazilyBuildDependencies();
  return Schema(std::move(state));
}

absl::StatusOr<Schema> Schema::WithFiles(std::vector<SchemaFile> files) {
  Schema schema = Builtin();
  State& state = *schema.state_;
  std::map<std::string, GivenFile> given;
  for (SchemaFile& file : files) {
    auto read = ReadSchemaFile(file);
    if (!read.ok()) return read.status();
    file.bytes.clear();
    for (auto& [name, content] : *read) given[name] = std::move(content);
  }
  std::erase_if(given, [&](const auto& entry) { return state.builtin.File(entry.first) == entry.second.descriptor; });
  auto overlay = BuildOverlay(std::move(given), &state.builtin, &state.left_out);
  if (!overlay.ok()) return overlay.status();
  state.overlay = *std::move(overlay);
  return schema;
}

const google::protobuf::Descriptor* Schema::FindMessage(std::string_view full_name) const {
  const std::string name(full_name);
  return state_->FindIn([&](const DescriptorPool& pool) { return pool.FindMessageTypeByName(name); });
}

const google::protobuf::EnumDescriptor* Schema::FindEnum(std::string_view full_name) const {
  const std::string name(full_name);
  return state_->FindIn([&](const DescriptorPool& pool) { return pool.FindEnumTypeByName(name); });
}

const google::protobuf::ServiceDescriptor* Schema::FindService(std::string_view full_name) const {
  const std::string name(full_name);
  return state_->FindIn([&](const DescriptorPool& pool) { return pool.FindServiceByName(name); });
}

const google::protobuf::Descriptor* Schema::FindEmbedded(std::string_view full_name) const {
  return state_->builtin_pool.FindMessageTypeByName(std::string(full_name));
}

std::string Schema::Nearest(std::string_view name) const {
  return NearestName(name, MessageNames());
}

std::vector<std::string> Schema::MessageNames() const {
  std::vector<std::string> names;
  const auto add = [&names](std::string name) { names.push_back(std::move(name)); };
  state_->builtin.ForEachMessage(add);
  if (state_->overlay) state_->overlay->index().ForEachMessage(add);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Schema::Overridden() const {
  std::vector<std::string> names;
  if (!state_->overlay) return names;
  std::map<std::string_view, std::map<std::string, std::string>> embedded;  // by file, each read once
  for (const auto& [file_name, file] : state_->overlay->files()) {
    for (const auto& [name, content] : Declarations(file.descriptor)) {
      const auto known = state_->builtin.FileOfSymbol(name);
      if (!known) continue;
      const auto [found, fresh] = embedded.try_emplace(*known);
      if (fresh) found->second = Declarations(*known);
      if (found->second[name] != content) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const std::vector<std::string>& Schema::left_out() const {
  return state_->left_out;
}

}  // namespace xdscope::schema
