#include "trace/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/emulator.hpp"
#include "source/token.hpp"
#include "support/text.hpp"
#include "trace/who_loads.hpp"

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

namespace {

using simt::Access;

constexpr int bank_bytes = 4;

bool has_word(const std::string& text, std::string_view word) {
  const std::vector<source::Token> tokens = source::tokens_of(text);
  return std::ranges::find(tokens, word, &source::Token::text) != tokens.end();
}

// The type of a lane's access: "float"; "float4" if the kernel uses it, otherwise "16-byte value".
// In an array of smaller elements, "element" or "piece of 8 elements".
std::string unit(const Trace& trace, const Access& access) {
  const int bytes = access.bytes, element = element_bytes_of(trace, access);
  if (element < static_cast<int>(sizeof(float)))
    return bytes <= element ? "element" : fmt::format("piece of {} elements", bytes / element);
  if (bytes == 4) return "float";
  if (bytes == 1) return "byte";
  const std::string vector = fmt::format("float{}", bytes / 4);
  return bytes > 4 && has_word(trace.kernel.source, vector) ? vector
                                                            : fmt::format("{}-byte value", bytes);
}

std::string units(const Trace& trace, const Access& access) {
  std::string text = unit(trace, access);
  constexpr std::string_view piece = "piece";
  return text.starts_with(piece) ? text.insert(piece.size(), "s") : text + "s";
}

std::string all_lanes(int count) {
  return count == 32 ? "all 32 lanes" : fmt::format("all {} active lanes", count);
}

std::vector<std::int64_t> distinct_offsets(const Access& access) {
  std::vector<std::int64_t> offsets;
  for (const int lane : lanes_of(access.active)) {
    offsets.push_back(static_cast<std::int64_t>(access.offsets[static_cast<std::size_t>(lane)]));
  }
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

// Memory without a gap.
struct Piece {
  std::int64_t begin = 0, end = 0;
  std::int64_t bytes() const { return end - begin; }
};

std::vector<Piece> pieces_of(const std::vector<std::int64_t>& offsets, int bytes) {
  std::vector<Piece> pieces;
  for (const std::int64_t offset : offsets) {
    if (!pieces.empty() && offset <= pieces.back().end) {
      pieces.back().end = std::max(pieces.back().end, offset + bytes);
    } else {
      pieces.push_back({offset, offset + bytes});
    }
  }
  return pieces;
}

// From each piece to the next, where it is the same for all and so are their sizes.
std::optional<std::int64_t> even_distance(const std::vector<Piece>& pieces) {
  const std::int64_t distance = pieces[1].begin - pieces[0].begin;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin - pieces[i - 1].begin != distance) return std::nullopt;
    if (pieces[i].bytes() != pieces[0].bytes()) return std::nullopt;
  }
  return distance;
}

std::int64_t row_bytes(const Trace& trace, const Access& access) {
  const TracedMatrix* matrix = matrix_of(trace, access);
  return matrix == nullptr ? 0 : std::int64_t{matrix->columns} * matrix->element_bytes;
}

// Pieces of the same size, in groups of as many that lie evenly.
struct Groups {
  std::size_t count = 0;
  std::int64_t within = 0, between = 0;  // bytes from one piece, or group, to the next
};

std::optional<Groups> groups_of(const std::vector<Piece>& pieces) {
  const std::int64_t within = pieces[1].begin - pieces[0].begin;
  std::vector<Piece> groups = {pieces[0]};
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].bytes() != pieces[0].bytes()) return std::nullopt;
    if (pieces[i].begin - pieces[i - 1].begin != within) groups.push_back(pieces[i]);
    groups.back().end = pieces[i].end;
  }
  if (groups.size() < 2 || groups.size() == pieces.size()) return std::nullopt;
  const std::optional<std::int64_t> between = even_distance(groups);
  return between ? std::optional(Groups{groups.size(), within, *between}) : std::nullopt;
}

std::string sharing(const Access& access, std::size_t distinct) {
  const auto lanes = static_cast<std::size_t>(std::popcount(access.active));
  if (lanes == distinct || lanes % distinct != 0) return "";
  return access.store ? fmt::format(" (each by {} lanes, of which one stays)", lanes / distinct)
                      : fmt::format(" (each for {} lanes)", lanes / distinct);
}

// Says what happens with bytes that no lane uses.
const char* unused(const Access& access) {
  return access.store ? "what is between them in their sectors is not written"
                      : "what is between them is moved unused";
}

