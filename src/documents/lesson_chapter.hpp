// Lessons as the chapters that docs/lessons holds, for GitHub and for the project's site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "documents/chapters.hpp"
#include "documents/concept_diagrams.hpp"
#include "trace/trace.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A lesson's kernels, each run on the emulator at the same size with the limits of the same GPU;
// its own comes first. The CPU's are counted there, and the library's are not run at all.
struct EmulatedLesson {
  std::vector<KernelRun> runs;  // one at least
  std::optional<Trace> trace;   // of its own kernel, of which warp 0 is drawn; none off the GPU
  std::vector<DrawnConcept> concepts = {};  // of its own kernel
};

// "03-shared-memory-tile.md", and the drawing beside it, "pictures/03-shared-memory-tile.svg".
std::string markdown_file(const Lesson& lesson);
std::string picture_file(const Lesson& lesson);

// The page: text, source, questions without answers, launch, counts by line and in all, recorded
// times, what to type.
Document lesson_chapter(const EmulatedLesson& lesson);

// Its drawings, each a file beside the page: those of concepts, and of a trace.
struct PictureFile {
  std::string name, svg;
};
std::vector<PictureFile> lesson_pictures(const EmulatedLesson& lesson);

// The page of a chapter beside the lessons, and its file: "machine.md".
std::string markdown_file(const Chapter& chapter);
Document chapter_page(const Chapter& chapter, const GpuSpec& gpu);

// The index of all pages, README.md beside them.
Document lessons_index(const std::vector<EmulatedLesson>& lessons);

}  // namespace gemm_tutor
