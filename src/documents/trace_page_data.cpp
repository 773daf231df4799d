#include "documents/trace_page_data.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "documents/json.hpp"
#include "documents/picture_svg.hpp"
#include "trace/steps_along_k.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

using emulator::Access;
using emulator::MemorySpace;

// Numbers the distinct keys. Returns a key's number, and whether it is new.
template <typename Key>
class Numbering {
 public:
  std::pair<std::size_t, bool> of(const Key& key) {
    const auto [place, is_new] = numbers_.try_emplace(key, numbers_.size());
    return {place->second, is_new};
  }

 private:
  std::map<Key, std::size_t> numbers_;
};

auto parts_of(const Access& a) {
  return std::tuple(a.line, a.instruction, a.warp, a.step, a.space, a.store, a.bytes, a.joined,
                    a.active, a.buffer, a.offsets, a.cost, a.conflicts, a.asynchronous);
}
using AccessParts = decltype(parts_of(Access()));

auto parts_of(const PageRequest& r) {
  return std::tuple(parts_of(r.access), r.outside, r.drawing, r.costly, r.words.kind, r.words.from,
                    r.words.cost, r.words.outside, r.words.why, r.words.remedy);
}
using RequestParts = decltype(parts_of(PageRequest()));

// With distances from its base for offsets.
Access without_place(const Access& access) {
  Access result = access;
  result.line = 0;
  result.instruction = 0;
  result.warp = 0;
  result.step = 0;
  const std::uint64_t base = base_of(access);
  for (const int lane : lanes_of(access.active)) {
    result.offsets[static_cast<std::size_t>(lane)] -= base;
  }
  return result;
}

// "from A[0][0] on · 4 bytes per lane": the part after the name.
std::string without_name(const std::string& from) {
  constexpr std::string_view separator = " on · ";
  const std::size_t end = from.find(separator);
  return end == from.npos ? from : from.substr(end + separator.size());
}

// Draws similar requests only once.
class Drawer {
 public:
  Drawer(const Trace& trace, TracePageData& data) : beside_(trace), paddings_(trace), data_(data) {
    beside_.result.accesses.clear();
  }