// Whether places at that distance, each of as many bytes, are each within a row, at the same
// columns.
bool are_in_rows(std::int64_t row, std::int64_t distance, const Piece& first) {
  if (row <= 0 || distance % row != 0) return false;
  return (first.begin % row + row) % row + first.bytes() <= row;
}

std::string why_one_piece(const Trace& trace, const Access& access, const GlobalPicture& picture,
                          const Piece& piece, std::size_t distinct) {
  const std::string what = fmt::format("{} neighbouring {}{}", distinct, units(trace, access),
                                       sharing(access, distinct));
  const int more = static_cast<int>(picture.sectors.size()) - picture.least_sectors;
  if (more == 0) return what + ": no fewer sectors could hold them";
  return fmt::format("{}, but the first lies {} into a sector: that costs {} more", what,
                     counted((piece.begin % sector_bytes + sector_bytes) % sector_bytes, "byte"),
                     counted(more, "sector"));
}

std::string why_apart(const Trace& trace, const Access& access, const GlobalPicture& picture,
                      const Piece& first, std::int64_t distance, std::size_t distinct) {
  const bool each = std::popcount(access.active) == static_cast<int>(distinct);
  if (are_in_rows(row_bytes(trace, access), distance, first)) {
    const std::string rows =
        each ? "each lane is in another row" : fmt::format("the lanes are in {} rows", distinct);
    // Rows that are short share sectors.
    const std::string end =
        picture.sectors.size() != distinct
            ? unused(access)
            : fmt::format("each row's sector is {} for one {}", access.store ? "written" : "moved",
                          unit(trace, access));
    return fmt::format("{}, {} apart: {}{}", rows, counted(distance, "byte"), end,
                       sharing(access, distinct));
  }
  return fmt::format("{} {}{} lie {} apart: {}", distinct, units(trace, access),
                     sharing(access, distinct), counted(distance, "byte"), unused(access));
}

std::string why_pieces(const Trace& trace, const Access& access, const GlobalPicture& picture,
                       const std::vector<Piece>& pieces, std::int64_t distance,
                       std::size_t distinct) {
  const bool in_rows = are_in_rows(row_bytes(trace, access), distance, pieces[0]);
  const std::string end = picture.bytes_used == picture.bytes_moved
                              ? "each fills its sectors"
                              : "they do not fill their sectors";
  return fmt::format("{} neighbouring {} at a time{}, in {} {}, {} apart: {}",
                     distinct / pieces.size(), units(trace, access), sharing(access, distinct),
                     pieces.size(), in_rows ? "rows" : "places", counted(distance, "byte"), end);
}

std::string why_groups(const Trace& trace, const Access& access, const std::vector<Piece>& pieces,
                       const Groups& groups, std::size_t distinct) {
  const std::size_t of_group = pieces.size() / groups.count;
  const Piece first = {pieces[0].begin, pieces[of_group - 1].end};
  const bool in_rows = are_in_rows(row_bytes(trace, access), groups.between, first);
  const std::string what =
      pieces.size() == distinct
          ? units(trace, access)
          : fmt::format("pieces of {} {}", distinct / pieces.size(), units(trace, access));
  return fmt::format("in each of {} {} {} {}{} lie {} apart: {}", groups.count,
                     in_rows ? "rows" : "places", of_group, what, sharing(access, distinct),
                     counted(groups.within, "byte"), unused(access));
}

// --- Shared memory
// --------------------------------------------------------------------------------

// From one distinct word to the next, in floats, where it is the same for all.
std::optional<std::int64_t> float_stride(const Access& access) {
  const std::vector<std::int64_t> offsets = distinct_offsets(access);
  if (offsets.size() < 2) return std::nullopt;
  const std::int64_t step = offsets[1] - offsets[0];
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return std::nullopt;
  }
  return step % 4 == 0 ? std::optional(step / 4) : std::nullopt;
}

const simt::SharedArray* array_of(const Trace& trace, const Element& element) {
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    if (!element.array.empty() && array.name == element.array) return &array;
  }
  return nullptr;
}

std::string declaration(const simt::SharedArray& array, std::int64_t padding) {
  std::string text = array.name;
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    const bool last = d + 1 == array.extents.size();
    text += fmt::format("[{}]", array.extents[d] + (last ? padding : 0));
  }
  return text;
}

