#include "documents/trace_page_json.hpp"

#include <map>
#include <utility>

#include "documents/json.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

// Texts stand there once: their numbers.
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
  Json json = {{"shared", access.space == emulator::TracedSpace::shared},
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

// In a <script> element, which ends at the first "</script".
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

}  // namespace

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
