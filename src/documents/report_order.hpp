// The order of the parts that a report on a run may have.
#pragma once

#include <vector>

#include "view/document.hpp"

namespace gemm_tutor {

// Reports of `lesson`, `run` and `check`, on a terminal and as pages, and a lesson's chapter have
// their parts in this order.
enum class Place {
  around,  // what is not of the report: the way to other pages
  found,   // in four lines: right or wrong, a count, the time, and what to compare or to do
  stages,  // of a check, and of a wrong result: all that was found
  command,
  idea,
  pictures,
  change,
  source,
  machine,
  questions,
  meaning,  // the rest of the lesson's text, which answers them
  launch,
  traffic,
  requests,
  timing,
  limits,
  advice,
  work,
  messages,  // the compiler's, and what the kernel prints
  progress,  // since the last check, and beside the reference
  next,
};

struct PlacedPart {
  Place place;
  Part part;
};

// Those of one place stay in the order given.
Parts in_order(std::vector<PlacedPart> parts);

}  // namespace gemm_tutor
