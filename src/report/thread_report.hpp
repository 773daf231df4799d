// The report of `trace --thread`, and the pictures of who loads what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// For a trace without all accesses.
inline constexpr std::string_view later_accesses_missing =
    "Not all accesses were recorded: some later ones are missing.";

// The source lines with the thread's values, its reads and writes in that step, and its elements of
// C.
Document thread_document(const ThreadStory& story);
// The same without the heading and without findings.
Parts thread_parts(const ThreadStory& story);
std::string thread_json(const ThreadStory& story);

// The tiles of A, B and C, with a letter per warp or, for one warp, a letter or digit per lane.
// Each is at most 32 characters wide and high; larger tiles are 16 high. `who` must be of `trace`.
Document who_loads_document(const Trace& trace, const Document& heading, const WhoLoads& who,
                            std::optional<int> warp = std::nullopt);
std::string who_loads_json(const WhoLoads& who);

// Several steps, at least one: A and B of each, then C once.
Document frames_document(const Trace& trace, const Document& heading,
                         const std::vector<WhoLoads>& frames,
                         std::optional<int> warp = std::nullopt);
std::string frames_json(const std::vector<WhoLoads>& frames);

}  // namespace gemm_tutor
