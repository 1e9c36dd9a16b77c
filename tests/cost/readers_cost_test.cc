// Reading a file, and finding fields in it, costs what the file is long, whatever it repeats: every format, every
// shape.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/fields.h"
#include "lib/format/locate.h"
#include "lib/format/read.h"
#include "lib/schema/schema.h"
#include "tests/cost/steps.h"

namespace xdscope::format {
namespace {

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::string_view kTyped = R"("@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster")";

// `front`, then `piece` (a text, or a function that makes one of 0, 1, 2 …) `size` times, then `back`.
template <typename Piece>
std::string Times(std::string_view front, int size, const Piece& piece, std::string_view back) {
  std::string text(front);
  for (int i = 0; i < size; ++i) {
    if constexpr (std::is_invocable_v<Piece, int>) {
      text += piece(i);
    } else {
      text += piece;
    }
  }
  return text.append(back);
}

// A response in binary with `size` Anys.
template <typename Any>
std::string Anys(int size, Any any) {
  std::string bytes;
  for (int i = 0; i < size; ++i) base::AppendBytes(&bytes, 2, any(i));
  return bytes;
}

std::string AnyOf(std::string_view url, std::string_view value) {
  std::string any;
  base::AppendBytes(&any, 1, url);
  base::AppendBytes(&any, 2, value);
  return any;
}

struct Shape {
  std::string_view name;
  Format format;
  std::string (*make)(int size);

  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};

constexpr Shape kShapes[] = {
    {"JsonKeysOfAMap", Format::kJson,
     [](int size) {
       return Times(R"({"metadata": {"filter_metadata": {"a": {})", size,
                    [](int i) { return fmt::format(R"(, "k{}": {{}})", i); }, "}}}");
     }},
    {"JsonListOfResources", Format::kJson, [](int size) { return Times("[{}", size, R"(, {"name": "a"})", "]"); }},
    {"JsonResponse", Format::kJson,
     [](int size) {
       return Times(R"({"resources": [{)", size, [](int) { return fmt::format(R"({}, "name": "a"}}, {{)", kTyped); },
                    fmt::format("{}}}]}}", kTyped));
     }},
    {"JsonUnknownFields", Format::kJson,
     [](int size) {
       return Times(R"({"name": "a")", size, [](int i) { return fmt::format(R"(, "no{}": 1)", i); }, "}");
     }},
    {"JsonUnknownTypes", Format::kJson,
     [](int size) {
       return Times(R"({"resources": [{"@type": "a/no"})", size,
                    [](int i) { return fmt::format(R"(, {{"@type": "a/no.such{}"}})", i); }, "]}");
     }},
    {"JsonValuesThatDoNotFit", Format::kJson,
     [](int size) { return Times(R"({"health_checks": [1)", size, ", 1", "]}"); }},
    {"JsonNestedAnys", Format::kJson,
     [](int size) {
       std::string text = Times(R"({"health_checks": [{})", size, ", {}", fmt::format("], {}}}", kTyped));
       for (int i = 0; i < 20; ++i) {
         text = fmt::format(R"({{"@type": "type.googleapis.com/google.protobuf.Any", "value": {}}})", text);
       }
       return text;
     }},
    {"JsonDuplicateFields", Format::kJson, [](int size) { return Times("{", size, R"("name": "a", )", "}"); }},
    {"JsonDuplicateKeys", Format::kJson,
     [](int size) { return Times(R"({"metadata": {"filter_metadata": {)", size, R"("a": {}, )", "}}}"); }},
    {"JsonDuplicateResources", Format::kJson,
     [](int size) { return Times("{", size, R"("resources": [{}], )", R"("resources": {}})"); }},
    {"JsonDuplicateTypes", Format::kJson,
     [](int size) {
       return Times(
           "{", size, [](int) { return fmt::format("{}, ", kTyped); }, "}");
     }},
    {"JsonDocuments", Format::kJson, [](int size) { return Times("", size, R"({"name": "a"})", ""); }},
    {"JsonEscapes", Format::kJson, [](int size) { return Times(R"({"name": ")", size, "\\n\\u0041", "\"}"); }},
    {"JsonResourcesThatAreAField", Format::kJson,
     [](int size) { return Times(R"({"resources": [1)", size, ", 1", R"(], "@type": "type.googleapis.com/a.B"})"); }},
    {"YamlKeysOfAMap", Format::kYaml,
     [](int size) {
       return Times(
           "metadata:\n  filter_metadata:\n", size, [](int i) { return fmt::format("    k{}: {{}}\n", i); }, "");
     }},
    {"YamlListOfResources", Format::kYaml, [](int size) { return Times("", size, "- name: a\n", ""); }},
    {"YamlUnknownFields", Format::kYaml,
     [](int size) {
       return Times(
           "", size, [](int i) { return fmt::format("no{}: 1\n", i); }, "");
     }},
    {"YamlDuplicateFields", Format::kYaml, [](int size) { return Times("", size, "name: a\n", ""); }},
    {"YamlMergeKeys", Format::kYaml, [](int size) { return Times("a: &a {}\n", size, "<<: *a\n", ""); }},
    {"YamlAliases", Format::kYaml, [](int size) { return Times("- &a {name: b}\n", size, "- *a\n", ""); }},
    {"YamlAnchors", Format::kYaml,
     [](int size) {
       return Times(
           "", size, [](int i) { return fmt::format("- &a{} {{name: b}}\n- *a{}\n", i, i); }, "");
     }},
    {"YamlDocuments", Format::kYaml, [](int size) { return Times("", size, "---\nname: a\n", ""); }},
    {"YamlComments", Format::kYaml, [](int size) { return Times("name: a\n", size, "# comment\n", ""); }},
    {"YamlOctalNumbers", Format::kYaml, [](int size) { return Times("a:\n", size, "- 010\n", ""); }},
    {"TextFields", Format::kText, [](int size) { return Times("", size, "health_checks {}\n", ""); }},
    {"TextList", Format::kText, [](int size) { return Times("health_checks [{}", size, ", {}", "]"); }},
    {"TextMapEntries", Format::kText,
     [](int size) {
       return Times(
           "metadata {\n", size,
           [](int i) { return fmt::format("filter_metadata {{ key: \"k{}\" value {{}} }}\n", i); }, "}");
     }},
    {"TextResources", Format::kText,
     [](int size) {
       return Times("", size, "resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: 'a' } }\n",
                    "");
     }},
    {"TextUnknownFields", Format::kText,
     [](int size) {
       return Times(
           "", size, [](int i) { return fmt::format("no{}: 1\n", i); }, "");
     }},
    {"TextDuplicateFields", Format::kText, [](int size) { return Times("", size, "name: 'a'\n", ""); }},
    {"TextMessages", Format::kText, [](int size) { return Times("", size, "name: 'a'\n# proto-message: x\n", ""); }},
    {"TextComments", Format::kText, [](int size) { return Times("name: 'a'\n", size, "# comment\n", ""); }},
    {"TextLiterals", Format::kText, [](int size) { return Times("name: ", size, "'a' ", ""); }},
    {"BinaryResources", Format::kBinary,
     [](int size) { return Anys(size, [](int) { return AnyOf(fmt::format("a/{}", kCluster), ""); }); }},
    {"BinaryWrappers", Format::kBinary,
     [](int size) {
       return Anys(size, [](int) {
         std::string wrapper;
         base::AppendBytes(&wrapper, 2, AnyOf(fmt::format("a/{}", kCluster), ""));
         return AnyOf("a/envoy.service.discovery.v3.Resource", wrapper);
       });
     }},
    {"BinaryUnknownFields", Format::kBinary,
     [](int size) {
       std::string bytes = Anys(1, [](int) { return AnyOf(fmt::format("a/{}", kCluster), ""); });
       for (int i = 0; i < size; ++i) base::AppendBytes(&bytes, 99, "x");
       return bytes;
     }},
    {"BinaryAnysWithoutAType", Format::kBinary,
     [](int size) { return Anys(1, [](int) { return AnyOf("a/b", ""); }) + Anys(size, [](int) { return ""; }); }},
};

constexpr int kSize = 400;
// Finding the nearest name of what is unknown costs much, but only for findings that are kept.
constexpr std::size_t kFewFindings = 5;

class ReadersCostTest : public testing::Test {
 protected:
  ReadFile ReadAs(const std::string& text, Format format, std::size_t max_findings = kFewFindings) {
    ReadOptions options;
    options.bare_type = kCluster;
    options.max_findings = max_findings;
    return Read(text, format, options, types_);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

class ReadCostTest : public ReadersCostTest, public testing::WithParamInterface<Shape> {};

TEST_P(ReadCostTest, GrowsWithTheSize) {
  cost::ExpectLinear(
      [&](int size) { return [this, text = GetParam().make(size)] { ReadAs(text, GetParam().format); }; }, kSize);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReadCostTest, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST_F(ReadersCostTest, FindingsThatAreKeptCostTheSameEach) {
  cost::ExpectLinear(
      [&](int size) {
        return [this, size, text = Times(R"({"health_checks": [1)", size, ", 1", "]}")] {
          EXPECT_EQ(ReadAs(text, Format::kJson, 10'000).findings.size(), static_cast<std::size_t>(size) + 1);
        };
      },
      kSize);
}

// Broken texts too: beginnings of everything a format has, again and again.
TEST_F(ReadersCostTest, AnyPieceMayBeRepeated) {
  constexpr std::string_view kPieces[] = {
      "{",     "[",      "\"",    "'",       "{\"a\":", "[1,",    "- ",    "a: ",         "a:\n ",
      "? ",    "&a ",    "*a ",   "!a ",     "| ",      "# x\n",  "--- ",  "---\n",       "%a ",
      "{a: ",  "[a, ",   "a, ",   "\\",      "a\n",     "a: b\n", "- a\n", "a{",          "a<",
      "a:1 ",  "\"a\" ", "[a/b]", "[a/b]{}", "\t",      " ",      "\n",    "a: &x b\n",   "- *x\n",
      "? a\n", "- - - ", "{}",    "{},",     "[],",     "\"\\u",  "-",     "a: |\n  b\n", "'' "};
  constexpr std::uint64_t kConstant = 20'000;  // what a text costs however short it is
  for (const Format format : {Format::kJson, Format::kYaml, Format::kText}) {
    for (const std::string_view piece : kPieces) {
      for (const std::string_view front : {"", "[", "{\"resources\": [", "resources: ["}) {
        const auto steps = [&](int size) {
          return cost::StepsOf([&] { ReadAs(Times(front, size, piece, ""), format); });
        };
        const std::uint64_t once = steps(kSize);
        EXPECT_LT(steps(2 * kSize), once * 5 / 2 + kConstant) << static_cast<int>(format) << front << piece << once;
      }
    }
  }
}

class LocateCostTest : public testing::TestWithParam<Format> {};

TEST_P(LocateCostTest, GrowsWithTheTextAndThePaths) {
  const auto text_of = [](int size) {
    if (GetParam() == Format::kText) return Times("", size, "resources { name: 'a' }\n", "");
    return Times("{\"resources\": [", size, "{\"name\": \"a\"}, ", "]}");
  };
  cost::ExpectLinear(
      [&](int size) {
        std::vector<FieldPath> paths(static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < paths.size(); ++i) {
          paths[i].path.AddField("resources").AddIndex(i % 2 == 0 ? i : i + paths.size());  // every other is missing
          paths[i].path.AddField("name");
        }
        return [text = text_of(size), paths] { EXPECT_EQ(Locate(text, GetParam(), paths).front().line, 1); };
      },
      kSize);
}

INSTANTIATE_TEST_SUITE_P(Formats, LocateCostTest, testing::Values(Format::kJson, Format::kYaml, Format::kText));

}  // namespace
}  // namespace xdscope::format
