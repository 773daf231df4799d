#include "report/lesson_document.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "course/stream_k_kernel.hpp"
#include "report/sample_findings.hpp"
#include "report/sample_run.hpp"
#include "report/source.hpp"
#include "sample.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "trace/traces.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string page_of(const Lesson& lesson, const Kernel& kernel, const Problem& problem) {
  RunOptions options = emulated(problem);
  if (!kernel.is_cuda()) options.backend = std::nullopt;
  options.trace = TraceRequest();
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, options);
  return html_page(lesson_document({run, &lesson}));
}

// The words of a text that has Markdown in it, up to the first mark, without blanks.
std::string beginning_of(const std::string& markdown) {
  return without_blanks(markdown.substr(0, markdown.find_first_of("`*{")));
}

}  // namespace

TEST_CASE("the page of every lesson's kernels stands alone, and is small", "[long]") {
  const Problem problem = GENERATE(Problem{128, 128, 64}, Problem{70, 45, 33}, Problem{1, 1, 1});
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      const std::string html = page_of(lesson, kernel, problem);
      check_stands_alone(html);
      CHECK(html.size() < 500'000);
      CHECK(contains(html, fmt::format("<h1>{}</h1>", escaped(lesson.title))));
      for (const Kernel& other : lesson.kernels) {
        const bool is_other = &other != &kernel;
        CHECK(contains(html, "<summary><code>" + other.name + "</code>") == is_other);
      }
      const std::string text = without_blanks(text_of_html(html));
      for (const Note& note : kernel.notes) {
        INFO(note.text);
        CHECK(contains(text, beginning_of(note.text)));
      }
      for (const Question& question : kernel.questions) {
        CHECK(contains(text, beginning_of(question.ask)));
        if (beginning_of(question.why).size() > 20) {
          CHECK_FALSE(contains(text, beginning_of(question.why)));
        }
      }
      CHECK(contains(html, "<svg class=\"access\"") == kernel.is_cuda());
      CHECK(occurrences(html, "<svg class=\"geometry\"") == (kernel.is_cuda() ? 2 : 0));
      CHECK(contains(html, "Predict before you run") ==
            (std::ranges::count(kernel.questions, false, &Question::after_run) > 0));
      CHECK(contains(html, "Why is it so?") ==
            (std::ranges::count(kernel.questions, true, &Question::after_run) > 0));
    }
  }
}

TEST_CASE("a page holds no control character of a teacher's source") {
  const Sample sample = emulated_sample();
  Lesson lesson = *sample.lesson;
  LessonRun run = sample.run;
  lesson.title = "a\x1b[31mb\x1f";
  run.lesson = &lesson;
  run.kernel = &lesson.kernels.front();
  run.excerpt.front().text += "  // \x07\x1f\xc2\x9b";
  check_stands_alone(html_page(lesson_document({run})));
}

TEST_CASE("a lesson's page has the run's counts, and the same run gives the same bytes") {
  const Lesson& lesson = find_lesson("8");
  const Kernel& kernel = lesson.kernels.front();
  const Problem problem = {256, 256, 64};
  RunOptions options = emulated(problem);
  options.trace = TraceRequest();
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, options);
  const std::string html = html_page(lesson_document({run}));
  CHECK(html == html_page(lesson_document({run})));
  const std::vector<LineCounts> counts = counts_beside(run.excerpt, run);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string line = fmt::format("<span class=\"number\">{}</span>", run.excerpt[i].number);
    const std::size_t at = html.find("<div class=\"line\">" + line);
    INFO(line);
    REQUIRE(at != html.npos);
    const std::string row = html.substr(at, html.find("</div>", at) - at);
    CHECK(contains(row, "sec/req") == !counts[i].global.empty());
    for (const RequestCost& cost : counts[i].global) CHECK(contains(row, cost.text()));
    for (const RequestCost& cost : counts[i].shared) CHECK(contains(row, cost.text()));
    CHECK(contains(row, "wf/req !</b>") == counts[i].has_conflicts());
  }
  for (const std::int64_t count : {*run.traffic.counted_loads, *run.traffic.counted_stores}) {
    CHECK(contains(html, "<td>" + with_thousands(count) + "</td>"));
  }
  CHECK(contains(html, "✓ </span>all 65,536 elements within the error bound"));
  CHECK(contains(html, "2 wavefronts, 1 by bank conflicts"));
  CHECK(contains(html, "As drawn for line 63."));  // the three other stores of the same kind
  CHECK(contains(html, "warp 0: 2,048 elements"));
  CHECK(contains(html, "thread 0: 64 elements"));
}

