#include "documents/trace_page_data.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "documents/json.hpp"
#include "documents/picture_svg.hpp"
#include "trace/lane_addresses.hpp"
#include "trace/steps_along_k.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

static void to_json(Json& json, const PageRun& run) {
  json = {run.first, run.count, run.kind, run.value, run.distance};
}
static void to_json(Json& json, const PageWarp& warp) { json = {warp.warp, warp.base, warp.way}; }
static void to_json(Json& json, const PageInstruction& instruction) {
  json = {{"line", instruction.line}, {"warps", instruction.warps}};
}

namespace {

using simt::Access;
using simt::MemorySpace;

// Numbers the distinct keys.
template <typename Key>
class Numbering {
 public:
  // Returns the key's number. If the key is new, calls `add` before.
  template <typename Add>
  std::size_t of(const Key& key, const Add& add) {
    const auto [place, is_new] = numbers_.try_emplace(key, numbers_.size());
    if (is_new) add();
    return place->second;
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
  return std::tuple(parts_of(r.access), r.outside, r.drawing, r.costly, r.words);
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
    const std::size_t situation = situations_.of(situation_of(beside_.result.accesses), [] {});
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
    request.drawing = drawings_.of(drawing, [&] {
      data_.drawings.push_back(drawing);
      bytes_ += drawing.size();
    });
    return requests_.of(parts_of(request), [&] {
      data_.requests.push_back(request);
      bytes_ += bytes_of_request;
    });
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

// Another run, or one more place of the last.
bool add_to(std::vector<PageRun>& runs, std::int64_t place, std::int64_t kind, std::int64_t value) {
  if (!runs.empty()) {
    PageRun& last = runs.back();
    const std::int64_t distance = last.count == 1 ? value - last.value : last.distance;
    if (last.kind == kind && last.first + last.count == place &&
        last.value + last.count * distance == value) {
      last.distance = distance;
      ++last.count;
      return false;
    }
  }
  runs.push_back({place, 1, kind, value, 0});
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

// Adds the lines of costly requests to `costly`.
std::map<WarpKey, std::vector<PageRun>> add_requests(const Trace& trace, TracePageData& data,
                                                     std::size_t most_bytes,
                                                     std::set<int>& costly) {
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
      if (data.requests[requests[i]].costly) costly.insert(group[i]->line);
      const bool is_new = add_to(runs[key_of(*group[i])], static_cast<std::int64_t>(step),
                                 static_cast<std::int64_t>(requests[i]),
                                 static_cast<std::int64_t>(base_of(*group[i])));
      if (is_new) bytes += bytes_of_run;
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
    const std::int64_t base = runs.front().value;
    for (PageRun& run : runs) run.value -= base;
    const std::size_t way = ways.of(runs, [&data, &added = runs] { data.ways.push_back(added); });
    data.instructions.back().warps.push_back({key.second, base, way});
  }
}

// --- What the lines cost

// The matrices and the shared arrays, in order.
std::vector<simt::OperandCounters> operands_of(const Trace& trace) {
  std::vector<simt::OperandCounters> operands;
  for (const TracedMatrix& matrix : trace.matrices) {
    operands.push_back({matrix.name, MemorySpace::global});
  }
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    operands.push_back({array.name, MemorySpace::shared});
  }
  return operands;
}

std::string operand_name(const Trace& trace, const Access& access) {
  if (access.space == MemorySpace::global) {
    const TracedMatrix* matrix = matrix_of(trace, access);
    return matrix == nullptr ? "" : matrix->name;
  }
  const simt::SharedArray* array = array_at(trace, first_offset(access));
  return array == nullptr ? "" : array->name;
}

void add_lines(const Trace& trace, const std::set<int>& costly, TracePageData& data) {
  std::map<int, std::vector<simt::OperandCounters>> lines;
  const std::vector<simt::OperandCounters> none = operands_of(trace);
  for (const Access& access : trace.result.accesses) {
    if (access.line <= 0) continue;
    auto& operands = lines.try_emplace(access.line, none).first->second;
    const bool is_shared = access.space == MemorySpace::shared;
    if (is_shared && access.asynchronous) continue;  // which no counter counts
    add(operands, {operand_name(trace, access), access.space, 1, access.cost, access.conflicts});
  }
  for (auto& [line, operands] : lines) {
    std::erase_if(operands, [](const auto& operand) { return operand.requests == 0; });
    data.lines.push_back({line, std::move(operands), costly.contains(line)});
  }
}

// --- Who loads what

void add_tiles(const Trace& trace, TracePageData& data) {
  Numbering<std::tuple<char, int, std::vector<Owner>>> tiles;
  const auto number_of = [&](const TileOwners& tile) {
    return tiles.of({tile.matrix, tile.region.columns(), tile.owners}, [&] {
      data.tiles.push_back({tile, svg_element(tile_diagram(tile))});
    });
  };
  const TilesOfSteps all = tiles_of_steps(trace);
  for (const TileOwners& tile : all.a) data.a_tiles.push_back(number_of(tile));
  for (const TileOwners& tile : all.b) data.b_tiles.push_back(number_of(tile));
  data.c_tile = number_of(all.c);
  data.step_depth = steps_along_k(trace).depth;
}

// --- As JSON

// Each text is written once, and referred to by its number.
struct Texts {
  Numbering<std::string> numbers;
  Json list = Json::array();

