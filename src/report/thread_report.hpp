// What `trace --thread` prints, and the pictures of who loads what.
#pragma once

#include <optional>
#include <string>

#include "report/layout.hpp"
#include "report/style.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// The source lines with the thread's numbers filled in, what it reads and writes in that step, and
// the elements of C that are its own.
std::string thread_text(const ThreadStory& story, const Terminal& terminal);
std::string thread_json(const ThreadStory& story);

// The tiles of A, B and C, each at most 16 rows of 32 characters: a letter for each warp; or, of
// one warp, a letter or digit for each lane.
void add_who_loads(Page& page, const WhoLoads& who, std::optional<int> warp = std::nullopt);
std::string who_loads_text(const WhoLoads& who, const Terminal& terminal,
                           std::optional<int> warp = std::nullopt);
std::string who_loads_json(const WhoLoads& who);

}  // namespace gemm_tutor