TEST_CASE("a lesson's page asks before it answers") {
  const std::string html =
      page_of(find_lesson("5"), find_lesson("5").kernels.front(), {64, 64, 64});
  std::size_t last = 0;
  for (const char* part :
       {"id=\"without-answers\"",
        "<div class=\"after\">\n<section>\n<h2>What was found</h2>\n<details>",
        "<h2>What the kernel does</h2>", "<h2>The kernel</h2>", "<h2>Predict before you run</h2>",
        "<div class=\"after\">\n<article>", "<h2>What it asks of memory</h2>",
        "<h2>What moved</h2>", "<h2>Launch</h2>", "<h2>Traffic</h2>",
        "<h2>What a warp asks of memory</h2>", "<h2>Timing</h2>", "<h2>Work</h2>",
        "<h2>Next</h2>"}) {
    INFO(part);
    CHECK(occurrences(html, part) == 1);
    const std::size_t at = html.find(part);
    CHECK(at > last);
    last = at;
  }
  // What is counted before the questions is of the class that a class need not see.
  const std::string before = html.substr(0, html.find("Predict before you run"));
  CHECK(occurrences(before, "sec/req</span>") > 0);
  CHECK(occurrences(before, "<span class=\"counts") ==
        occurrences(before, "<span class=\"counts after\">"));
}

TEST_CASE("a course's text without a section on memory stands before the questions") {
  Sample sample = emulated_sample();
  sample.lesson->text = "# Tiles\n# Not the title\n\nOne.\n\n## What limits it\n\nTwo.\n";
  sample.lesson->of_course = true;
  Kernel kernel = *sample.run.kernel;
  kernel.questions = {{.id = "a", .ask = "How many?", .unit = "floats"}};
  sample.run.kernel = &kernel;
  const std::string html = html_page(lesson_document({sample.run}));
  CHECK(html.find("<h2>Not the title</h2>") < html.find("Predict"));
  CHECK(html.find("<p>Two.</p>") < html.find("Predict"));
  CHECK(contains(html, "<code>gemm-tutor --course DIR learn 3</code> asks this as well"));
  CHECK(contains(html, "DIR is the folder"));
}

TEST_CASE("a page asks for the lesson's own size, and names the run that counts what is right") {
  Sample sample = emulated_sample();
  Kernel kernel = *sample.run.kernel;
  kernel.questions = {{.id = "a", .ask = "How many of {M}?", .unit = "floats"}};
  sample.run.kernel = &kernel;
  const auto page = [&] { return html_page(lesson_document({sample.run})); };
  CHECK(contains(page(), "What this run counted is beside"));
  sample.lesson->page_size = Problem{96, 192, 48};
  sample.run.problem = {1024, 1024, 1024};
  const std::string html = page();
  CHECK(contains(without_blanks(text_of_html(html)), "Howmanyof96?(ForM=96,N=192,K=48.)"));
  CHECK(contains(html, "--m 96 --n 192 --k 48</code>"));
  CHECK(contains(html, "counts what is right"));
  CHECK_FALSE(contains(html, "What this run counted is beside"));
}

TEST_CASE("a lesson's page says what its marks and its words mean, in the words for one") {
  const std::string costly =
      page_of(find_lesson("1"), find_lesson("1").kernels.front(), {64, 64, 64});
  CHECK(contains(costly, "!</span> marks a request that takes more sectors"));
  CHECK(contains(costly, "<code>gemm-tutor explain WORD</code>"));
  CHECK_FALSE(contains(page_of(find_lesson("2"), find_lesson("2").kernels.front(), {64, 64, 64}),
                       "!</span>"));
  const Lesson& lesson = find_lesson("8");
  for (const Kernel& kernel : lesson.kernels) {
    const std::string text = text_of_html(page_of(lesson, kernel, {1, 1, 1}));
    for (const char* wrong : {" 1 blocks", " 1 threads", " 1 rows", " 1 warps", "are only 1"}) {
      INFO(kernel.name << wrong);
      CHECK_FALSE(contains(text, wrong));
    }
    CHECK(contains(text, "key k has brought you") == (&kernel != &lesson.kernels.front()));
  }
  const std::string of_cpu = page_of(find_lesson("0"), find_lesson("0").kernels.front(), {8, 8, 8});
  CHECK(contains(of_cpu, "<h2>The code</h2>"));
  CHECK_FALSE(contains(of_cpu, "<h2>The kernel</h2>"));
}

TEST_CASE("a lesson's page marks the first block where it is, and says which way x counts") {
  const std::string along_rows =
      page_of(find_lesson("1"), find_lesson("1").kernels.front(), {64, 64, 8});
  const std::string along_columns =
      page_of(find_lesson("2"), find_lesson("2").kernels.front(), {64, 64, 8});
  CHECK(contains(along_rows, "<code>blockIdx.x</code> counts down."));
  CHECK(contains(along_columns, "<code>blockIdx.x</code> counts to the right."));
  CHECK(contains(along_rows, "block (0, 0): rows 0 to 31, columns 0 to 31"));
  // Warp 0 is the first row of the tile, or in lesson 1 its first column.
  CHECK(contains(along_columns, "<path class=\"warp\" d=\"M0 0h32v1h-32z\"/>"));
  CHECK(contains(along_rows, "<path class=\"warp\" d=\"M0 0h1v32h-1z\"/>"));
}

