#include "cli/print/words.h"

#include <gtest/gtest.h>

#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

std::string Url(std::string_view word) {
  return std::string(types::FindByWord(word)->v3.type_url);
}

TEST(Words, SizesAreRoundedToWhatAPersonCompares) {
  EXPECT_EQ(SizeWords(0), "0 B");
  EXPECT_EQ(SizeWords(999), "999 B");
  EXPECT_EQ(SizeWords(1000), "1 kB");
  EXPECT_EQ(SizeWords(1499), "1 kB");
  EXPECT_EQ(SizeWords(1500), "2 kB");
  EXPECT_EQ(SizeWords(1'550'000), "1.6 MB");
}

TEST(Words, OneIsSingular) {
  EXPECT_EQ(CountWords(0, "name"), "0 names");
  EXPECT_EQ(CountWords(1, "name"), "1 name");
  EXPECT_EQ(CountWords(2, "name"), "2 names");
}

TEST(Words, AResourceIsWrittenAsATypeArgumentTakesIt) {
  EXPECT_EQ(ResourceWord(Url("cds"), "web"), "cds:web");
  EXPECT_EQ(ResourceWord(Url("cds"), ""), "cds");
  EXPECT_EQ(ResourceWord(Url("cds"), "a,b"), "cds:a\\,b");
  EXPECT_EQ(ResourceWord("type.googleapis.com/my.Thing", "a"), "my.Thing:a");
  EXPECT_EQ(ResourceWord("other.com/my.Thing", "a"), "other.com/my.Thing:a");
}

TEST(Words, AControlCharacterInANameIsEscaped) {
  EXPECT_EQ(ResourceWord(Url("lds"), "a\x1b]0;x\x07"), "lds:a\\x1b]0;x\\x07");
}

TEST(Words, ARequestSaysWhatItCarries) {
  protocol::Request request;
  request.kind = protocol::Request::Kind::kAck;
  request.type_url = Url("cds");
  request.version = "3";
  request.nonce = "7";
  EXPECT_EQ(RequestLine(request), "-> CDS ack, version 3, nonce 7");
  request = {};
  request.type_url = Url("eds");
  request.names = {"a"};
  EXPECT_EQ(RequestLine(request), "-> EDS first request, 1 name");
  request.kind = protocol::Request::Kind::kNack;
  request.names.clear();
  request.error = {13, "bad"};
  EXPECT_EQ(RequestLine(request), "-> EDS nack: bad");
}

}  // namespace
}  // namespace xdscope::cli
