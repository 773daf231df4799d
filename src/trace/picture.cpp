#include "trace/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <set>

#include "simt/emulator.hpp"
#include "trace/explanation.hpp"
#include "trace/lane_addresses.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

constexpr int line_bytes = 128;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Converts an offset in elements to indices. Only the first index may be out of bounds.
std::vector<std::int64_t> indices_of(std::int64_t place, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> indices;
  for (std::size_t d = extents.size(); d-- > 1;) {
    const std::int64_t above = floor_divide(place, extents[d]);
    indices.insert(indices.begin(), place - above * extents[d]);
    place = above;
  }
  indices.insert(indices.begin(), place);
  return indices;
}

std::uint64_t end_of(const Trace& trace, const Access& access, std::uint64_t offset) {
  if (access.space == simt::MemorySpace::shared) {
    const simt::SharedArray* array = array_at(trace, offset);
    return array == nullptr ? 0 : array->offset + array->bytes;
  }
  if (!access.buffer) return 0;
  const TracedMatrix* matrix = matrix_of(trace, access);
  if (matrix == nullptr) return offset + static_cast<std::uint64_t>(access.bytes);  // as found
  return static_cast<std::uint64_t>(std::int64_t{matrix->rows} * matrix->columns *
                                    matrix->element_bytes);
}

std::uint32_t lanes_misaligned(const Access& access) {
  std::uint32_t misaligned = 0;
  for (const int lane : lanes_of(access.active)) {
    const std::uint64_t offset = access.offsets[static_cast<std::size_t>(lane)];
    if (offset % static_cast<std::uint64_t>(access.bytes) != 0) misaligned |= 1u << lane;
  }
  return misaligned;
}

GlobalPicture draw_global(const Trace& trace, const Access& access) {
  GlobalPicture picture;
  std::set<std::uint64_t> numbers;
  for (const int lane : lanes_of(access.active))
    numbers.insert(access.offsets[static_cast<std::size_t>(lane)] / sector_bytes);
  std::map<std::uint64_t, std::set<std::uint64_t>> used;  // bytes, by sector
  std::set<std::uint64_t> lines;
  for (const std::uint64_t number : numbers) {
    SectorPicture sector;
    sector.number = number;
    const std::uint64_t at = sector.number * sector_bytes;
    sector.first = element_at(trace, access, at);
    sector.first_of_line = element_at(trace, access, at - at % line_bytes);
    picture.sectors.push_back(sector);
    lines.insert(sector.number * sector_bytes / line_bytes);
  }
  for (const int lane : lanes_of(access.active)) {
    const std::uint64_t offset = access.offsets[static_cast<std::size_t>(lane)];
    const auto sector =
        std::ranges::find(picture.sectors, offset / sector_bytes, &SectorPicture::number);
    sector->lanes |= 1u << lane;
    for (int byte = 0; byte < access.bytes; ++byte) {
      const std::uint64_t at = offset + static_cast<std::uint64_t>(byte);
      if (at / sector_bytes == sector->number) used[sector->number].insert(at);
    }
  }
  for (SectorPicture& sector : picture.sectors) {
    sector.bytes_used = static_cast<int>(used[sector.number].size());
    picture.bytes_used += sector.bytes_used;
  }
  picture.lines = static_cast<int>(lines.size());
  picture.bytes_moved = sector_bytes * static_cast<int>(numbers.size());
  picture.least_sectors = (picture.bytes_used + sector_bytes - 1) / sector_bytes;
  if (access.active != 0) picture.first = element_at(trace, access, first_offset(access));
  picture.stride = stride_of(access);
  picture.why = why(trace, access, picture);
  picture.remedy = remedy(trace, access, picture);
  return picture;
}

GroupPicture draw_group(const Access& access, const LaneAddresses& addresses,
                        const simt::ServedGroup& served) {
  GroupPicture picture;
  picture.first_lane = served.first_lane;
  picture.last_lane = served.last_lane;
  const auto words_of_lane = static_cast<std::uint32_t>(std::max(1, access.bytes / 4));
  for (const std::vector<std::uint32_t>& words : served.passes) {
    PassPicture& pass = picture.passes.emplace_back();
    for (const std::uint32_t word : words) {
      BankWord drawn;
      drawn.bank = static_cast<int>(word % banks);
      drawn.word = word - shared_origin / 4;
      for (int lane = served.first_lane; lane <= served.last_lane; ++lane) {
        if (!(access.active >> lane & 1)) continue;
        const std::uint32_t first = addresses[static_cast<std::size_t>(lane)] / 4;
        picture.lanes |= 1u << lane;
        if (word - first < words_of_lane) drawn.lanes |= 1u << lane;
      }
      pass.words.push_back(drawn);
    }
    std::ranges::sort(pass.words, {}, &BankWord::bank);
  }
  return picture;
}

