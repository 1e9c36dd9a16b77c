#include "lib/schema/trial.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/fields.h"

namespace xdscope::schema {
namespace {

std::vector<std::string> ImportsOf(std::string_view file) {
  constexpr std::uint32_t kDependency = 3;  // of FileDescriptorProto
  std::vector<std::string> imports;
  base::FieldReader fields(file);
  std::string_view import;
  while (fields.Next()) {
    if (fields.Is(kDependency, &import)) imports.emplace_back(import);
  }
  return imports;
}

}  // namespace

Trial::Result Trial::Run(const std::map<std::string, std::string_view>& files) {
  files_ = &files;
  for (const auto& [name, bytes] : files) Visit(name);
  return std::move(result_);
}

// Goes down along the imports and up again with a stack of its own.
void Trial::Visit(const std::string& name) {
  if (known_.contains(name)) return;
  Open(name);
  while (!steps_.empty()) {
    Step& step = steps_.back();
    if (step.next == step.imports.size()) {
      Close();
    } else if (const std::string import = step.imports[step.next++]; !known_.contains(import)) {
      Open(import);
    }
  }
}

// Enters the given file of this name, else the embedded one. A file that is not there at all is known as bad.
void Trial::Open(const std::string& name) {
  known_[name] = {};
  const auto given = files_->find(name);
  if (given != files_->end()) return Enter(name, given->second, true);
  const std::optional<std::string_view> embedded = builtin_.File(name);
  if (embedded) return Enter(name, *embedded, false);
  known_[name].state = State::kBad;
}

void Trial::Enter(const std::string& name, std::string_view bytes, bool given) {
  Step& step = steps_.emplace_back();
  step.name = name;
  step.given = given;
  step.bytes = bytes;
  step.imports = ImportsOf(bytes);
}

// Builds the file whose imports have all been looked at.
void Trial::Close() {
  Step step = std::move(steps_.back());
  steps_.pop_back();
  Known& known = known_[step.name];
  LookAtImports(&step, &known);
  const bool good = step.fault.empty() && Build(&step);
  known.state = good ? State::kGood : State::kBad;
  if (!step.given) return;
  if (good) return result_.usable.push_back(std::move(step.name));
  const std::optional<std::string_view> embedded = builtin_.File(step.name);
  if (embedded) {
    known.state = State::kOpen;
    Enter(step.name, *embedded, false);
  }
  result_.unusable.push_back({std::move(step.name), std::move(step.fault)});
}

void Trial::LookAtImports(Step* step, Known* known) const {
  known->chain = 1;
  for (const std::string& import : step->imports) {
    const Known& other = known_.at(import);
    known->chain = std::max(known->chain, other.chain + 1);
    if (!step->fault.empty()) continue;
    if (other.state == State::kOpen) step->fault = fmt::format("{}: recursively imports itself", import);
    if (other.state == State::kBad)
      step->fault = fmt::format("{0}: Import \"{0}\" was not found or had errors.", import);
  }
  if (step->fault.empty() && known->chain > kLongestChain) {
    step->fault = fmt::format("it begins a chain of more than {} imports", kLongestChain);
  }
}

bool Trial::Build(Step* step) {
  google::protobuf::FileDescriptorProto file;
  const bool built = file.ParseFromArray(step->bytes.data(), static_cast<int>(step->bytes.size())) &&
                     pool_.BuildFileCollectingErrors(file, &errors_) != nullptr;
  if (!built) step->fault = errors_.Of(step->name);
  if (!built && step->fault.empty()) step->fault = "it cannot be built";
  return built;
}

}  // namespace xdscope::schema