// "" where padding does not help.
std::string padded_rows(const Trace& trace, const Access& access, const SharedPicture& picture,
                        Paddings& paddings) {
  const simt::SharedArray* array = array_of(trace, picture.first);
  if (array == nullptr || array->extents.size() < 2 || !lies_in(access, *array)) return "";
  const std::optional<Padding> padding = paddings.best(access, *array);
  if (!padding) return "";
  std::string text = fmt::format("rows padded to {} would cause {} conflict{} here instead of {}",
                                 declaration(*array, padding->elements), padding->here,
                                 padding->here == 1 ? "" : "s", picture.conflicts);
  if (padding->in_all && padding->in_all->before != static_cast<std::uint64_t>(picture.conflicts)) {
    text +=
        fmt::format(", and {} to {} would cause {} instead of {}",
                    padding->in_all->of_each_step ? "in each step along K all that the warp does"
                                                  : "all that the warp ever does",
                    array->name, padding->in_all->after, padding->in_all->before);
  }
  return text;
}

// The costs of four requests of a float each, and of one request of a float4.
struct Widening {
  std::uint32_t apart = 0, together = 0;
};

// Where the same line, at the same step, accesses all four floats of the aligned 16 bytes that hold
// each lane's.
std::optional<Widening> widening(const Trace& trace, const Access& access) {
  if (access.bytes != 4) return std::nullopt;
  Access wide = access;
  for (std::uint64_t& offset : wide.offsets) offset -= offset % 16;
  Widening result;
  for (std::uint64_t part = 0; part < 4; ++part) {
    const auto is_part = [&](const Access& other) {
      if (other.line != access.line || other.warp != access.warp || other.step != access.step ||
          other.space != access.space || other.store != access.store || other.bytes != 4 ||
          other.active != access.active)
        return false;
      return std::ranges::all_of(lanes_of(access.active), [&](int lane) {
        const auto at = static_cast<std::size_t>(lane);
        return other.offsets[at] == wide.offsets[at] + 4 * part;
      });
    };
    const auto found = std::ranges::find_if(trace.result.accesses, is_part);
    if (found == trace.result.accesses.end()) return std::nullopt;
    result.apart += found->cost;
  }
  for (const auto& group : simt::served_groups(shared_addresses(wide), wide.active, 16, wide.store))
    result.together += static_cast<std::uint32_t>(group.passes.size());
  return result.together < result.apart ? std::optional(result) : std::nullopt;
}

// The first word of the busiest bank, and the number of its other words.
std::string busiest_bank(const Access& access, const SharedPicture& picture) {
  const auto longest = std::ranges::max_element(
      picture.groups, {}, [](const GroupPicture& group) { return group.passes.size(); });
  const BankWord& word = longest->passes.back().words.front();
  const std::string whom =
      longest->last_lane - longest->first_lane == 31
          ? "the lanes"
          : fmt::format("lanes {} to {}", longest->first_lane, longest->last_lane);
  return fmt::format("{} {} {} different words of bank {}", whom, access.store ? "write" : "want",
                     longest->passes.size(), word.bank);
}

// --- Both

std::string why_one_lane(const Trace& trace, const Access& access) {
  const std::string what = unit(trace, access);
  return fmt::format("one lane alone {} {} {}", access.store ? "writes" : "wants",
                     what[0] == '8' || what[0] == 'e' ? "an" : "a", what);
}

// All lanes have the same address.
std::string why_one_place(const Trace& trace, const Access& access, std::string_view how) {
  const std::string all = all_lanes(std::popcount(access.active));
  if (!access.store) {
    return fmt::format("{} want the same {}: {}", all, unit(trace, access), how);
  }
  return fmt::format("{} write the same {}: which of their values stays is not defined", all,
                     unit(trace, access));
}

std::string overwriting(const Access& access) {
  if (!is_overwritten(access)) return "";
  return "; of lanes that write to the same place, which one's value stays is not defined";
}

}  // namespace

