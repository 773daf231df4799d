// What a run shows: one page, and its details.
#include "walkthrough/run_pages.hpp"

#include "catch.hpp"
#include "checks.hpp"
#include "course/glossary.hpp"
#include "course/ladder.hpp"
#include "sample.hpp"
#include "support/error.hpp"
#include "view/terminal_text.hpp"
#include "walkthrough/own_ladder.hpp"
#include "walkthrough/views.hpp"

using namespace gemm_tutor;

namespace {

std::string shown_text(const Parts& parts) {
  Document document;
  document.parts = parts;
  return terminal_text(document, {false, true, 80});
}

LessonRun emulated(const Lesson& lesson, const Kernel& kernel, const Problem& problem) {
  RunOptions options;
  options.problem = problem;
  options.backend = Backend::emulator;
  if (kernel.from_library) options.backend = {};
  return run_kernel(lesson, kernel, effective_settings(kernel, options), options);
}

// A learner who ran everything at this size, a little slower each time.
Progress after_all_runs(const LessonRun& run) {
  Progress progress;
  for (const Lesson& lesson : lessons()) {
    RunRecord& record = *(progress.lessons[lesson.slug].run = record_of(run));
    record.tflops /= 2;
  }
  return progress;
}

void check_pages(const Problem& problem) {
  for (const Lesson& lesson : sample_of(lessons(), 12)) {
    for (const Kernel& kernel : lesson.kernels) {
      const LessonRun run = emulated(lesson, kernel, problem);
      const Progress progress = after_all_runs(run);
      const ShownRun shown{run, {}, progress};
      const std::string page = shown_text(run_page(shown));
      INFO(lesson.name() << ", " << kernel.name << "\n" << page);
      CHECK(screens(run_page(shown)) == 1);
      CHECK(contains(page, "Result"));
      CHECK((contains(page, "Traffic") || kernel.from_library));
      CHECK((contains(page, "Time") || contains(page, "Timing") || kernel.from_library));
      CHECK((contains(page, "2.0") || !changed_lesson(lesson) || !time_of(run)));
      const std::vector<DetailPage> pages = detail_pages(shown);
      CHECK(pages.size() <= 9);
      CHECK((pages.size() >= 2 || !kernel.is_cuda()));
    }
  }
}

}  // namespace

TEST_CASE("the page of a run fits a screen in every lesson", "[long]") {
  check_pages({1024, 1024, 1024});
}

TEST_CASE("the page of a run fits a screen where tiles are cut") { check_pages({67, 45, 33}); }

TEST_CASE("what speaks of a later lesson is left out, fact by fact") {
  const Parts parts = {facts({{{"32 threads · 8 KiB shared memory · "}, {"a block", Style::dim}},
                              {{"an occupancy of 25 %"}}}),
                       Paragraph{{{"Its bank conflicts."}}},
                       section("Launch", {Paragraph{{{"A grid."}}}})};
  CHECK(shown_text(known_parts(parts, 1)) ==
        shown_text(
            {facts({{{"32 threads · a block"}}}), section("Launch", {Paragraph{{{"A grid."}}}})}));
  CHECK(shown_text(known_parts(parts, 13)) == shown_text(parts));
}
