// Descriptions for people: text, a line for each field.
#pragma once

#include <string>

#include "lib/finding/rules.h"
#include "lib/rules/description.h"

namespace xdscope::cli {

std::string TextOf(const rules::MessageDescription& message);
// `message`: the one that has the field.
std::string TextOf(const rules::FieldDescription& field, const rules::MessageDescription& message);
std::string TextOf(const rules::EnumDescription& values);
std::string TextOf(const finding::Rule& rule);

// The same as JSON: one object, and a line break.
std::string JsonOf(const rules::MessageDescription& message);
std::string JsonOf(const rules::FieldDescription& field, const rules::MessageDescription& message);
std::string JsonOf(const rules::EnumDescription& values);
std::string JsonOf(const finding::Rule& rule);

}  // namespace xdscope::cli