std::string why(const Trace& trace, const Access& access, const GlobalPicture& picture) {
  const int lanes = std::popcount(access.active);
  if (lanes == 0) return "no lane loads anything: zeros are stored";
  const std::vector<std::int64_t> offsets = distinct_offsets(access);
  const std::vector<Piece> pieces = pieces_of(offsets, access.bytes);
  if (lanes == 1) return why_one_lane(trace, access);
  if (offsets.size() == 1) return why_one_place(trace, access, "one sector serves them");
  if (pieces.size() == 1) {
    return why_one_piece(trace, access, picture, pieces.front(), offsets.size());
  }
  const std::optional<std::int64_t> distance = even_distance(pieces);
  if (const auto groups = distance ? std::nullopt : groups_of(pieces)) {
    return why_groups(trace, access, pieces, *groups, offsets.size());
  }
  if (!distance) {
    return fmt::format("{} {} lie in {} places, at uneven distances", offsets.size(),
                       units(trace, access), pieces.size());
  }
  if (pieces.size() == offsets.size()) {
    return why_apart(trace, access, picture, pieces[0], *distance, offsets.size());
  }
  return why_pieces(trace, access, picture, pieces, *distance, offsets.size());
}

std::string remedy(const Trace& trace, const Access& access, const GlobalPicture& picture) {
  if (static_cast<int>(picture.sectors.size()) <= picture.least_sectors) return "";
  const std::vector<std::int64_t> offsets = distinct_offsets(access);
  const std::vector<Piece> pieces = pieces_of(offsets, access.bytes);
  const std::string least = counted(picture.least_sectors, "sector");
  if (pieces.size() == 1) {
    return fmt::format("from a multiple of {} bytes on, as many would fit in {}", sector_bytes,
                       least);
  }
  const bool is_even = even_distance(pieces).has_value();
  if (!is_even && !groups_of(pieces)) return "";
  if (pieces.size() == offsets.size() || !is_even) {
    return fmt::format(
        "neighbouring lanes would have to take neighbouring {}: {} of them fit in {}",
        units(trace, access), offsets.size(), least);
  }
  if (pieces[0].bytes() % sector_bytes == 0) {
    return fmt::format("from multiples of {} bytes on, they would fill their sectors",
                       sector_bytes);
  }
  return fmt::format(
      "{} neighbouring {} at a time, from multiples of {} bytes on, would fill "
      "their sectors",
      sector_bytes / access.bytes, units(trace, access), sector_bytes);
}

std::string why(const Trace& trace, const Access& access, const SharedPicture& picture) {
  const int lanes = std::popcount(access.active);
  const std::optional<std::int64_t> stride = float_stride(access);
  if (picture.conflicts > 0) {
    std::string text = busiest_bank(access, picture);
    if (stride && access.bytes == 4) {
      const std::int64_t common = std::gcd(*stride, std::int64_t{banks});
      text += fmt::format(": words {} floats apart fall into {} of the {} banks", *stride,
                          banks / common, banks);
    }
    return text;
  }
  if (lanes == 1) return why_one_lane(trace, access);
  if (distinct_offsets(access).size() == 1 && picture.groups.size() == 1) {
    return why_one_place(trace, access, "one wavefront brings it to all");
  }
  const std::string no_two =
      fmt::format("no bank has two words to {}", access.store ? "take" : "deliver");
  if (picture.groups.size() > 1) {
    const GroupPicture& group = picture.groups.front();
    const int together = group.last_lane - group.first_lane + 1;
    const std::string reason =
        together * access.bytes > banks * bank_bytes
            ? fmt::format("as two and two want the same {} bytes", access.bytes)
            : fmt::format("as {} bytes each fill the {} banks", access.bytes, banks);
    return fmt::format("{} lanes are served at a time, {}; {}{}", together, reason, no_two,
                       overwriting(access));
  }
  if (access.store) return no_two + overwriting(access);
  return picture.broadcasts > 0 ? no_two + "; lanes that want the same word share it" : no_two;
}

std::string remedy(const Trace& trace, const Access& access, const SharedPicture& picture,
                   Paddings& paddings) {
  std::vector<std::string> ways;
  if (std::string padded = padded_rows(trace, access, picture, paddings); !padded.empty()) {
    ways.push_back(std::move(padded));
  }
  if (const auto wider = widening(trace, access)) {
    ways.push_back(
        fmt::format("one float4 per lane would take {} wavefronts for what four requests "
                    "like this take {}",
                    wider->together, wider->apart));
  }
  if (!ways.empty()) return join(ways, "; ");
  if (access.bytes > 4) {
    return fmt::format("neighbouring {} would fill the banks evenly", units(trace, access));
  }
  const std::string neighbours = "neighbouring words would be in different banks";
  const std::optional<std::int64_t> stride = float_stride(access);
  if (!stride || *stride % 2 != 0) return neighbours;
  return neighbours + ", and so would those that are an odd number of floats apart";
}

}  // namespace gemm_tutor
