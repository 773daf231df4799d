#include "documents/place_text.hpp"

#include <fmt/format.h>

namespace gemm_tutor {
namespace {

std::string range_text(const char* what, int begin, int end) {
  return end - begin == 1 ? fmt::format("{} {}", what, begin)
                          : fmt::format("{}s {} to {}", what, begin, end - 1);
}

}  // namespace

std::string place_text(const Dim3& at) {
  return at.z == 0 ? fmt::format("({}, {})", at.x, at.y)
                   : fmt::format("({}, {}, {})", at.x, at.y, at.z);
}

std::string region_text(const Region& region) {
  return range_text("row", region.row_begin, region.row_end) + ", " +
         range_text("column", region.column_begin, region.column_end);
}

}  // namespace gemm_tutor
