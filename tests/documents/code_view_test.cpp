#include "documents/code_view.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "support/text.hpp"
#include "view/html_page.hpp"
#include "view/markdown_text.hpp"
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
