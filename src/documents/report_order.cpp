#include "documents/report_order.hpp"

#include <algorithm>
#include <utility>

namespace gemm_tutor {

Parts in_order(std::vector<PlacedPart> placed) {
  std::ranges::stable_sort(placed, {}, &PlacedPart::place);
  Parts parts;
  for (PlacedPart& one : placed) parts.add(std::move(one.part));
  return parts;
}

}  // namespace gemm_tutor
