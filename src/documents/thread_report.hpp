// What `trace --thread` says, and the pictures of who loads what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Of a trace that has not all accesses.
inline constexpr std::string_view later_accesses_missing =
    "Not all accesses were recorded: some later ones are missing.";

// The source lines with the thread's numbers filled in, what it reads and writes in that step, and
// the elements of C that are its own.
Document thread_document(const ThreadStory& story);
// The same without what it is, and without findings.
Parts thread_parts(const ThreadStory& story);
std::string thread_json(const ThreadStory& story);

// The tiles of A, B and C: a letter for each warp; or, of one warp, a letter or digit for each
// lane. Each at most 32 characters wide, and as many high; of larger tiles 16.
// `who` is of `trace`.
Document who_loads_document(const Trace& trace, const WhoLoads& who,
                            std::optional<int> warp = std::nullopt);
std::string who_loads_json(const WhoLoads& who);

// Steps one after the other, at least one: A and B of each, then C once.
Document frames_document(const Trace& trace, const std::vector<WhoLoads>& frames,
                         std::optional<int> warp = std::nullopt);
std::string frames_json(const std::vector<WhoLoads>& frames);

}  // namespace gemm_tutor
