#include "view/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "report/lesson_document.hpp"
#include "support/file.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string text_of(const Line& line) { return paint(line, {false, true, 80}); }

std::string rendered(std::string_view markdown, int width = 40, bool unicode = true) {
  return terminal_text({.parts = {Prose{read_markdown(markdown)}}}, {false, unicode, width});
}

// The style of the piece of text `text`.
Style style_of(std::string_view markdown, const std::string& text) {
  for (const Line& row : terminal_rows({Prose{read_markdown(markdown)}}, {true, true, 60})) {
    for (const Span& span : row) {
      if (span.text == text) return span.style;
    }
  }
  FAIL("no piece " << text);
  return Style::plain;
}

// `text` is all of `markdown`, but for its marks.
bool is_text_of(const std::string& text, const std::string& markdown) {
  std::size_t at = 0;
  for (const char c : markdown) {
    if (at < text.size() && text[at] == c) {
      ++at;
    } else if (std::string_view("#*`|").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return at == text.size();
}

// The line below a table's head is drawn in another way.
std::string without_rules(const std::string& text) {
  std::string result;
  for (const std::string& line : split_lines(text)) {
    if (!line.starts_with("| ---") && !line.starts_with("──")) result += line + "\n";
  }
  return result;
}

// The lines of indented code in a text without lists that have any.
std::vector<std::string> code_lines(const std::string& markdown) {
  std::vector<std::string> result;
  bool may_begin = true, in_list = false;
  for (const std::string& line : split_lines(markdown)) {
    if (line.empty()) {
      may_begin = !in_list;
    } else if (line.starts_with("    ") && may_begin) {
      result.push_back(line.substr(4));
    } else {
      in_list = line.starts_with("- ") || (in_list && line.starts_with("  "));
      may_begin = false;
    }
  }
  return result;
}

// Columns before the last character of a frame, as it is or in ASCII.
int last_frame_column(const std::string& line) {
  int last = -1;
  for (const char* mark : {"│", "┐", "┘", "┤", "|", "+"}) {
    const std::size_t at = line.rfind(mark);
    if (at != line.npos) last = std::max(last, columns(line.substr(0, at)));
  }
  return last;
}

}  // namespace

TEST_CASE("the first paragraph, without the heading and what follows") {
  CHECK(text_of(first_paragraph("# Title\n\nOne\ntwo.\n\nThree.\n")) == "One two.");
  CHECK(text_of(first_paragraph("# Title\n\n```\ncode\n```\n\n- item\n\nText.\n")) == "Text.");
  CHECK(first_paragraph("# Title\n").empty());
  CHECK(first_paragraph("").empty());
}

TEST_CASE("markup becomes styles") {
  const Line line = first_paragraph("A `B_tile` of **M·N** and [C](c.md) *x*.");
  CHECK(text_of(line) == "A B_tile of M·N and C x.");
  Style code = Style::plain, strong = Style::plain;
  for (const Span& span : line) {
    if (span.text == "B_tile") code = span.style;
    if (span.text == "M·N") strong = span.style;
  }
  CHECK(code == Style::code);
  CHECK(strong == Style::heading);
}

TEST_CASE("paragraphs are wrapped, with a blank line between blocks and none around") {
  CHECK(rendered("One two three four five six\nseven eight nine ten.\n\n\nNext.\n", 30) ==
        "One two three four five six\nseven eight nine ten.\n\nNext.\n");
  CHECK(rendered("") == "");
  CHECK(rendered("\n\n") == "");
  CHECK(rendered("One  \ntwo.") == "One\ntwo.\n");
}

TEST_CASE("headings") {
  CHECK(rendered("# Title\nText.\n## Part `f`\nMore.\n") == "Title\n\nText.\n\nPart f\n\nMore.\n");
  CHECK(style_of("# Title", "Title") == Style::heading);
  CHECK(style_of("## Part", "Part") == Style::heading);
  CHECK(style_of("## Part `f`", "f") == Style::code);
}

TEST_CASE("lists hang, and nest") {
  CHECK(rendered("Text:\n\n- one two three\n- four\n  - five six seven\n- eight\n\nEnd.", 14) ==
        "Text:\n\n- one two\n  three\n- four\n  - five six\n    seven\n- eight\n\nEnd.\n");
  CHECK(rendered("9. nine ten\n10. ten eleven", 10) == "9. nine\n   ten\n10. ten\n    eleven\n");
  CHECK(rendered("- one\n\n- two\n\n  three") == "- one\n\n- two\n\n  three\n");
  CHECK(rendered("- one\n\n  ```\n  code\n  ```\n- two") == "- one\n\n      code\n\n- two\n");
  CHECK(rendered("-\n- two") == "-\n- two\n");
  CHECK(rendered("- ```\n  code\n  ```") == "-     code\n");
}

TEST_CASE("a page is never left, however deep a list nests") {
  std::string markdown;
  for (int depth = 0; depth < 40; ++depth) {
    markdown += std::string(static_cast<std::size_t>(2 * depth), ' ') + "- word and word\n";
  }
  CHECK(widest(rendered(markdown, 30)) <= 30);
  CHECK(widest(rendered(std::string(60, '>') + " some more words", 30)) <= 30);
}

TEST_CASE("code stands as it is") {
  CHECK(rendered("Text:\n\n    a   b\n\n      c · d\n\nEnd.\n") ==
        "Text:\n\n    a   b\n\n      c · d\n\nEnd.\n");
  CHECK(rendered("~~~\n# no *heading* &amp;\n\ttab\n~~~\n") ==
        "    # no *heading* &amp;\n        tab\n");
  // What would not fit is indented less, and goes on below only where it must.
  CHECK(rendered("    123456789012\n    x\n", 14) == "  123456789012\n  x\n");
  CHECK(rendered("    f(a, b);  g(a, b);\n      1234567890123\n", 14) ==
        "f(a, b);  g(a,\n    b);\n  123456789012\n      3\n");
}

TEST_CASE("code of C++ and CUDA is in colour, other code is not") {
  CHECK(style_of("```cpp\nreturn x;\n```", "return") == Style::keyword);
  CHECK(style_of("```cuda\n__syncthreads();\n```", "__syncthreads") == Style::builtin);
  CHECK(style_of("```text\nreturn x;\n```", "return x;") == Style::plain);
  CHECK(style_of("    return x;", "return x;") == Style::plain);
}

TEST_CASE("quotations") {
  CHECK(rendered("Text.\n\n> one two three\n>\n> four\n\nEnd.", 10) ==
        "Text.\n\n│ one two\n│ three\n│\n│ four\n\nEnd.\n");
}

TEST_CASE("tables, in columns or value by value") {
  const std::string table = "| lesson | `ms` |\n| --- | ---: |\n| one | 1.5 |\n| two | 12 |\n";
  CHECK(rendered("Text:\n\n" + table) ==
        "Text:\n\nlesson   ms\n──────  ───\none     1.5\ntwo      12\n");
  CHECK(rendered(table, 10) == "lesson:\n    one\nms: 1.5\n\nlesson:\n    two\nms: 12\n");
  CHECK(rendered("|a|b|\n|:-:|---|\n|one|…|\n", 40, false) == " a   b\n---  ---\none  ...\n");
  CHECK(rendered("|a||\n|---|---|\n|one two|3|\n| |4|\n", 9) == "a: one\n    two\n3\n\n4\n");
}

TEST_CASE("emphasis and code are styles, and short code stays on one line") {
  CHECK(style_of("Some *words* here", "words") == Style::emphasis);
  CHECK(style_of("Some **words** here", "words") == Style::heading);
  CHECK(style_of("Some **`words`** here", "words") == Style::code);
  CHECK(rendered("one two `a + b` three", 11) == "one two\na + b three\n");
  CHECK(rendered("it is 17 % of it", 9) == "it is\n17 % of\nit\n");
}

TEST_CASE("the address of a link is in parentheses, unless its text says it") {
  CHECK(rendered("See [the page](a/b.md) and <https://x.y>.") ==
        "See the page (a/b.md) and https://x.y.\n");
  CHECK(rendered("<me@x.y> [b.md](docs/b.md) ![a picture](p&amp;q.png)", 60) ==
        "me@x.y b.md a picture (p&q.png)\n");
}

TEST_CASE("entities are characters, HTML is text") {
  CHECK(rendered("&lt;&amp;&gt; &times; &#955; &#x1F600; &unknown; <b>x</b>") ==
        "<&> × λ 😀 &unknown; <b>x</b>\n");
  CHECK(rendered("&#0; &#xD800; &#x7FFFFF;") == "\ufffd \ufffd \ufffd\n");
}

TEST_CASE("every lesson's text fits any terminal, whole") {
  for (const Lesson& lesson : lessons()) {
    for (const int width : {60, 80, 100}) {
      INFO(lesson.name() << " in " << width << " columns");
      const std::string text = rendered(lesson_text(lesson), width);
      const std::string ascii = rendered(lesson_text(lesson), width, false);
      CHECK(widest(text) <= width);
      CHECK(widest(ascii) <= width);
      CHECK(is_ascii(ascii));
      CHECK(std::ranges::count(ascii, '?') == std::ranges::count(text, '?'));
      CHECK(is_text_of(without_spaces(without_rules(text)),
                       without_spaces(without_rules(lesson_text(lesson)))));
    }
  }
}

TEST_CASE("a lesson's code is neither wrapped nor changed in 80 columns, and lines up in ASCII") {
  std::size_t lines = 0;
  for (const Lesson& lesson : lessons()) {
    const std::vector<std::string> code = code_lines(lesson_text(lesson));
    const std::string text = rendered(lesson_text(lesson), 80);
    const std::vector<std::string> rows = split_lines(rendered(lesson_text(lesson), 80, false));
    for (const std::string& line : code) {
      INFO(lesson.name() << ": " << line);
      CHECK(contains("\n" + text, "\n    " + line + "\n"));
      const std::string ascii = to_ascii_in_columns(line);
      CHECK(std::ranges::find(rows, "    " + ascii) != rows.end());
      CHECK(last_frame_column(ascii) == last_frame_column(line));
      ++lines;
    }
  }
  CHECK(lines > 40);
}

TEST_CASE("the documents are shown whole, too") {
  for (const char* name : {"README.md", "CONTRIBUTING.md", "docs/emulator.md", "docs/fuzzing.md",
                           "docs/results/README.md", "docs/results/worklog.md"}) {
    INFO(name);
    const auto text = read_file(fmt::format("{}/{}", PROJECT_SOURCE_DIR, name));
    REQUIRE(text);
    for (const bool unicode : {true, false}) {
      const std::string shown = rendered(*text, 60, unicode);
      CHECK(widest(shown) <= 60);
      CHECK(std::ranges::count(shown, '?') == std::ranges::count(*text, '?'));
    }
  }
}

TEST_CASE("every lesson has an introduction, and parts before and after what it asks of memory") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    const LessonParts parts = parts_of(lesson);
    REQUIRE_FALSE(parts.before.empty());
    CHECK(std::holds_alternative<Paragraph>(parts.before.front().content));
    const auto heading_of = [](const Parts& all) {
      const auto* heading = std::get_if<Heading>(&all.at(0).content);
      return heading ? plain_text(heading->text) : "";
    };
    CHECK(heading_of(parts.memory) == "What it asks of memory");
    CHECK_FALSE(parts.after.empty());
    // Nothing of the text is lost but its title.
    CHECK(parts.before.size() + parts.memory.size() + parts.after.size() + 1 ==
          read_markdown(lesson_text(lesson)).size());
  }
}

TEST_CASE("a heading of level 1 is the title where it is first, and headings in code are none") {
  Lesson lesson;
  lesson.text =
      "# Title\n# Not the title\n\n```\n## What it asks of memory\n```\n\n"
      "## What it asks of memory ##\n\nLittle.\n\n### More\n\n## After\n\nEnd.\n";
  const LessonParts parts = parts_of(lesson);
  CHECK(parts.before.size() == 2);
  CHECK(parts.memory.size() == 3);
  CHECK(parts.after.size() == 2);
}

TEST_CASE("spans in spans without end are shown soon") {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "**a ";
  for (int i = 0; i < 50'000; ++i) text += "b** ";
  CHECK(contains(text_of(first_paragraph(text)), "a a a b b b"));
}
