#include "lib/format/table.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

std::string Text(const Table& table, std::size_t width = 0, Style style = {}) {
  return Collect([&](Output& out) { WriteTable(table, width, style, out); });
}

TEST(Table, AlignsItsColumns) {
  const Table table{{{"NAME", false}, {"SIZE", true}, {"KIND", false}},
                    {{"a", "1", "x"}, {"éa", "1000", ""}, {"longer name", "", "yy"}, {"short"}}};
  EXPECT_EQ(Text(table),
            "NAME         SIZE  KIND\n"
            "a               1  x\n"
            "éa           1000\n"
            "longer name        yy\n"
            "short\n");
}

TEST(Table, CutsTheWidestColumnsOnlyWhenToldAWidth) {
  const Table table{{{"NAME", false}, {"VERSION", false}}, {{"outbound|80||service.namespace.svc", "1"}}};
  EXPECT_EQ(Text(table), "NAME                                VERSION\noutbound|80||service.namespace.svc  1\n");
  EXPECT_EQ(Text(table, 25), "NAME              VERSION\noutbound|80||se…  1\n");
  EXPECT_EQ(Text(table, 3), "NAME      VERSION\noutboun…  1\n") << "not below what can be read";
}

TEST(Table, NamesAreCutLastAndInTheMiddle) {
  const Table table{{{.title = "NAME", .name = true}, {"VERSION"}},
                    {{"outbound|80||service-a.namespace.svc", "2026-11-22T10:00:00Z/14"}}};
  EXPECT_EQ(Text(table, 50),
            "NAME                                  VERSION\n"
            "outbound|80||service-a.namespace.svc  2026-11-22T…\n");
  EXPECT_EQ(Text(table, 30), "NAME                  VERSION\noutbound|…espace.svc  2026-11…\n");
}

TEST(Table, WideCharactersTakeTwoColumns) {
  const Table table{{{"NAME"}, {"SIZE", true}}, {{"日本", "1"}, {"e\u0301", "2"}}};
  EXPECT_EQ(Text(table), "NAME  SIZE\n日本     1\ne\u0301        2\n");
}

TEST(Table, NoControlCharacterGetsToTheTerminal) {
  EXPECT_EQ(Text({{{"A", false}}, {{"x\x1b[31m\n\xC2\x9By\xff"}}}), "A\nx\\x1b[31m\\n\\xc2\\x9by\\xff\n");
}

TEST(Table, ColorsItsTitles) {
  EXPECT_EQ(Text({{{"A", false}}, {{"x"}}}, 0, {true}), "\x1b[34;1mA\x1b[0m\nx\n");
}

TEST(Table, WithoutColumnsIsNothing) {
  EXPECT_EQ(Text({}), "");
}

const std::vector<TreeNode> kTree = {
    {"lds a", "0.0.0.0:80", {{"rds r", "", {{"cds c", "", {}}, {"cds missing", "not there", {}}}}, {"sds s", "", {}}}},
    {"lds b", "", {}}};

TEST(Tree, DrawsItsBranches) {
  EXPECT_EQ(Collect([](Output& out) { WriteTree(kTree, TreeLines::kUtf8, 0, {}, out); }),
            "lds a 0.0.0.0:80\n"
            "├── rds r\n"
            "│   ├── cds c\n"
            "│   └── cds missing not there\n"
            "└── sds s\n"
            "lds b\n");
  EXPECT_EQ(Collect([](Output& out) { WriteTree(kTree, TreeLines::kAscii, 0, {}, out); }),
            "lds a 0.0.0.0:80\n"
            "|-- rds r\n"
            "|   |-- cds c\n"
            "|   `-- cds missing not there\n"
            "`-- sds s\n"
            "lds b\n");
}

TEST(Tree, IsCutToAWidth) {
  const std::vector<TreeNode> tree = {{"a", "", {{"cds outbound|80||service", "note that is long", {}}}}};
  EXPECT_EQ(Collect([&](Output& out) { WriteTree(tree, TreeLines::kUtf8, 20, {}, out); }), "a\n└── cds outbound|80…\n");
}

}  // namespace
}  // namespace xdscope::format