  // All accesses of one warp in one step: the number of each one's request.
  std::vector<std::size_t> requests_of(std::span<const Access* const> accesses) {
    beside_.result.accesses.clear();
    for (const Access* access : accesses) beside_.result.accesses.push_back(*access);
    const std::size_t situation = situations_.of(situation_of(beside_.result.accesses)).first;
    std::vector<std::size_t> result;
    for (const Access& access : beside_.result.accesses) {
      result.push_back(request_of(access, may_conflict(access) ? situation : 0));
    }
    return result;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  // Everything that draw() depends on: the request, its lanes out of bounds, the shared array, and,
  // if it has conflicts, the other accesses of the step.
  using Key = std::tuple<AccessParts, std::uint32_t, std::string, std::size_t>;

  // The conflicts of a copy are not counted, but drawn.
  static bool may_conflict(const Access& access) {
    return access.conflicts > 0 || (access.asynchronous && access.space == MemorySpace::shared);
  }

  // The remedy for bank conflicts depends on all of the warp's accesses to shared memory: in this
  // step here, and in other steps through the paddings.
  static std::vector<AccessParts> situation_of(const std::vector<Access>& accesses) {
    std::vector<AccessParts> parts;
    if (std::ranges::none_of(accesses, may_conflict)) return parts;
    for (Access access : accesses) {
      if (access.space != MemorySpace::shared) continue;
      access.step = 0;
      parts.push_back(parts_of(access));
    }
    return parts;
  }

  std::string array_of(const Access& access) const {
    if (access.space != MemorySpace::shared || access.active == 0) return "";
    const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
    return element_at(beside_, access, access.offsets[first]).array;
  }

  std::size_t request_of(const Access& access, std::size_t situation) {
    const Key key{parts_of(without_place(access)), lanes_outside(beside_, access), array_of(access),
                  situation};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = drawn(access);
  }

  std::size_t drawn(const Access& access) {
    const AccessPicture picture = draw(beside_, access, paddings_);
    PageRequest request{without_place(access), picture.outside, 0, picture.is_costly(),
                        words_of({picture})};
    request.words.from = without_name(request.words.from);
    const std::string drawing = svg_element(request_diagram(picture, false));
    const auto [drawing_number, is_new_drawing] = drawings_.of(drawing);
    request.drawing = drawing_number;
    if (is_new_drawing) {
      data_.drawings.push_back(drawing);
      bytes_ += drawing.size();
    }
    const auto [number, is_new] = requests_.of(parts_of(request));
    if (is_new) {
      data_.requests.push_back(request);
      bytes_ += bytes_of_request;
    }
    return number;
  }

  static constexpr std::size_t bytes_of_request = 400;  // in the page, about

  Trace beside_;  // with the accesses that draw() is to see
  Paddings paddings_;
  TracePageData& data_;
  Numbering<std::vector<AccessParts>> situations_;
  std::map<Key, std::size_t> known_;
  Numbering<std::string> drawings_;
  Numbering<RequestParts> requests_;
  std::size_t bytes_ = 0;
};

// Another run, or one more step of the last.
bool add_step(std::vector<PageRun>& runs, std::uint64_t step, std::size_t request,
              std::int64_t base) {
  if (!runs.empty()) {
    PageRun& last = runs.back();
    if (last.count == 1) last.distance = base - last.base;
    const auto count = static_cast<std::int64_t>(last.count);
    if (last.request == request && last.step + last.count == step &&
        last.base + count * last.distance == base) {
      ++last.count;
      return false;
    }
    if (last.count == 1) last.distance = 0;
  }
  runs.push_back({step, 1, request, base, 0});
  return true;
}

using InstructionKey = std::tuple<int, std::uint32_t, MemorySpace>;
using WarpKey = std::pair<InstructionKey, int>;

WarpKey key_of(const Access& access) {
  return {{access.line, access.instruction, access.space}, access.warp};
}

// By step, then by warp, each in the order of the program. Those of no line are not shown.
std::vector<const Access*> by_step(const Trace& trace) {
  std::vector<const Access*> accesses;
  for (const Access& access : trace.result.accesses) {
    if (access.line > 0) accesses.push_back(&access);
  }
  std::ranges::stable_sort(
      accesses, {}, [](const Access* access) { return std::pair(access->step, access->warp); });
  return accesses;
}

// Those of one warp in one step: neighbours in by_step().
using AccessGroup = std::span<const Access* const>;

std::vector<AccessGroup> groups_of(const std::vector<const Access*>& accesses) {
  std::vector<AccessGroup> groups;
  for (auto begin = accesses.begin(); begin != accesses.end();) {
    const auto end = std::find_if(begin, accesses.end(), [&](const Access* access) {
      return access->step != (*begin)->step || access->warp != (*begin)->warp;
    });
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

std::map<WarpKey, std::uint64_t> last_steps_of(const Trace& trace) {
  std::map<WarpKey, std::uint64_t> steps;
  for (const Access& access : trace.result.accesses) steps[key_of(access)] = access.step;
  return steps;
}

std::map<WarpKey, std::vector<PageRun>> add_requests(const Trace& trace, TracePageData& data,
                                                     std::size_t most_bytes) {
  constexpr std::size_t bytes_of_run = 24;  // in the page, about
  std::map<WarpKey, std::vector<PageRun>> runs;
  const std::map<WarpKey, std::uint64_t> last_steps = last_steps_of(trace);
  const auto is_last = [&](const Access* access) {
    return last_steps.at(key_of(*access)) == access->step;
  };
  std::size_t bytes = 0;
  std::uint64_t step_before = 0;
  Drawer drawer(trace, data);
  const std::vector<const Access*> accesses = by_step(trace);
  for (const AccessGroup& group : groups_of(accesses)) {
    const std::uint64_t step = group.front()->step;
    const bool is_new_step = step != std::exchange(step_before, step);
    if (is_new_step && !data.left_out && bytes + drawer.bytes() > most_bytes) data.left_out = step;
    if (data.left_out && std::ranges::none_of(group, is_last)) continue;
    const std::vector<std::size_t> requests = drawer.requests_of(group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (data.left_out && !is_last(group[i])) continue;
      const auto base = static_cast<std::int64_t>(base_of(*group[i]));
      if (add_step(runs[key_of(*group[i])], step, requests[i], base)) bytes += bytes_of_run;
    }
  }
  return runs;
}

void add_ways(TracePageData& data, std::map<WarpKey, std::vector<PageRun>>&& all_runs) {
  Numbering<std::vector<PageRun>> ways;
  for (auto& [key, runs] : all_runs) {
    const auto& [line, instruction, space] = key.first;
    const bool is_same = !data.instructions.empty() && data.instructions.back().line == line &&
                         data.instructions.back().instruction == instruction &&
                         data.instructions.back().space == space;
    if (!is_same) data.instructions.push_back({line, instruction, space, {}});
    const std::int64_t base = runs.front().base;
    for (PageRun& run : runs) run.base -= base;
    const auto [way, is_new] = ways.of(runs);
    data.instructions.back().warps.push_back({key.second, base, way});
    if (is_new) data.ways.push_back(std::move(runs));
  }
}

// --- What the lines cost

// The matrix, or the shared array, by its number; as many as there are for an access of none.
std::size_t operand_of(const Trace& trace, const Access& access) {
  if (access.space == MemorySpace::global) return access.buffer.value_or(trace.matrices.size());
  const std::vector<emulator::SharedArray>& arrays = trace.result.shared_arrays;
  const emulator::SharedArray* array = array_at(trace, access.first_offset());
  return array == nullptr ? arrays.size() : static_cast<std::size_t>(array - arrays.data());
}

std::string operand_name(const Trace& trace, MemorySpace space, std::size_t number) {
  if (space == MemorySpace::global) {
    return number < trace.matrices.size() ? trace.matrices[number].name : "";
  }
  const std::vector<emulator::SharedArray>& arrays = trace.result.shared_arrays;
  return number < arrays.size() ? arrays[number].name : "";
}

std::map<int, bool> costly_lines(const TracePageData& data) {
  std::map<int, bool> costly;
  for (const PageInstruction& instruction : data.instructions) {
    for (const PageWarp& warp : instruction.warps) {
      for (const PageRun& run : data.ways[warp.way]) {
        costly[instruction.line] |= data.requests[run.request].costly;
      }
    }
  }
  return costly;
}

void add_lines(const Trace& trace, TracePageData& data) {
  using Operand = std::pair<MemorySpace, std::size_t>;
  std::map<int, std::map<Operand, emulator::OperandCounters>> lines;
  for (const Access& access : trace.result.accesses) {
    if (access.line <= 0) continue;
    auto& operands = lines[access.line];
    const bool is_shared = access.space == MemorySpace::shared;
    if (is_shared && access.asynchronous) continue;  // which no counter counts
    emulator::OperandCounters& sum = operands[{access.space, operand_of(trace, access)}];
    ++sum.requests;
    sum.cost += access.cost;
    sum.conflicts += access.conflicts;
  }
  const std::map<int, bool> costly = costly_lines(data);
  for (auto& [line, operands] : lines) {
    PageLine& of_page = data.lines.emplace_back(PageLine{line, {}, costly.at(line)});
    for (auto& [operand, sum] : operands) {
      const auto& [space, number] = operand;
      sum.name = operand_name(trace, space, number);
      sum.space = space;
      of_page.operands.push_back(std::move(sum));
    }
  }
}

// --- Who loads what

auto parts_of(const TileOwners& tile) {
  std::vector<std::tuple<int, int, bool, bool>> owners;
  for (const Owner& owner : tile.owners) {
    owners.emplace_back(owner.warp, owner.thread, owner.several_warps, owner.several_threads);
  }
  return std::tuple(tile.matrix, tile.region.rows(), tile.region.columns(), std::move(owners));
}

void add_tiles(const Trace& trace, TracePageData& data) {
  Numbering<decltype(parts_of(TileOwners()))> tiles;
  const auto number_of = [&](const TileOwners& tile) {
    const auto [number, is_new] = tiles.of(parts_of(tile));
    if (is_new) data.tiles.push_back({tile, svg_element(tile_diagram(tile))});
    return number;
  };
  const TilesOfSteps all = tiles_of_steps(trace);
  for (const TileOwners& tile : all.a) data.a_tiles.push_back(number_of(tile));
  for (const TileOwners& tile : all.b) data.b_tiles.push_back(number_of(tile));
  data.c_tile = number_of(all.c);
  data.step_depth = steps_along_k(trace).depth;
}

// --- As JSON

// Each text is written once, and referred to by its number.
class Texts {
 public:
  std::size_t of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(breakable(text), numbers_.size());
    if (is_new) list_.push_back(place->first);
    return place->second;
  }
  const Json& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json list_ = Json::array();
};

Json request_json(const PageRequest& request, Texts& texts) {
  const emulator::Access& access = request.access;
  Json at = Json::array();
  for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
    const bool is_active = access.active >> lane & 1;
    at.push_back(is_active ? Json(access.offsets[lane]) : Json());
  }
  Json json = {{"shared", access.space == emulator::MemorySpace::shared},
               {"bytes", access.bytes},
               {"at", std::move(at)},
               {"drawing", request.drawing},
               {"costly", request.costly},
               {"kind", texts.of(request.words.kind)},
               {"lanes", texts.of(request.words.from)},
               {"cost", texts.of(request.words.cost)},
               {"outside", texts.of(request.words.outside)},
               {"why", texts.of(request.words.why)},
               {"remedy", texts.of(request.words.remedy)}};
  if (access.buffer) json["buffer"] = *access.buffer;
  if (request.outside != 0) json["lanesOutside"] = lanes_of(request.outside);
  return json;
}

Json ways_json(const TracePageData& data) {
  Json ways = Json::array();
  for (const std::vector<PageRun>& way : data.ways) {
    Json runs = Json::array();
    for (const PageRun& run : way) {
      runs.push_back({run.step, run.count, run.request, run.base, run.distance});
    }
    ways.push_back(std::move(runs));
  }
  return ways;
}

Json instructions_json(const TracePageData& data) {
  Json instructions = Json::array();
  for (const PageInstruction& instruction : data.instructions) {
    Json warps = Json::array();
    for (const PageWarp& warp : instruction.warps) {
      warps.push_back({warp.warp, warp.base, warp.way});
    }
    instructions.push_back({{"line", instruction.line}, {"warps", std::move(warps)}});
  }
  return instructions;
}

// Neighbours in a row whose threads are evenly apart: [elements, first thread, distance, sharers],
// where sharers is 1 for an element of several threads and 2 for one of several warps.
Json owners_json(const TileOwners& tile) {
  struct Owners {
    int count = 0, thread = 0, distance = 0, sharers = 0;
  };
  std::vector<Owners> runs;
  for (const Owner& owner : tile.owners) {
    const int sharers = owner.several_warps ? 2 : owner.several_threads ? 1 : 0;
    if (!runs.empty() && runs.back().sharers == sharers) {
      Owners& last = runs.back();
      if (last.count == 1) last.distance = owner.thread - last.thread;
      if (last.thread + last.count * last.distance == owner.thread) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({1, owner.thread, 0, sharers});
  }
  Json json = Json::array();
  for (const Owners& run : runs) {
    json.push_back({run.count, run.thread, run.distance, run.sharers});
  }
  return json;
}

Json tiles_json(const TracePageData& data) {
  Json tiles = Json::array();
  for (const PageTile& tile : data.tiles) {
    const Region& region = tile.owners.region;
    tiles.push_back({{"row", region.row_begin},
                     {"rows", region.rows()},
                     {"column", region.column_begin},
                     {"columns", region.columns()},
                     {"owners", owners_json(tile.owners)}});
  }
  return {{"all", std::move(tiles)},
          {"A", data.a_tiles},
          {"B", data.b_tiles},
          {"C", data.c_tile},
          {"depth", data.step_depth}};
}

Json memory_json(const Trace& trace) {
  Json matrices = Json::array(), arrays = Json::array();
  for (const TracedMatrix& matrix : trace.matrices) {
    matrices.push_back({{"name", matrix.name}, {"extents", {matrix.rows, matrix.columns}}});
  }
  for (const emulator::SharedArray& array : trace.result.shared_arrays) {
    arrays.push_back({{"name", array.name},
                      {"extents", array.extents},
                      {"offset", array.offset},
                      {"bytes", array.bytes}});
  }
  return {{"matrices", std::move(matrices)}, {"arrays", std::move(arrays)}};
}

// Escapes text for a <script> element, which ends at the first "</script".
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

}  // namespace

TracePageData trace_page_data(const Trace& trace, std::size_t most_bytes) {
  TracePageData data;
  add_ways(data, add_requests(trace, data, most_bytes));
  add_lines(trace, data);
  add_tiles(trace, data);
  return data;
}

std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k) {
  Texts texts;
  Json requests = Json::array();
  for (const PageRequest& request : data.requests) requests.push_back(request_json(request, texts));
  const Dim3& block = trace.launch.block;
  return script_json({{"view",
                       {{"line", first.line.value_or(0)},
                        {"warp", first.warp},
                        {"step", first.step},
                        {"tile", along_k}}},
                      {"block", {block.x, block.y, block.z}},
                      {"memory", memory_json(trace)},
                      {"texts", texts.list()},
                      {"requests", std::move(requests)},
                      {"ways", ways_json(data)},
                      {"instructions", instructions_json(data)},
                      {"tiles", tiles_json(data)}});
}

}  // namespace gemm_tutor
