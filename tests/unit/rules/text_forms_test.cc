#include "lib/rules/text_forms.h"

#include <gtest/gtest.h>

#include <string>

namespace xdscope::rules {
namespace {

TEST(TextFormsTest, AHostNameHasLabelsOfLettersDigitsAndHyphens) {
  for (const char* good : {"a", "a.b", "A-1.b.", "1.2.3.4"}) EXPECT_TRUE(IsHostname(good)) << good;
  for (const char* bad : {"", ".", "a..b", "-a", "a-.b", "a_b", "a b", "ä"}) EXPECT_FALSE(IsHostname(bad)) << bad;
  EXPECT_TRUE(IsHostname(std::string(63, 'a')));
  EXPECT_FALSE(IsHostname(std::string(64, 'a')));
}

TEST(TextFormsTest, AnAddressIsWholeAndHasNoZone) {
  EXPECT_TRUE(IsIpv4("127.0.0.1"));
  EXPECT_FALSE(IsIpv4("127.0.0.1 "));
  EXPECT_FALSE(IsIpv4("256.0.0.1"));
  EXPECT_FALSE(IsIpv4(std::string_view("1.1.1.1\0", 8)));
  EXPECT_TRUE(IsIpv6("::ffff:1.2.3.4"));
  EXPECT_FALSE(IsIpv6("fe80::1%eth0"));
  EXPECT_FALSE(IsIpv6("1.2.3.4"));
}

TEST(TextFormsTest, AnEmailAddressMayStandBehindAName) {
  for (const char* good : {"a@b.c", "\"a b\"@c", "Ann <a@b>"}) EXPECT_TRUE(IsEmail(good)) << good;
  for (const char* bad : {"", "a", "@b", "a@", "a..b@c", "a b@c", "<a@b", "a@b_c"}) EXPECT_FALSE(IsEmail(bad)) << bad;
}

TEST(TextFormsTest, AUriHasASchemeAndAReferenceNeedNot) {
  for (const char* good : {"http://a/b?c#d", "mailto:a@b", "a+b:c"}) EXPECT_TRUE(IsUri(good)) << good;
  for (const char* bad : {"", "/a", "1a:b", "a b:c", "http://a/%zz"}) EXPECT_FALSE(IsUri(bad)) << bad;
  for (const char* good : {"", "/a", "a/b:c", "?q", "#f", "../x"}) EXPECT_TRUE(IsUriReference(good)) << good;
  for (const char* bad : {"1a:b", "a\nb", "%"}) EXPECT_FALSE(IsUriReference(bad)) << bad;
}

TEST(TextFormsTest, AUuidHasFivePartsOfHexadecimalDigits) {
  EXPECT_TRUE(IsUuid("01234567-89ab-cdef-ABCD-0123456789ab"));
  EXPECT_FALSE(IsUuid("01234567-89ab-cdef-ABCD-0123456789a"));
  EXPECT_FALSE(IsUuid("01234567x89ab-cdef-ABCD-0123456789ab"));
  EXPECT_FALSE(IsUuid("0123456g-89ab-cdef-ABCD-0123456789ab"));
}

// The strict name takes a comma: PGV's expression has the range "+-.". [validation.md 1.3-9]
TEST(TextFormsTest, AHeaderNameIsATokenWithAColonInFront) {
  for (const char* good : {"a", ":path", "x-a_b", "a,b", "!#$%&'*+-.^_|~`"}) EXPECT_TRUE(IsHeaderName(good)) << good;
  for (const char* bad : {"", ":", "a b", "a:b", "a/b", "a(", "ä", "a\n"}) EXPECT_FALSE(IsHeaderName(bad)) << bad;
}

TEST(TextFormsTest, AHeaderValueHasNoControlCharacterButTheTab) {
  for (const char* good : {"", "a b", "a\tb", "ä"}) EXPECT_TRUE(IsHeaderValue(good)) << good;
  for (const char* bad : {"a\n", "a\r", "\x01", "\x7f"}) EXPECT_FALSE(IsHeaderValue(bad)) << bad;
  EXPECT_FALSE(IsHeaderValue(std::string_view("\0", 1)));
}

TEST(TextFormsTest, OneLineHasNoNulAndNoLineBreak) {
  EXPECT_TRUE(IsOneLine("a\x01\x7f"));
  EXPECT_FALSE(IsOneLine("a\rb"));
  EXPECT_FALSE(IsOneLine("a\nb"));
  EXPECT_FALSE(IsOneLine(std::string_view("a\0", 2)));
}

}  // namespace
}  // namespace xdscope::rules
