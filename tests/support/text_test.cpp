#include <limits>

#include "catch.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;

using Words = std::vector<std::string>;

TEST_CASE("whole numbers are written with a comma before every third digit") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(536870912) == "536,870,912");
  CHECK(with_thousands(-999) == "-999");
  CHECK(with_thousands(-1000) == "-1,000");
  CHECK(with_thousands(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("a count has its word, one of it the singular") {
  CHECK(counted(0, "line") == "0 lines");
  CHECK(counted(1, "line") == "1 line");
  CHECK(counted(1024, "line") == "1,024 lines");
}

TEST_CASE("bytes are written in the largest unit of which there is one, with a decimal if needed") {
  CHECK(human_bytes(0) == "0 bytes");
  CHECK(human_bytes(1) == "1 byte");
  CHECK(human_bytes(100) == "100 bytes");
  CHECK(human_bytes(1023) == "1023 bytes");
  CHECK(human_bytes(1024) == "1 KiB");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(8192) == "8 KiB");
  CHECK(human_bytes(8193) == "8.0 KiB");
  CHECK(human_bytes(1048575) == "1.0 MiB");
  CHECK(human_bytes(50331648) == "48 MiB");
  CHECK(human_bytes(3 * 4 * 1e10) == "111.8 GiB");
  CHECK(human_bytes(0x1p43) == "8 TiB");
  CHECK(human_bytes(12 * 2147483647.0 * 2147483647.0) == "48.0 EiB");
}

TEST_CASE(
    "the nearest name is one that starts with the word, contains it, or is spelt most like it") {
  const Words lessons = {"cpu-loop", "naive-uncoalesced", "naive-coalesced", "shared-memory-tile"};
  CHECK(nearest_name("cpu-lop", lessons) == "cpu-loop");
  CHECK(nearest_name("naive-coalesed", lessons) == "naive-coalesced");
  CHECK(nearest_name("shared", lessons) == "shared-memory-tile");
  CHECK(nearest_name("coalesced", lessons) == "naive-coalesced");
  CHECK(nearest_name("NAIVE-U", lessons) == "naive-uncoalesced");
  CHECK(nearest_name("tile", {"time", "shared-memory-tile"}) == "shared-memory-tile");
  CHECK(nearest_name("memory", {"shared-memory", "memory-order"}) == "memory-order");
  CHECK(nearest_name("lits", {"device", "list", "lesson"}) == "list");
  CHECK(nearest_name("h10", {"A100", "H100", "H200"}) == "H100");
  CHECK(nearest_name("x", {"ab", "cd"}) == "ab");
  CHECK(nearest_name("", {"lesson", "list"}) == "list");
  CHECK(nearest_name("anything", {}).empty());
}

TEST_CASE("a name is near when it holds the word or is spelt almost like it") {
  const Words names = {"gpu", "emulator", "--args", "--block", "one"};
  CHECK(near_name("emulatro", names) == "emulator");
  CHECK(near_name("EMU", names) == "emulator");
  CHECK(near_name("--blok", names) == "--block");
  CHECK(near_name("mien", {"mine", "other"}) == "mine");
  for (const char* far : {"cpu", "--bogus", "two", ""}) CHECK(near_name(far, names).empty());
  CHECK(near_name("anything", {}).empty());
}

TEST_CASE("words are joined") {
  CHECK(join({}).empty());
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"×", "·"}, " ✓ ") == "× ✓ ·");
}

TEST_CASE("text is split into lines without their ends") {
  CHECK(split_lines("").empty());
  CHECK(split_lines("a") == Words{"a"});
  CHECK(split_lines("a\n") == Words{"a"});
  CHECK(split_lines("a\n\nb") == Words{"a", "", "b"});
  CHECK(split_lines("\n") == Words{""});
  CHECK(split_lines("a\r\nb\r\n") == Words{"a", "b"});
  CHECK(split_lines("a\rb\n") == Words{"a\rb"});
}

TEST_CASE("the hash is FNV-1a with its published values") {
  CHECK(stable_hash("") == 0xcbf29ce484222325);
  CHECK(stable_hash("a") == 0xaf63dc4c8601ec8c);
  CHECK(stable_hash("foobar") == 0x85944171f73967e8);
  CHECK(stable_hash("\xff") != stable_hash("\x7f"));
}

