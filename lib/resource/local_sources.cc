#include "lib/resource/local_sources.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/encode/struct.h"

namespace xdscope::resource {
namespace {

// The message `bytes` with some of its fields replaced; nothing is copied before the first of them.
class Edit {
 public:
  explicit Edit(std::string_view bytes) : bytes_(bytes) {}

  // Puts `message` in the place of the field that the reader stands on.
  void Replace(const base::FieldReader& reader, std::string_view message) {
    out_.append(bytes_.substr(kept_, reader.offset() - kept_));
    base::AppendBytes(&out_, reader.number(), message);
    kept_ = reader.offset() + reader.raw().size();
    changed_ = true;
  }

  std::optional<std::string> Result() && {
    if (!changed_) return std::nullopt;
    out_.append(bytes_.substr(kept_));
    return std::move(out_);
  }

 private:
  std::string_view bytes_;
  std::string out_;
  std::size_t kept_ = 0;  // up to here the bytes are in out_
  bool changed_ = false;
};

// The type of config sources, when it is one that can name a file (a schema from outside may have an older one).
const wire::Type* FindConfigSource(wire::Types& types) {
  const wire::Type* type = types.Find("envoy.config.core.v3.ConfigSource");
  const wire::Field* file = type == nullptr ? nullptr : type->Find("path_config_source");
  const bool fits = file != nullptr && file->kind == wire::Kind::kMessage && file->message().Find("path") != nullptr &&
                    type->Find("resource_api_version") != nullptr;
  return fits ? type : nullptr;
}

// A ConfigSource that reads the file `path`; what it says besides its source (its time-out) stays.
std::string FileSource(const wire::View& source, std::string_view path) {
  constexpr std::uint64_t kV3 = 2;  // envoy.config.core.v3.ApiVersion
  const wire::Field& file = *source.type().Find("path_config_source");
  const wire::Field& version = *source.type().Find("resource_api_version");
  std::string out;
  base::FieldReader reader(source.bytes());
  while (reader.Next()) {
    const wire::Field* field = wire::KnownField(source.type(), reader);
    const bool replaced = field != nullptr && (field->oneof == file.oneof || field == &version);
    if (!replaced) out.append(reader.raw());
  }
  std::string path_source;
  base::AppendBytes(&path_source, file.message().Find("path")->number, path);
  base::AppendTag(&out, version.number, base::WireType::kVarint);
  base::AppendVarint(&out, kV3);
  base::AppendBytes(&out, file.number, path_source);
  return out;
}

}  // namespace

// The way from a message down to a config source in it.
struct LocalSources::Target {
  std::string_view path;            // the fields that are still to be gone
  std::optional<std::string> file;  // nullopt: the source is known, and stays
};

struct LocalSources::Search {
  std::string_view resource_name;
  LocalResource result = {};
  int any_depth = 0;
  bool looks_only = false;  // in a TypedStruct
};

LocalSources::LocalSources(wire::Types& types, ThisServer this_server, FileOf file_of)
    : types_(types),
      this_server_(std::move(this_server)),
      file_of_(std::move(file_of)),
      config_source_(FindConfigSource(types)) {}

LocalResource LocalSources::Rewrite(const wire::View& resource, std::string_view resource_name) {
  Search search{resource_name};
  search.result.bytes = Message(resource, {}, search);
  return std::move(search.result);
}

// The config sources of the rows that the message has.
LocalSources::Targets LocalSources::TargetsIn(const wire::View& view, Search& search) {
  Targets targets;
  for (const ReferenceRow* row : rows_.Of(view.type())) {
    if (!row->source_field.empty()) targets.push_back({row->source_field, FileFor(*row, view, search)});
  }
  return targets;
}

std::optional<std::string> LocalSources::FileFor(const ReferenceRow& row, const wire::View& view, Search& search) {
  const std::optional<wire::View> source = MessageAt(view, row.source_field);
  if (!source) return std::nullopt;
  const bool may = &source->type() == config_source_ && !search.looks_only;
  std::optional<std::string> file;
  for (const Reference& reference : ReferencesOf(row, view, search.resource_name, this_server_)) {
    if (may && reference.origin == Origin::kHere) file = file_of_(reference);
    if (!file) search.result.left.insert(reference);
  }
  return file;
}

std::optional<std::string> LocalSources::Message(const wire::View& view, Targets targets, Search& search) {
  for (Target& target : TargetsIn(view, search)) targets.push_back(std::move(target));
  Edit edit(view.bytes());
  base::FieldReader reader(view.bytes());
  while (reader.Next()) {
    const wire::Field* field = wire::KnownField(view.type(), reader);
    if (field == nullptr || field->kind != wire::Kind::kMessage) continue;
    const wire::View below(field->message(), reader.bytes());
    if (const auto changed = Field(view, *field, below, targets, search)) edit.Replace(reader, *changed);
  }
  return std::move(edit).Result();
}

std::optional<std::string> LocalSources::Field(const wire::View& parent, const wire::Field& field,
                                               const wire::View& view, const Targets& targets, Search& search) {
  Targets below;
  for (const Target& target : targets) {
    const std::size_t dot = target.path.find('.');
    if (target.path.substr(0, dot) != field.name) continue;
    if (dot == target.path.npos) return target.file ? std::optional(FileSource(view, *target.file)) : std::nullopt;
    below.push_back({target.path.substr(dot + 1), target.file});
  }
  switch (view.type().well_known()) {
    case wire::WellKnown::kAny:
      return Any(view, search);
    case wire::WellKnown::kTypedStruct:
      LookInto(view, search);
      return std::nullopt;
    case wire::WellKnown::kNone:
      break;
    default:
      return std::nullopt;
  }
  if (&view.type() == config_source_ && LeadsHere(view, this_server_)) {
    search.result.unknown.insert(fmt::format("{}.{}", parent.type().full_name(), field.name));
  }
  return Message(view, std::move(below), search);
}

std::optional<std::string> LocalSources::Any(const wire::View& any, Search& search) {
  if (search.any_depth == wire::kMaxAnyDepth) return std::nullopt;
  const absl::StatusOr<wire::Message> opened = wire::Open(any, types_);
  if (!opened.ok()) return std::nullopt;  // it is shown as such, and refers to nothing that we know
  if (opened->type().well_known() == wire::WellKnown::kTypedStruct) {
    LookInto(opened->view(), search);
    return std::nullopt;
  }
  ++search.any_depth;
  const bool nested = opened->type().well_known() == wire::WellKnown::kAny;
  const std::optional<std::string> payload = nested ? Any(opened->view(), search) : Message(opened->view(), {}, search);
  --search.any_depth;
  if (!payload) return std::nullopt;
  constexpr std::uint32_t kValue = 2;
  std::string out;
  base::FieldReader reader(any.bytes());
  while (reader.Next()) {
    if (reader.number() != kValue) out.append(reader.raw());
  }
  base::AppendBytes(&out, kValue, *payload);
  return out;
}

// A TypedStruct is written in JSON's terms and stays; what its sources lead to is said.
void LocalSources::LookInto(const wire::View& typed_struct, Search& search) {
  const absl::StatusOr<wire::Message> spelled = encode::FromTypedStruct(typed_struct, types_);
  if (!spelled.ok() || search.any_depth == wire::kMaxAnyDepth) return;
  const bool before = std::exchange(search.looks_only, true);
  ++search.any_depth;
  Message(spelled->view(), {}, search);
  --search.any_depth;
  search.looks_only = before;
}

std::string WithInPlace(const wire::View& view, std::string_view dropped, std::string_view added,
                        const std::vector<std::string_view>& messages) {
  const wire::Field* drop = view.type().Find(dropped);
  const wire::Field* add = view.type().Find(added);
  if (drop == nullptr || add == nullptr) return std::string(view.bytes());
  std::string out;
  base::FieldReader reader(view.bytes());
  while (reader.Next()) {
    if (wire::KnownField(view.type(), reader) != drop) out.append(reader.raw());
  }
  for (const std::string_view message : messages) base::AppendBytes(&out, add->number, message);
  return out;
}

}  // namespace xdscope::resource