TEST_CASE("a lesson's page escapes what a course says, and keeps its paths to itself") {
  Sample sample = emulated_sample();
  sample.lesson->title = "A <b>title</b>";
  sample.lesson->text = "# A <b>title</b>\n\n<script>alert(1)</script> & \"more\"\n";
  sample.run.source.file_name = "/home/ada/my-course/60-strip/kernel.cu";
  sample.run.device = "<device>";
  sample.run.emulation->findings = {sample_outside(6, "<far>")};
  const std::string html = html_page(lesson_document({sample.run}));
  check_stands_alone(html);
  for (const char* raw : {"<b>", "<script", "<device>", "<far>", "/home", "ada"}) {
    INFO(raw);
    CHECK_FALSE(contains(html, raw));
  }
  CHECK(contains(html, "<title>Lesson 3 · A &lt;b&gt;title&lt;/b&gt;</title>"));
  CHECK(contains(html, "<code>60-strip/kernel.cu</code>"));
  CHECK(contains(html, "outside &lt;far&gt;"));
  CHECK_FALSE(contains(html, "✓ </span>all"));
}

TEST_CASE("a lesson's page has the recorded time with its words, and says what comes next") {
  Sample sample = emulated_sample();
  sample.run.gpu_is_missing = true;
  Lesson next;
  next.number = 4;
  next.title = "Something else";
  const std::string html = html_page(lesson_document({sample.run, &next}));
  CHECK(contains(html,
                 "NVIDIA H200, recorded 2026-11-21: 1.84\u00a0ms · 9.3\u00a0TFLOP/s · "
                 "14\u00a0%\u00a0of\u00a0peak · "
                 "18\u00a0%\u00a0of\u00a0cuBLAS"));
  CHECK(contains(html,
                 "(no GPU here: emulated in 1.90\u00a0s, which says nothing of a GPU&#39;s "
                 "time)"));
  CHECK(contains(html, "<code>gemm-tutor exercise start 3</code>"));
  CHECK(contains(html, "<code>gemm-tutor lesson 4</code>"));
  CHECK(contains(html, "The next lesson is 4: Something else."));
}

TEST_CASE("a browser shows a lesson's page without a word, wide and narrow, light and dark",
          "[long][nightly]") {
  if (std::system("command -v chromium >/dev/null") != 0) SKIP_BECAUSE("there is no chromium");
  if (std::system("command -v python3 >/dev/null") != 0) SKIP_BECAUSE("there is no python3");
  const TemporaryDirectory directory;
  std::string files;
  for (const char* number : {"0", "1", "4", "8", "10"}) {
    const Lesson& lesson = find_lesson(number);
    const std::filesystem::path file = directory.path() / (std::string(number) + ".html");
    REQUIRE(write_file_atomically(file, page_of(lesson, lesson.kernels.front(), {256, 256, 64})));
    files += fmt::format(" '{}'", file.string());
  }
  Sample sample = emulated_sample();
  sample.lesson->text = fmt::format(
      "# Title\n\nA text.\n\n## One\n\n### Two\n\n#### Three\n\n##### Four\n\n{} {}\n\n"
      "| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |\n",
      std::string(97, 'w'), std::string(40, 'm'));
  const std::filesystem::path file = directory.path() / "course.html";
  REQUIRE(write_file_atomically(file, html_page(lesson_document({sample.run}))));
  files += fmt::format(" '{}'", file.string());
  const std::string command = fmt::format(
      "python3 -B '{}/tests/report/lesson_page_browser_test.py'{}", PROJECT_SOURCE_DIR, files);
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the page of a kernel whose blocks share tiles has both launches and a block's tiles") {
  const Lesson lesson = stream_k_lesson();
  const Kernel& kernel = lesson.kernels.front();
  const Settings settings = settings_with(kernel, 7);
  const Problem problem{16, 48, 64};
  RunOptions options = emulated(problem);
  options.trace = TraceRequest{.block = {2, 0, 0}};
  const LessonRun run = run_kernel(lesson, kernel, settings, options);
  const std::string html = html_page(lesson_document({run, &lesson}));
  check_stands_alone(html);
  CHECK(occurrences(html, "<svg class=\"geometry\"") == 2);
  const std::string text = without_blanks(text_of_html(html));
  for (const char* part :
       {"add_partial_tiles<16, 16, 4, 2, 7><<<dim3(1, 3), 256>>>(A, B, C, M, N, K, partial)",
        "C in 3 tiles, which 7 blocks share.", "2 tiles, whole or in part",
        "The first tile of C that this block computes."}) {
    INFO(part);
    CHECK(contains(text, without_blanks(part)));
  }
}
