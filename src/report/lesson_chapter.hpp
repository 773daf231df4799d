// Lessons as pages of docs/lessons, for GitHub and the project's site.
#pragma once

#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "report/chapters.hpp"
#include "report/concept_diagrams.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A lesson's kernels, run on the emulator at the same size with the limits of the same GPU. The
// lesson's first kernel comes first. CPU kernels run on the CPU; the library's do not run.
struct EmulatedLesson {
  std::vector<LessonRun> runs;              // at least one; the first has a trace if it is CUDA C++
  std::vector<DrawnConcept> concepts = {};  // of the first kernel
};

// "03-shared-memory-tile.md", and its drawing, "pictures/03-shared-memory-tile.svg".
std::string markdown_file(const Lesson& lesson);
std::string picture_file(const Lesson& lesson);

// The page: text, source, questions without answers, launch, counts by line and in total, recorded
// times, commands.
Document lesson_chapter(const EmulatedLesson& lesson);

// The drawings of its concepts and its trace, each in a file.
struct PictureFile {
  std::string name, svg;
};
std::vector<PictureFile> lesson_pictures(const EmulatedLesson& lesson);

// The page of a chapter that is not a lesson, and its file: "machine.md".
std::string markdown_file(const Chapter& chapter);
Document chapter_page(const Chapter& chapter, const simt::GpuSpec& gpu);

// The index of all pages: README.md.
Document lessons_index(const std::vector<EmulatedLesson>& lessons);

}  // namespace gemm_tutor
