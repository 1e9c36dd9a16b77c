#include "lib/resource/local_sources.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/encode/rewrite.h"

namespace xdscope::resource {
namespace {

// Finds the type of config sources; nullptr when it cannot name a file (a schema from outside may have an older one).
const wire::Type* FindConfigSource(wire::Types& types) {
  const wire::Type* type = types.Find("envoy.config.core.v3.ConfigSource");
  const wire::Field* file = type == nullptr ? nullptr : type->Find("path_config_source");
  const bool fits = file != nullptr && file->kind == wire::FieldKind::kMessage &&
                    file->message().Find("path") != nullptr && type->Find("resource_api_version") != nullptr;
  return fits ? type : nullptr;
}

// Writes a ConfigSource that reads the file `path`. What it says besides its source (its time-out) stays, and its API
// version becomes v3: Envoy takes no other from a file.
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

LocalSources::LocalSources(wire::Types& types, ThisServer this_server, FileOf file_of)
    : types_(types),
      this_server_(std::move(this_server)),
      file_of_(std::move(file_of)),
      config_source_(FindConfigSource(types)) {}

LocalResource LocalSources::Rewrite(const wire::View& resource, std::string_view resource_name) {
  LocalResource result;
  result.bytes = encode::Rewrite(resource, types_,
                                 [&](const encode::Visited& at) { return Replacement(at, resource_name, &result); });
  return result;
}

// Returns what takes the place of a config source; nullopt for one that stays and for any other message. The rows name
// config sources by paths from the messages that refer, so the way up from a source is compared with them.
std::optional<std::string> LocalSources::Replacement(const encode::Visited& at, std::string_view resource_name,
                                                     LocalResource* result) {
  if (at.field == nullptr || !at.message.type().full_name().ends_with(".ConfigSource")) return std::nullopt;
  const bool may_change = &at.message.type() == config_source_ && !at.spelled;
  bool is_known = false;
  std::optional<std::string> file;
  std::string path;
  for (const encode::Visited* up = &at; up->above != nullptr && up->field != nullptr; up = up->above) {
    path = path.empty() ? std::string(up->field->name) : fmt::format("{}.{}", up->field->name, path);
    for (const ReferenceRow* row : rows_.Of(up->above->message.type())) {
      if (row->source_field != path) continue;
      is_known = true;
      file = FileFor(*row, up->above->message, resource_name, may_change, result);
    }
  }
  if (file) return FileSource(at.message, *file);
  if (!is_known && &at.message.type() == config_source_ && LeadsHere(at.message, this_server_)) {
    result->unknown.insert(fmt::format("{}.{}", at.above->message.type().full_name(), at.field->name));
  }
  return std::nullopt;
}

// Returns the file of what a message refers to by a row; notes the references that have none.
std::optional<std::string> LocalSources::FileFor(const ReferenceRow& row, const wire::View& view,
                                                 std::string_view resource_name, bool may_change,
                                                 LocalResource* result) {
  std::optional<std::string> file;
  for (const Reference& reference : ReferencesOf(row, view, resource_name, this_server_)) {
    if (may_change && reference.origin == Origin::kHere) file = file_of_(reference);
    if (!file) result->left.insert(reference);
  }
  return file;
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
