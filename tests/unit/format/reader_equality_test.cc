// Our readers against protobuf's own, on messages of every type of the API filled at random.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "lib/finding/reading_rules.h"
#include "lib/format/read.h"
#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

std::string Describe(const ReadFile& file) {
  std::string all;
  for (const finding::Finding& finding : file.findings) {
    all += std::to_string(finding.position.line) + ":" + std::to_string(finding.position.column) + " " +
           finding::ToText(finding.path) + ": " + finding.message + "\n";
  }
  return all;
}

class ReaderEquality : public testing::Test {
 protected:
  ReaderEquality() {
    for (const std::string& name : api_.schema.MessageNames()) {
      const auto* descriptor = api_.schema.FindMessage(name);
      descriptors_.push_back(descriptor);
      const bool usual = name.starts_with("envoy.extensions.") || name.starts_with("google.protobuf.Str") ||
                         name.starts_with("google.protobuf.Dur") || name.ends_with("Value");
      if (usual && !name.starts_with("google.protobuf.Enum")) any_types_.push_back(descriptor);
    }
    resolver_.reset(google::protobuf::util::NewTypeResolverForDescriptorPool("type.googleapis.com",
                                                                             descriptors_.front()->file()->pool()));
  }

  bool Same(const std::string& name, const std::string& a, const std::string& b) {
    const wire::Type& type = *api_.types.Find(name);
    const auto left = wire::Decode(a, type);
    const auto right = wire::Decode(b, type);
    return left.ok() && right.ok() && wire::Equal(left->view(), right->view(), api_.types);
  }

  // The one resource of a text, an Any of type `name`; a failed test and nothing when there is none.
  std::string ReadOne(const std::string& name, const std::string& text, Format format) {
    const ReadFile file = Read(text, format, {}, api_.types);
    EXPECT_EQ(file.resources.size(), 1U) << name << "\n" << Describe(file) << text;
    return file.resources.empty()      ? ""
           : file.resources[0].wrapped ? file.resources[0].wrapper_bytes
                                       : file.resources[0].bytes;
  }

  Api& api_ = SharedApi();
  std::vector<const google::protobuf::Descriptor*> descriptors_;
  std::vector<const google::protobuf::Descriptor*> any_types_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
  google::protobuf::LogSilencer silence_;
};

// True when a google.protobuf.Value can stand in the message: its numbers with a fraction come back from YAML as text,
// because Envoy types them so.
bool HoldsValues(const google::protobuf::Descriptor& type, std::set<const google::protobuf::Descriptor*>* seen) {
  if (type.full_name() == "google.protobuf.Value") return true;
  if (!seen->insert(&type).second) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const auto* below = type.field(i)->message_type();
    if (below != nullptr && HoldsValues(*below, seen)) return true;
  }
  return false;
}

// Messages that stand for a file of their own, or whose printed form says less than they do.
bool IsOdd(const std::string& name) {
  return name.ends_with(".DiscoveryResponse") || name == "envoy.service.discovery.v3.Resource" ||
         name == "envoy.api.v2.Resource" || name == "google.protobuf.Any";
}

TEST_F(ReaderEquality, JsonIsReadAsProtobufReadsIt) {
  fake::RandomMessages random(api_.factory, any_types_, 99);
  int compared = 0;
  for (const auto* descriptor : descriptors_) {
    const std::string& name = descriptor->full_name();
    if (IsOdd(name) || HasFailure()) continue;
    const std::string url = "type.googleapis.com/" + name;
    std::string any, json, theirs;
    base::AppendBytes(&any, 1, url);
    base::AppendBytes(&any, 2, random.Make(*descriptor, 4)->SerializePartialAsString());
    const std::string any_url = "type.googleapis.com/google.protobuf.Any";
    if (!google::protobuf::util::BinaryToJsonString(resolver_.get(), any_url, any, &json).ok()) continue;
    if (!google::protobuf::util::JsonToBinaryString(resolver_.get(), any_url, json, &theirs).ok()) continue;
    const std::string their_payload(base::FindBytes(theirs, 2).value_or(std::string_view()));
    EXPECT_TRUE(Same(name, ReadOne(name, json, Format::kJson), their_payload)) << name << "\n" << json;
    ++compared;
  }
  EXPECT_GT(compared, static_cast<int>(descriptors_.size()) * 8 / 10);
}

TEST_F(ReaderEquality, TextIsReadAsProtobufReadsIt) {
  fake::RandomMessages random(api_.factory, any_types_, 98);
  google::protobuf::TextFormat::Printer printer;
  printer.SetExpandAny(true);
  for (const auto* descriptor : descriptors_) {
    const std::string& name = descriptor->full_name();
    if (IsOdd(name) || HasFailure()) continue;
    const auto message = random.Make(*descriptor, 4);
    std::string text;
    printer.PrintToString(*message, &text);
    text = fmt::format("[type.googleapis.com/{}] {{\n{}}}\n", name, text);
    EXPECT_TRUE(Same(name, ReadOne(name, text, Format::kText), fake::Serialized(*message))) << name << "\n" << text;
  }
}

