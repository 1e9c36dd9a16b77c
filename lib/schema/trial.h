// Finds out which of the files that somebody gave can be used: builds them, over the embedded ones, in a pool that is
// thrown away. What a file imports is built before it, so that one pass suffices, and a chain of imports costs neither
// the stack nor a second look, however long it is. Knows descriptors; does not know who asks or what is left out then.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/schema/build_errors.h"
#include "lib/schema/descriptor_index.h"

namespace xdscope::schema {

class Trial {
 public:
  // How long a chain of imports may be: protobuf follows some of them by recursion. Envoy's longest has 20 files.
  static constexpr std::size_t kLongestChain = 200;

  // Demands that `builtin` outlives the trial.
  explicit Trial(const DescriptorIndex& builtin) : builtin_(builtin) {}

  struct Unusable {
    std::string name;
    std::string why;
  };
  struct Result {
    std::vector<std::string> usable;  // what is imported before what imports it
    std::vector<Unusable> unusable;   // likewise, so that the first one is the cause of the others
  };
  // Tries files, by name. Where one cannot be used the embedded file of its name, if there is one, takes its place for
  // those that import it. May be called once.
  Result Run(const std::map<std::string, std::string_view>& files);

 private:
  enum class State : std::uint8_t { kOpen, kGood, kBad };
  struct Known {
    State state = State::kOpen;
    std::size_t chain = 0;  // files in the longest chain of imports that begins here
  };
  // A file whose imports are being looked at.
  struct Step {
    std::string name;
    bool given = false;
    std::string_view bytes;
    std::vector<std::string> imports;
    std::size_t next = 0;  // import
    std::string fault;     // empty: none so far
  };

  void Visit(const std::string& name);
  void Open(const std::string& name);
  void Enter(const std::string& name, std::string_view bytes, bool given);
  void Close();
  void LookAtImports(Step* step, Known* known) const;
  bool Build(Step* step);

  const DescriptorIndex& builtin_;
  const std::map<std::string, std::string_view>* files_ = nullptr;
  std::map<std::string, Known> known_;
  std::vector<Step> steps_;
  BuildErrors errors_;
  google::protobuf::DescriptorPool pool_;
  Result result_;
};

}  // namespace xdscope::schema