TEST_CASE("parts between separators, empty ones too") {
  using Parts = std::vector<std::string>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split(" a, b", ',') == Parts{" a", " b"});
  CHECK(split("a", ',') == Parts{"a"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split(",a,,", ',') == Parts{"", "a", "", ""});
  CHECK(split("16x8,4", 'x') == Parts{"16", "8,4"});
}
TEST_CASE("small letters, whatever the locale") {
  CHECK(lower_case("KiB Äß_9") == "kib Äß_9");
  CHECK(lower_case("").empty());
}

TEST_CASE("a word that is far longer than a name is near none") {
  const std::string word(1'000'000, 'x');
  CHECK(near_name(word, {"emulator", "cpu"}).empty());
  CHECK(near_name("x", {word, "cpu"}) == word);
  CHECK(nearest_name(word, {"emulator", "cpu"}) == "cpu");
}

TEST_CASE("a whole number is all of its text, and fits its type") {
  CHECK(number_in<int>("42") == 42);
  CHECK(number_in<int>("-7") == -7);
  CHECK(number_in<std::int64_t>("5000000000") == 5'000'000'000);
  for (const char* text : {"", "4 ", " 4", "4x", "+4", "4.0", "5000000000"}) {
    INFO(text);
    CHECK_FALSE(number_in<int>(text));
  }
}

TEST_CASE("fields of any bytes come back as they were") {
  for (const Fields& fields :
       {Fields{}, Fields{""}, Fields{"a", "", "3:b", std::string("\0:", 2)}}) {
    CHECK(decode_fields(encode_fields(fields)) == fields);
  }
}

TEST_CASE("what is cut off or changed is no list of fields") {
  for (const char* text :
       {"1", "1:", "2:a", "x:a", ":", "1:ab", "-1:a", "99999999999999999999:a"}) {
    INFO(text);
    CHECK(!decode_fields(text));
  }
}

TEST_CASE("code points are decoded, and broken bytes stand alone") {
  const auto points = code_points("a×漢\xf0\x9f\x98\x80\xff\xc0\xaf\xe6\xbc");
  REQUIRE(points.size() == 9);
  CHECK(points[1].value == 0xd7);
  CHECK(points[2].value == 0x6f22);
  CHECK(points[2].bytes == "漢");
  CHECK(points[3].value == 0x1f600);
  for (std::size_t i = 4; i < points.size(); ++i) {
    CHECK(points[i].value == 0xfffd);
    CHECK(points[i].bytes.size() == 1);
  }
  CHECK(code_points("\xed\xa0\x80").size() == 3);  // half of a surrogate pair
}

TEST_CASE("wide characters take two columns, combining marks none") {
  for (const char32_t wide : {U'漢', U'한', U'か', U'Ａ', U'。', U'😀'}) {
    CHECK(columns_of(wide) == 2);
  }
  for (const char32_t narrow : {U'a', U'×', U'│', U'✓', U'…', U'\ufffd'}) {
    CHECK(columns_of(narrow) == 1);
  }
  for (const char32_t mark : {U'\u0301', U'\u20d7', U'\u200d', U'\ufe0f'}) {
    CHECK(columns_of(mark) == 0);
  }
  for (const char32_t control : {U'\x1f', U'\x7f', U'\x9b'}) CHECK(columns_of(control) == 1);
}

TEST_CASE("what a terminal gets has no control characters and no tabs") {
  CHECK(printable("\x1b[31mred\x07\x7f") == "\ufffd[31mred\ufffd\ufffd");
  CHECK(printable("a\xc2\x9b"
                  "1m") == "a\ufffd1m");  // CSI as one character
  CHECK(printable("\x9b\xff") == "\ufffd\ufffd");
  CHECK(printable("a\x1f"
                  "b",
                  '\x1f') ==
        "a\x1f"
        "b");
  CHECK(printable("\tx\ty") == "    x   y");
  CHECK(printable("漢\tx") == "漢  x");
  CHECK(printable("ab\n\tx", '\n') == "ab\n    x");  // columns are those of a line
  CHECK(printable("e\u0301\tx") == "e\u0301   x");
  CHECK(printable("M·N × 漢") == "M·N × 漢");
}

TEST_CASE("a long text is cut between two characters") {
  CHECK(shortened("漢字", 2) == "漢字");
  CHECK(shortened("漢字!", 2) == "漢字…");
  CHECK(shortened("\x01\xff!", 2) == "\ufffd\ufffd…");
  CHECK(shortened("", 0).empty());
}