  std::size_t of(const std::string& text) {
    return numbers.of(text, [&] { list.push_back(breakable(text)); });
  }
};

Json request_json(const PageRequest& request, Texts& texts) {
  const simt::Access& access = request.access;
  Json at = Json::array();
  for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
    const bool is_active = access.active >> lane & 1;
    at.push_back(is_active ? Json(access.offsets[lane]) : Json());
  }
  Json json = {{"shared", access.space == simt::MemorySpace::shared},
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

std::vector<PageRun> runs_of(const TileOwners& tile) {
  std::vector<PageRun> runs;
  for (std::size_t i = 0; i < tile.owners.size(); ++i) {
    const Owner& owner = tile.owners[i];
    const int sharers = owner.several_warps ? 2 : owner.several_threads ? 1 : 0;
    add_to(runs, static_cast<std::int64_t>(i), sharers, owner.thread);
  }
  return runs;
}

Json tiles_json(const TracePageData& data) {
  Json tiles = Json::array();
  for (const PageTile& tile : data.tiles) {
    const Region& region = tile.owners.region;
    tiles.push_back({{"row", region.row_begin},
                     {"rows", region.rows()},
                     {"column", region.column_begin},
                     {"columns", region.columns()},
                     {"owners", runs_of(tile.owners)}});
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
    matrices.push_back({{"name", matrix.name},
                        {"extents", {matrix.rows, matrix.columns}},
                        {"element_bytes", matrix.element_bytes}});
  }
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    arrays.push_back({{"name", array.name},
                      {"extents", array.extents},
                      {"offset", array.offset},
                      {"bytes", array.bytes},
                      {"element_bytes", array.element_bytes}});
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
  std::set<int> costly;
  add_ways(data, add_requests(trace, data, most_bytes, costly));
  add_lines(trace, costly, data);
  add_tiles(trace, data);
  return data;
}

std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k) {
  Texts texts;
  Json requests = Json::array();
  for (const PageRequest& request : data.requests) requests.push_back(request_json(request, texts));
  const simt::Dim3& block = trace.launch.block;
  return script_json({{"view",
                       {{"line", first.line.value_or(0)},
                        {"warp", first.warp},
                        {"step", first.step},
                        {"tile", along_k}}},
                      {"block", {block.x, block.y, block.z}},
                      {"memory", memory_json(trace)},
                      {"texts", texts.list},
                      {"requests", std::move(requests)},
                      {"ways", data.ways},
                      {"instructions", data.instructions},
                      {"tiles", tiles_json(data)}});
}

}  // namespace gemm_tutor
