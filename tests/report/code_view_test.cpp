#include <algorithm>
#include <string>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "report/code_view.hpp"
#include "support/text.hpp"
#include "view/html_page.hpp"
#include "view/markdown.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

Document document_of(Parts parts) { return {.title = "A page", .parts = std::move(parts)}; }

Parts change_of(const Lesson& lesson, const Settings& settings) {
  return {change_section(lesson, lesson.kernels.front(), settings)};
}
Parts change_of(const Lesson& lesson) { return change_of(lesson, lesson.kernels.front().settings); }

std::string terminal_of(Parts parts) {
  return terminal_text(document_of(std::move(parts)), {false, true, 100});
}

int lines_with(const std::string& text, std::string_view what) {
  const std::vector<std::string> lines = split_lines(text);
  return static_cast<int>(std::ranges::count_if(
      lines, [&](const std::string& line) { return line.find(what) != line.npos; }));
}

}  // namespace

TEST_CASE("a page shows what each lesson changes of the one before, in a sentence and as lines") {
  for (const Lesson& lesson : lessons()) {
    if (lesson.changes.empty() || lesson.kernels.front().from_library) continue;
    INFO(lesson.slug);
    const std::string page = markdown_text(document_of(change_of(lesson)));
    CHECK(contains(page, "## What changes\n\n"));
    const bool is_other_code = lesson.source != changed_lesson(lesson)->source;
    CHECK(contains(page, "```diff\n") == is_other_code);
    CHECK((lines_with(page, "+ ") > 0) == is_other_code);
    CHECK((lines_with(page, "- ") > 0) == is_other_code);
    CHECK(lines_with(page, " \n") == 0);
  }
}

TEST_CASE("what changes is also said of the settings, as they are in this run") {
  CHECK_FALSE(contains(terminal_of(change_of(find_lesson("order-of-sums"))), "ettings:"));
  CHECK(contains(terminal_of(change_of(find_lesson("12"))), "New settings: STAGES 2."));
  const Lesson& lesson = find_lesson("bulk-copies");
  CHECK(contains(terminal_of(change_of(lesson)), "Settings: STAGES 2 → 3."));
  Settings settings = lesson.kernels.front().settings;
  settings.set("BK", 4);
  CHECK(contains(terminal_of(change_of(lesson, settings)), "Settings: BK 8 → 4, STAGES 2 → 3."));
}

TEST_CASE("a kernel that varies the settings alone shows these, and no code, as what changes") {
  const Lesson& lesson = find_lesson("larger-tile");
  const Kernel& kernel = find_kernel(lesson, "longer_ring");
  const Section section = change_section(lesson, kernel, kernel.settings);
  const std::string page = markdown_text(document_of({section}));
  CHECK(contains(page, "## What changes\n\nSettings: BK 8 → 4, STAGES 2 → 4."));
  CHECK_FALSE(contains(page, "```"));
  CHECK_FALSE(contains(page, "<details>"));
  const Settings settings = lesson.kernels.front().settings;
  CHECK_FALSE(contains(terminal_of({change_section(lesson, kernel, settings)}), "Settings:"));
}

TEST_CASE(
    "a difference that is longer than the kernel is folded on a page, and not on a terminal") {
  int shown = 0;
  for (const Lesson& lesson : lessons()) {
    if (lesson.changes.empty() || lesson.kernels.front().from_library) continue;
    INFO(lesson.slug);
    const auto lines = std::ssize(excerpt(lesson, lesson.kernels.front()));
    const std::string terminal = terminal_of(change_of(lesson));
    const std::string page = markdown_text(document_of(change_of(lesson)));
    const bool is_shown = contains(terminal, "│ + "), is_folded = contains(page, "<details>");
    CHECK((is_shown || is_folded) == (lesson.source != changed_lesson(lesson)->source));
    CHECK_FALSE((is_shown && is_folded));
    CHECK(lines_with(terminal, "│ ") < lines + 10);
    shown += is_shown ? 1 : 0;
  }
  CHECK(shown > 1);
  CHECK_FALSE(contains(terminal_of(change_of(find_lesson("bulk-copies"))), "│"));
}

TEST_CASE("a lesson's other kernels are folded, and what is as before is not shown again") {
  const auto page_of = [](const Lesson& lesson) {
    return markdown_text(document_of(other_kernels(lesson, lesson.kernels.front())));
  };
  CHECK(lines_with(page_of(find_lesson("8")), "__device__ float2 load2(") == 1);
  const Lesson& lesson = find_lesson("9");
  const std::string page = page_of(lesson);
  CHECK(lines_with(page, "<details>") == static_cast<int>(lesson.kernels.size()) - 1);
  CHECK(lines_with(page, "__device__ float2 load2(") == 0);
  CHECK(contains(page, "From `double_buffer_in_shared` (lesson 9) to `double_buffer_padded`:"));
  CHECK(contains(page, "+   __shared__ float b_tile[2][BK][BN + PAD];\n"));
}

TEST_CASE("the notes of a lesson's other kernels are on its page") {
  for (const Lesson& lesson : lessons()) {
    const std::string page =
        markdown_text(document_of(other_kernels(lesson, lesson.kernels.front())));
    for (std::size_t i = 1; i < lesson.kernels.size(); ++i) {
      for (const Note& note : lesson.kernels[i].notes) {
        INFO(note.code);
        CHECK(contains(page, "- `" + note.code));
      }
    }
  }
}

