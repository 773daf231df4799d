// The chapters that are not lessons and run nothing: "machine" before the lessons, "profiler"
// after.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/recorded.hpp"
#include "simt/gpu_spec.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct Chapter {
  std::string_view name;  // argument of `lesson`, and its folder in lessons/
  const char* (*text)();  // in Markdown; it begins with the title
  Document (*document)(const simt::GpuSpec& gpu);
};

const std::vector<Chapter>& chapters();  // in the order of the course

// May return null.
const Chapter* find_chapter(std::string_view name);

std::string title_of(const Chapter& chapter);

// Makes a document of a chapter's text. Its title is the first heading.
Document chapter_document(std::string_view markdown);

// The chapter before the lessons: the parts of a GPU, and a complete program for it.

// The report of `lesson machine`: lessons/machine/machine.md with the GPU's numbers, and
// multiply.cu.
Document machine_chapter(const simt::GpuSpec& gpu);

// The chapter after the lessons: the lessons' numbers in Nsight Compute, recorded on a GPU.

// Replaces the references in `text`:
//   {profile KERNEL …: METRIC …}  the command for the last kernel, and a table of all of them
//   {metrics}                     a table of all metrics, and where to find them
//   {loop}                        the hot loop: the first instruction of each kind
//   {code KIND}, {count KIND}     the hot loop's first instruction of a kind, and their number
//   {loop length}, {loop share}, {loop kernel}
//   {device}, {driver}, {date}, {profiler}, {compiler}, {size}
// Throws Error (usage) for a number that was not recorded, and for other references.
std::string with_profiler_numbers(std::string_view text, const Profile& profile);

// The report of `lesson profiler`: lessons/profiler/profiler.md.
Document profiler_chapter();

}  // namespace gemm_tutor
