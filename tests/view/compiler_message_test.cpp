#include "view/output.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal unicode{false, true, 40}, ascii{false, false, 40};

std::vector<std::string> texts(const std::string& message, const Terminal& terminal, int width) {
  std::vector<std::string> result;
  for (const MessageLine& line : message_lines(message, terminal, width)) {
    result.push_back(line.text);
  }
  return result;
}

using Lines = std::vector<std::string>;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

}  // namespace

TEST_CASE("a compiler's lines that fit are as they are, and it is told which are quotes") {
  const std::string message = "k.cu(3): error: no x\n  C[0] = x;\n         ^\n… and 2 more";
  CHECK(texts(message, unicode, 40) ==
        Lines{"k.cu(3): error: no x", "  C[0] = x;", "         ^", "… and 2 more"});
  std::vector<bool> quotes;
  for (const MessageLine& line : message_lines(message, unicode, 40)) {
    quotes.push_back(line.is_quote);
  }
  CHECK(quotes == std::vector<bool>{false, true, true, false});
}

TEST_CASE("a long quoted line is cut around its caret, with an ellipsis at each cut end") {
  const std::string source = "  0123456789abcdefghijklmnopqrstuvwxyz";
  const auto cut = [&](std::size_t caret) {
    return texts(source + "\n" + blanks(caret) + "^", unicode, 20);
  };
  CHECK(cut(2) == Lines{"  0123456789abcdefg…", "  ^"});
  CHECK(cut(20) == Lines{"  …789abcdefghijklm…", blanks(14) + "^"});
  CHECK(cut(37) == Lines{"  …jklmnopqrstuvwxyz", blanks(19) + "^"});
  // After the end, where a semicolon is missing.
  CHECK(cut(38) == Lines{"  …klmnopqrstuvwxyz", blanks(19) + "^"});
}

TEST_CASE("wherever a caret is, it stands below the same character of a line that is cut") {
  std::string source = "  ";
  for (int i = 0; i < 150; ++i) source += static_cast<char>('a' + i % 26);
  for (const int width : {20, 47, 100}) {
    for (std::size_t caret = 2; caret < source.size(); ++caret) {
      const Lines lines = texts(source + "\n" + blanks(caret) + "^", ascii, width);
      INFO(lines.at(0) << "\n" << lines.at(1));
      REQUIRE(columns(lines.at(0)) <= width);
      REQUIRE(lines.at(0).at(lines.at(1).find('^')) == source[caret]);
    }
  }
}

TEST_CASE("tabs and wide characters take their columns in a line that is cut") {
  // The tab after two spaces reaches column 4; the caret is at column 24, below "x".
  CHECK(texts("  \t" + std::string(20, 'a') + "xyz\n  \t" + blanks(20) + "^~~", unicode, 20) ==
        Lines{"  …aaaaaaaaaaaaaaxyz", blanks(17) + "^~~"});
  // 世 at columns 2 and 3, 4 and 5, …: the cut falls into one.
  CHECK(texts("  世世世世世世x\n" + blanks(14) + "^", unicode, 13) ==
        Lines{"  … 世世世世x", blanks(12) + "^"});
}

TEST_CASE("a correction below the carets moves with them, other lines do not") {
  const std::string quote = "  " + std::string(60, 'a') + "foo;\n" + blanks(62) + "^~~\n";
  CHECK(texts(quote + blanks(62) + "for\nk.cu(9): error: no", unicode, 40) ==
        Lines{"  …" + std::string(33, 'a') + "foo;", blanks(36) + "^~~", blanks(36) + "for",
              "k.cu(9): error: no"});
}

TEST_CASE("nothing that a compiler says is endless, even where the output is no terminal") {
  Terminal file;
  file.has_width = false;
  CHECK(quote_columns(file, 0) == 200);
  CHECK(quote_columns(unicode, 11) == 29);
  const std::string name(20000, 'n');
  const std::string text = fmt::format("k.cu(1): error: {0}\n  {0}\n{1}^\n", name, blanks(9000));
  for (const MessageLine& line : message_lines(text, file, quote_columns(file, 0))) {
    INFO(line.text);
    CHECK(columns(line.text) <= (line.is_quote ? 200 : 1001));
  }
}

TEST_CASE("an error's quotes fit the terminal, and are whole in a file") {
  const std::string source = "  " + std::string(90, 'a') + "x;";
  const Error error(ExitStatus::compile_error,
                    "k.cu does not compile\n" + source + "\n" + blanks(92) + "^", "Mend it.");
  CHECK(describe(error, unicode).text ==
        "error: k.cu does not compile\n"
        "  …" +
            std::string(35, 'a') + "x;\n" + blanks(38) +
            "^\n"
            "help: Mend it.\n");
  Terminal file = unicode;
  file.has_width = false;
  CHECK(contains(describe(error, file).text, source + "\n"));
}
