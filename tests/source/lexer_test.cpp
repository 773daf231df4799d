#include <algorithm>

#include "catch.hpp"
#include "source/token.hpp"

using namespace gemm_tutor::source;

namespace {

using Texts = std::vector<std::string>;

Texts texts_of(std::string_view source) {
  Texts result;
  for (const Token& token : tokens_of(source)) result.emplace_back(token.text);
  return result;
}

Token first_of(std::string_view source) { return tokens_of(source).at(0); }

}  // namespace

TEST_CASE("names, numbers and punctuation are as long as C++ makes them") {
  CHECK(texts_of("a<<=b>>c->d::e++ ...x==1") ==
        Texts{"a", "<<=", "b", ">>", "c", "->", "d", "::", "e", "++", "...", "x", "==", "1"});
  CHECK(texts_of("1'000.5e-3f+.5e+3 0x1p-3 1e+ 32u..5") ==
        Texts{"1'000.5e-3f", "+", ".5e+3", "0x1p-3", "1e+", "32u..5"});
  CHECK(texts_of("größe _a$1\\") == Texts{"größe", "_a$1", "\\"});
  CHECK(first_of("a1").kind == Token::Kind::name);
  CHECK(first_of("1a").kind == Token::Kind::number);
  CHECK(first_of("\\").kind == Token::Kind::other);
}

TEST_CASE("literals end at their quotes, and at the end of a line at the latest") {
  CHECK(texts_of("\"a \\\" // b\" 'c' L'\\''") == Texts{"\"a \\\" // b\"", "'c'", "L", "'\\''"});
  CHECK(texts_of("R\"x( } )\" )x\" u8R\"(a\nb)\"c") ==
        Texts{"R\"x( } )\" )x\"", "u8R\"(a\nb)\"", "c"});
  CHECK(texts_of("\"open\nnext") == Texts{"\"open", "next"});
  CHECK_FALSE(first_of("\"open\nnext").is_closed);
  CHECK_FALSE(first_of("'").is_closed);
  CHECK_FALSE(first_of("R\"x(").is_closed);
  CHECK_FALSE(first_of("\"\\").is_closed);
  CHECK(first_of("\"\"").is_closed);
}

TEST_CASE("comments are tokens, also those that go on in the next line") {
  const std::vector<Token> tokens = tokens_of("a // b \\\n c\n/* d\n */ e /* f");
  REQUIRE(tokens.size() == 5);
  CHECK(tokens[1].text == "// b \\\n c");
  CHECK(tokens[1].kind == Token::Kind::comment);
  CHECK(tokens[2].line == 3);
  CHECK(tokens[2].is_closed);
  CHECK(tokens[3].line == 4);
  CHECK(tokens[3].after_blank);
  CHECK_FALSE(tokens[4].is_closed);
}

TEST_CASE("a directive ends with its line, and goes on after a backslash") {
  const auto numbers = [](std::string_view source) {
    std::vector<int> result;
    for (const Token& token : tokens_of(source)) result.push_back(token.directive);
    return result;
  };
  CHECK(numbers("#define A \\\n x\nint b;") == std::vector{1, 1, 1, 1, 0, 0, 0});
  CHECK(numbers("#if 1\r\n  #endif\r\n") == std::vector{1, 1, 1, 2, 2});
  CHECK(numbers("/* */ # if /*\n*/ 1\na # b") == std::vector{0, 1, 1, 1, 1, 0, 0, 0});
  CHECK(numbers("%:if 1") == std::vector{1, 1, 1});
}

TEST_CASE("a token says where it is, and the mark of UTF-8 is none") {
  const std::string source = "\xef\xbb\xbf  a\n\tb";
  const std::vector<Token> tokens = tokens_of(source);
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].at == 5);
  CHECK(tokens[1].at == 8);
  CHECK(tokens[1].line == 2);
  CHECK(tokens[1].end() == source.size());
}

TEST_CASE("any bytes have tokens, which lie one after the other") {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i)
    bytes += "#%:\\\n\"'/*R(?=<>. a1\r\xc3\xa9"[(i * i + i / 7) % 22];
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string_view text = std::string_view(bytes).substr(length * 60, length);
    std::size_t end = 0;
    for (const Token& token : tokens_of(text)) {
      CHECK(token.at >= end);
      CHECK(!token.text.empty());
      CHECK(token.line == 1 + std::count(text.begin(), text.begin() + token.at, '\n'));
      end = token.end();
    }
    CHECK(end <= text.size());
  }
}

TEST_CASE("brackets close by their own kind, and parts are split outside of them") {
  const std::vector<Token> tokens = tokens_of("f(a, [b, c], {d, (e}) g");
  CHECK(closing(tokens, 1) == tokens.size());
  CHECK(closing(tokens, 4) == 8);
  const std::vector<Token> list = tokens_of("a, (b, c), , d[e, f]");
  Texts parts;
  for (const Tokens part : split(list, ",")) parts.push_back(text_of(part));
  CHECK(parts == Texts{"a", "(b, c)", "", "d[e, f]"});
  CHECK(split({}, ",").empty());
  const std::vector<Token> angles = tokens_of("<a<b>, (1 > 2)> c");
  CHECK(angles[closing_angle(angles, 0)].end() == 15);
  CHECK(closing_angle(tokens_of("< a ) >"), 0) == 4);
}

TEST_CASE("the text of tokens has a blank where there was space") {
  const std::vector<Token> tokens = tokens_of("f( a,\n   b )/* c */ +1");
  Tokens code = tokens;
  CHECK(text_of(code.first(6)) == "f( a, b )");
}