TEST_CASE("functions of earlier lessons are named, not shown") {
  ShownCode code;
  const Lesson& seven = find_lesson("7");
  const Lesson& twelve = find_lesson("12");
  CHECK(earlier_functions(code).empty());
  code.earlier = {{"store4", &seven}, {"end_group", &twelve}, {"load4", &seven}, {"x", &seven}};
  CHECK(contains(markdown_text(document_of(earlier_functions(code))),
                 "Lesson 7 shows `load4`, `store4` and `x`. Lesson 12 shows `end_group`.\n"));
}

TEST_CASE("a group with a summary is folded on a page, and open on a terminal") {
  const Group group{{Paragraph{{{"The text."}}}}, {{"a<b", Style::code}, {": more"}}};
  const std::string summary = "<summary><code>a&lt;b</code>: more</summary>";
  CHECK(contains(markdown_text(document_of({group})),
                 "<details>\n" + summary + "\n\nThe text.\n\n</details>\n"));
  CHECK(contains(html_page(document_of({group})),
                 "<details>\n" + summary + "\n<p>The text.</p>\n</details>\n"));
  const std::string terminal = terminal_of({group});
  CHECK(contains(terminal, "a<b: more\n"));
  CHECK(contains(terminal, "The text."));
}

namespace {

std::vector<SourceLine> numbered(int first, const std::vector<std::string>& texts) {
  std::vector<SourceLine> lines;
  for (const std::string& text : texts) lines.push_back({first++, text});
  return lines;
}

std::string change(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
                   const Terminal& terminal = {false, true, 60}) {
  return terminal_text({.parts = {change_listing(before, now)}}, terminal);
}

// Twelve lines without a change between two with one.
std::vector<SourceLine> long_source(const std::string& changed) {
  std::vector<std::string> texts = {changed};
  for (char c = 'a'; c <= 'l'; ++c) texts.emplace_back(1, c);
  texts.push_back(changed);
  return numbered(1, texts);
}

}  // namespace

TEST_CASE("a change has marks that need no colour, and the line numbers of both files") {
  CHECK(change(numbered(9, {"same", "old", "", "same too"}),
               numbered(4, {"same", "new", "  newer", "", "same too"})) ==
        "  9   4 │   same\n"
        " 10     │ - old\n"
        "      5 │ + new\n"
        "      6 │ +   newer\n"
        " 11   7 │\n"
        " 12   8 │   same too\n");
}

TEST_CASE("long stretches without a change are folded, all but two lines beside a change") {
  CHECK(change(long_source("old"), long_source("new")) ==
        "  1     │ - old\n"
        "      1 │ + new\n"
        "  2   2 │   a\n"
        "  3   3 │   b\n"
        "        │ … 8 lines as before\n"
        " 12  12 │   k\n"
        " 13  13 │   l\n"
        " 14     │ - old\n"
        "     14 │ + new\n");
  CHECK(change(long_source("same"), long_source("same")) == "        │ … 14 lines as before\n");
  CHECK_FALSE(contains(change(numbered(1, {"a", "b", "c", "d", "e", "f", "g"}),
                              numbered(1, {"a", "b", "c", "d", "e", "f", "h"})),
                       "as before"));
}

TEST_CASE("lines of a change that are too long go on below, indented") {
  CHECK(change({}, numbered(1, {"  const int row = blockIdx.y * blockDim.y + threadIdx.y;"}),
               {false, true, 40}) ==
        "      1 │ +   const int row = blockIdx.y\n"
        "        │         * blockDim.y +\n"
        "        │         threadIdx.y;\n");
}

TEST_CASE("in similar lines, the words that differ are marked") {
  const Terminal color{true, true, 80};
  const std::string alike =
      change(numbered(1, {"  int row = x;"}), numbered(1, {"    int row = y;"}), color);
  CHECK(contains(alike, "\033[31m  int row = \033[0m\033[7;31mx\033[0m\033[31m;\033[0m"));
  CHECK(contains(alike, "\033[32m    int row = \033[0m\033[7;32my\033[0m\033[32m;\033[0m"));
  const std::string unlike =
      change(numbered(1, {"int row = 1;"}), numbered(1, {"__syncthreads();"}), color);
  CHECK(contains(unlike, "\033[32m__syncthreads();\033[0m"));
  CHECK_FALSE(contains(unlike, "\033[7;"));
}

TEST_CASE("the change from each lesson to the next fits the terminal, and in ASCII") {
  for (std::size_t i = 1; i < lessons().size(); ++i) {
    const Lesson &before = lessons()[i - 1], &now = lessons()[i];
    for (const int width : {60, 80, 100}) {
      const std::string text =
          change(excerpt(before, before.kernels.front()), excerpt(now, now.kernels.front()),
                 {false, width != 60, width});
      CAPTURE(now.slug, width, text);
      const bool is_other_code = before.source != now.source;
      CHECK(contains(text, "- ") == is_other_code);
      CHECK(contains(text, "+ ") == is_other_code);
      CHECK(widest(text) <= width);
      if (width == 60) CHECK(is_ascii(text));
    }
  }
}
