// The rules of protoc-gen-validate (PGV), run over decoded messages: which of them a message breaks, all of them and
// not the first alone. The rules of a type are compiled when it is first seen. [reference/validation.md 1]
//
// It takes the messages of a visit, so that it goes through Any and TypedStruct, where Envoy runs PGV anew.
#pragma once

#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "lib/encode/visit.h"
#include "lib/rules/message_rules.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"

namespace xdscope::rules {

class Pgv {
 public:
  // `types` must live longer.
  explicit Pgv(wire::Types& types) : types_(types) {}

  // Reports what one message breaks; not what those below it do. Takes time in proportion to the message.
  void Check(const encode::Visited& at, Report* report);

 private:
  const MessageRules& RulesOf(const wire::Type& type);
  void Absent(const encode::Visited& at, const FieldRules& rules, Report* report);
  void Present(const encode::Visited& at, const FieldRules& rules, const wire::Present& present, Report* report);
  void List(const encode::Visited& at, const FieldRules& rules, const wire::Present& present, Report* report);
  void Map(const encode::Visited& at, const FieldRules& rules, const wire::Present& present, Report* report);
  void Oneofs(const encode::Visited& at, const MessageRules& rules, Report* report);
  void Value(const Place& place, const ValueRules& rules, const wire::Value& value, Report* report);
  void Size(const Place& place, const FieldRules& rules, std::size_t size, Report* report);
  void Broken(const Place& place, const Constraint& constraint, const wire::Value& value, Report* report);
  finding::Finding* Add(std::string_view rule, const Place& place, Report* report);
  Below Reach(const encode::Visited& at);

  wire::Types& types_;
  absl::flat_hash_map<const wire::Type*, std::unique_ptr<MessageRules>> rules_;
};

}  // namespace xdscope::rules