TEST_F(ReaderEquality, WhatWePrintIsReadAsItWas) {
  std::erase_if(any_types_, [](const auto* type) {
    std::set<const google::protobuf::Descriptor*> seen;
    return HoldsValues(*type, &seen);
  });
  fake::RandomMessages random(api_.factory, any_types_, 97);
  WalkOptions options;
  options.show_secrets = true;
  int compared = 0;
  for (const auto* descriptor : descriptors_) {
    const std::string& name = descriptor->full_name();
    if (IsOdd(name) || HasFailure()) continue;
    const std::string url = "type.googleapis.com/" + name;
    const std::string bytes = random.Make(*descriptor, 4)->SerializePartialAsString();
    const std::string text = ShowAny(url, bytes, options, Spelling::kText);
    EXPECT_TRUE(Same(name, ReadOne(name, text, Format::kText), bytes)) << name << "\n" << text;
    std::string any, json, theirs;
    base::AppendBytes(&any, 1, url);
    base::AppendBytes(&any, 2, bytes);
    // What has no JSON form, or one that says less (paths of a FieldMask), is not for JSON and YAML.
    const std::string any_url = "type.googleapis.com/google.protobuf.Any";
    if (!google::protobuf::util::BinaryToJsonString(resolver_.get(), any_url, any, &json).ok()) continue;
    if (!google::protobuf::util::JsonToBinaryString(resolver_.get(), any_url, json, &theirs).ok()) continue;
    const std::string wanted(base::FindBytes(theirs, 2).value_or(std::string_view()));
    const std::string our_json = ShowAny(url, bytes, options, Spelling::kJson);
    EXPECT_TRUE(Same(name, ReadOne(name, our_json, Format::kJson), wanted)) << name << "\n" << our_json;
    std::set<const google::protobuf::Descriptor*> seen;
    if (HoldsValues(*descriptor, &seen)) continue;
    const std::string yaml = ShowAny(url, bytes, options, Spelling::kYaml);
    EXPECT_TRUE(Same(name, ReadOne(name, yaml, Format::kYaml), wanted)) << name << "\n" << yaml;
    ++compared;
  }
  EXPECT_GT(compared, static_cast<int>(descriptors_.size()) / 2);
}

// Texts that are nearly right: both parsers take the same, and read the same from it.
TEST_F(ReaderEquality, MutatedTextIsTakenAsProtobufTakesIt) {
  constexpr std::string_view kPieces[] = {
      "{",    "}",   "<",     ">",     "[",       "]",    ":",   ",",   ";",      "\"", "'",         "\\",  "-",
      ".",    "0",   "1",     "9",     "x",       "f",    "e",   " ",   "\n",     "#",  "name",      "inf", "nan",
      "true", "\\n", "\\777", "\\x41", "\\u00e9", "0x1f", "017", "1.5", "[1, 2]", "{}", "\"a\" 'b'", "key", "value"};
  fake::RandomMessages random(api_.factory, any_types_, 96);
  ReadOptions options;
  options.bare_type = "envoy.config.cluster.v3.Cluster";
  const auto* descriptor = api_.schema.FindMessage(options.bare_type);
  google::protobuf::TextFormat::Printer printer;
  printer.SetExpandAny(true);
  int taken = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    std::string text;
    printer.PrintToString(*random.Make(*descriptor, 2), &text);
    for (unsigned n = random.Below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = random.Below(text.size());
      if (random.OneIn(2)) text.erase(at, 1 + random.Below(3));
      if (random.OneIn(2)) text.insert(std::min(at, text.size()), kPieces[random.Below(std::size(kPieces))]);
    }
    const std::unique_ptr<google::protobuf::Message> theirs(api_.factory.GetPrototype(descriptor)->New());
    const bool accepted = google::protobuf::TextFormat::ParseFromString(text, theirs.get());
    const ReadFile file = Read(text, Format::kText, options, api_.types);
    // Two things go by other rules: hosts of type URLs that protobuf does not expand are taken, text that is not UTF-8
    // (which nobody could read from the wire) is not.
    const auto other_rule = [](const finding::Finding& finding) {
      return finding.rule == finding::kTypeUrlFormRule || finding.message == "invalid UTF-8";
    };
    if (std::any_of(file.findings.begin(), file.findings.end(), other_rule)) continue;
    ASSERT_EQ(!file.has_errors, accepted) << Describe(file) << text;
    if (!accepted) continue;
    ++taken;
    ASSERT_EQ(file.resources.size(), 1U);
    ASSERT_TRUE(Same(options.bare_type, file.resources[0].bytes, fake::Serialized(*theirs))) << text;
  }
  EXPECT_GT(taken, kRounds / 10);
}

}  // namespace
}  // namespace xdscope::format
