// The chapter after the lessons: the lessons' numbers in Nsight Compute, recorded on a GPU.
#pragma once

#include <string>
#include <string_view>

#include "course/profile.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

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
