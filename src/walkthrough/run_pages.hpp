// What a run shows: first one page, then a page for each detail. They use only terms that the
// lesson or an earlier one introduces.
#pragma once

#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Returns the parts without facts, paragraphs and rows of tables that use a term of a later place
// in the course, or name a command. Of facts that are separated by " · " the others stay. Code,
// listings and drawings stay as they are.
Parts known_parts(const Parts& parts, int place);

// A run in the walkthrough, with what its pages need beside it.
struct ShownRun {
  const LessonRun& run;
  const std::vector<LessonRun>& others;  // on the CPU: of the lesson's other kernels
  const Progress& progress;
};

// Whether the result is right, the traffic by the formula and as counted, the time with what limits
// it, and the learner's run that it is compared with. It fits a screen of 80×24.
Parts run_page(const ShownRun& shown);

struct DetailPage {
  std::string name;  // "launch and grid"
  Parts parts;
};
// The pages that the lesson's terms allow and the run has, at most 9.
std::vector<DetailPage> detail_pages(const ShownRun& shown);

}  // namespace gemm_tutor
