// The resources that were received, by type and name. Knows names, versions and where the bytes are; not how they came,
// nor what is good about them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/wire/message.h"

namespace xdscope::resource {

// A resource in the bytes of the response that brought it.
struct Resource {
  std::string name;  // canonical; of one that nothing names: "#1", "#2" …
  std::string version;
  std::string_view type_url;                  // of the payload
  std::string_view payload;                   // the message's bytes
  std::string_view entry;                     // as it stands in the response: an Any (SotW) or a Resource (delta)
  bool wrapped = false;                       // it came in a Resource
  absl::StatusOr<wire::Message> message;      // decoded once; NOT_FOUND: a type that the schema does not know
  std::shared_ptr<const std::string> buffer;  // what all of the above looks into
};

// All resources of one type.
struct TypeState {
  std::string version;  // of the last response
  std::map<std::string, Resource, std::less<>> resources;
};

// Types in the order in which they are printed (see types::OutputRank), those without a rank by their URL.
struct OutputOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

class Snapshot {
 public:
  // Takes the resources of a response. Of two with one name the first is kept; a name that is already there gets the
  // new content. `whole`: they are all there is of the type, others go.
  void Take(const std::string& type_url, std::string_view version, std::vector<Resource> resources, bool whole);
  void Remove(const std::string& type_url, std::string_view name);

  const Resource* Find(const std::string& type_url, std::string_view name) const;
  const std::map<std::string, TypeState, OutputOrder>& types() const { return types_; }
  bool empty() const { return types_.empty(); }

 private:
  std::map<std::string, TypeState, OutputOrder> types_;
};

}  // namespace xdscope::resource
