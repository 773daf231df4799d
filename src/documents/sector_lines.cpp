#include "documents/sector_lines.hpp"

namespace gemm_tutor {

std::vector<LineOfSectors> by_line(const GlobalPicture& picture) {
  std::vector<LineOfSectors> lines;
  for (const SectorPicture& sector : picture.sectors) {
    const std::uint64_t number = sector.number / sectors_of_line;
    if (lines.empty() || lines.back().number != number) lines.push_back({number, {}});
    lines.back().sectors[sector.number % sectors_of_line] = &sector;
  }
  return lines;
}

}  // namespace gemm_tutor