SharedPicture draw_shared(const Trace& trace, const Access& access, Paddings& paddings) {
  SharedPicture picture;
  const LaneAddresses addresses = shared_addresses(access);
  for (const simt::ServedGroup& served :
       simt::served_groups(addresses, access.active, access.bytes, access.store)) {
    if (served.passes.empty()) continue;
    const GroupPicture group = draw_group(access, addresses, served);
    const int passes = static_cast<int>(group.passes.size());
    picture.wavefronts += passes;
    picture.conflicts += passes - 1;
    for (const PassPicture& pass : group.passes) {
      if (access.store) continue;  // stores do not broadcast
      picture.broadcasts += static_cast<int>(std::ranges::count_if(
          pass.words, [](const BankWord& word) { return std::popcount(word.lanes) > 1; }));
    }
    picture.groups.push_back(group);
  }
  picture.first = element_at(trace, access, first_offset(access));
  picture.stride = stride_of(access);
  picture.why = why(trace, access, picture);
  if (picture.conflicts > 0) picture.remedy = remedy(trace, access, picture, paddings);
  return picture;
}

}  // namespace

std::string Element::text() const {
  std::string result = array;
  for (const std::int64_t index : indices) result += fmt::format("[{}]", index);
  return result;
}

bool AccessPicture::is_costly() const {
  if (misaligned != 0) return false;  // it is wrong, not costly
  if (const GlobalPicture* of_global = global()) {
    return static_cast<int>(of_global->sectors.size()) > of_global->least_sectors;
  }
  return shared()->conflicts > 0;
}

const simt::SharedArray* array_at(const Trace& trace, std::uint64_t offset) {
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    if (offset >= array.offset && offset - array.offset < array.bytes) return &array;
  }
  return nullptr;
}

const TracedMatrix* matrix_of(const Trace& trace, const Access& access) {
  const bool is_matrix = access.buffer && *access.buffer < trace.matrices.size();
  return is_matrix ? &trace.matrices[*access.buffer] : nullptr;
}

Element element_at(const Trace& trace, const Access& access, std::uint64_t offset) {
  const auto place = static_cast<std::int64_t>(offset);
  const auto unknown = [&] { return Element{"", {floor_divide(place, sizeof(float))}}; };
  if (access.space == simt::MemorySpace::shared) {
    const simt::SharedArray* array = array_at(trace, offset);
    if (array == nullptr) return unknown();
    const auto within = place - static_cast<std::int64_t>(array->offset);
    return {array->name, indices_of(within / array->element_bytes, array->extents)};
  }
  const TracedMatrix* matrix = matrix_of(trace, access);
  if (matrix == nullptr) return unknown();
  return {matrix->name,
          indices_of(floor_divide(place, matrix->element_bytes), {matrix->rows, matrix->columns})};
}

int element_bytes_of(const Trace& trace, const Access& access) {
  constexpr int otherwise = sizeof(float);
  if (access.space == simt::MemorySpace::shared) {
    const simt::SharedArray* array = array_at(trace, first_offset(access));
    return array == nullptr ? otherwise : array->element_bytes;
  }
  const TracedMatrix* matrix = matrix_of(trace, access);
  return matrix == nullptr ? otherwise : matrix->element_bytes;
}

std::vector<int> lanes_of(std::uint32_t mask) {
  std::vector<int> lanes;
  for (int lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) lanes.push_back(lane);
  }
  return lanes;
}

std::uint32_t lanes_outside(const Trace& trace, const Access& access) {
  std::uint32_t outside = 0;
  for (const int lane : lanes_of(access.active)) {
    const std::uint64_t offset = access.offsets[static_cast<std::size_t>(lane)];
    const std::uint64_t end = end_of(trace, access, offset);
    // Words of a joined load that are not in its parts are not used.
    const auto bytes = static_cast<std::uint64_t>(access.joined > 1 ? 1 : access.bytes);
    if (offset >= end || end - offset < bytes) outside |= 1u << lane;
  }
  return outside;
}

bool is_overwritten(const Access& access) {
  std::set<std::uint64_t> places;
  for (const int lane : lanes_of(access.active)) {
    places.insert(access.offsets[static_cast<std::size_t>(lane)]);
  }
  return access.store && std::ssize(places) < std::popcount(access.active);
}

AccessPicture draw(const Trace& trace, const Access& access, Paddings& paddings) {
  AccessPicture picture;
  picture.access = access;
  picture.outside = lanes_outside(trace, access);
  picture.misaligned = lanes_misaligned(access);
  if (access.space == simt::MemorySpace::shared) {
    picture.memory = draw_shared(trace, access, paddings);
  } else {
    picture.memory = draw_global(trace, access);
  }
  return picture;
}

AccessPicture draw(const Trace& trace, const Access& access) {
  Paddings paddings(trace);
  return draw(trace, access, paddings);
}

}  // namespace gemm_tutor
