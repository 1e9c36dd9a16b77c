// A snapshot from resources written as text.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "lib/resource/snapshot.h"
#include "lib/schema/schema.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"
#include "tests/fake/text_messages.h"

namespace xdscope::cli {

struct TestResources {
  schema::Schema schema = schema::Schema::Builtin();
  wire::Types types{schema};
  resource::Snapshot snapshot;

  // By short name, or a message's full name.
  static std::string UrlOf(std::string_view type) {
    const types::KnownType* known = types::FindByWord(type);
    return known != nullptr ? std::string(known->v3.type_url) : "type.googleapis.com/" + std::string(type);
  }

  // Resources of one type, by name, as text of protobuf's text format.
  void Add(std::string_view type, const std::map<std::string, std::string>& texts) {
    const std::string& url = *urls.insert(UrlOf(type)).first;
    std::vector<resource::Resource> resources;
    for (const auto& [name, text] : texts) {
      auto bytes = std::make_shared<const std::string>(Bytes(url, text));
      auto message = wire::Open(url, *bytes, types);
      resources.push_back({.name = name,
                           .version = "7",
                           .type_url = url,
                           .payload = *bytes,
                           .entry = {},
                           .message = std::move(message),
                           .buffer = bytes});
    }
    snapshot.Apply({.type_url = url, .version = "7", .whole = false, .resources = std::move(resources), .removed = {}},
                   types);
  }

  std::string Bytes(std::string_view url, const std::string& text) { return messages.Bytes(url, text); }

  fake::TextMessages messages{schema};
  std::set<std::string> urls;  // what resources look into
};

}  // namespace xdscope::cli
