#include "trace/thread_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/steps_along_k.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr int lanes = 32;

// --- Blocks of elements

// All indices but the last two, which are the row and the column.
using Front = std::pair<std::string, std::vector<std::int64_t>>;

struct Run {
  std::int64_t begin = 0, end = 0;
  bool operator==(const Run&) const = default;
};

std::vector<Run> runs_of(const std::set<std::int64_t>& columns) {
  std::vector<Run> runs;
  for (const std::int64_t column : columns) {
    if (!runs.empty() && runs.back().end == column) {
      ++runs.back().end;
    } else {
      runs.push_back({column, column + 1});
    }
  }
  return runs;
}

struct Rectangle {
  std::int64_t row_begin = 0, row_end = 0;
  Run columns;
};

// Joins consecutive rows with the same range.
std::vector<Rectangle> rectangles(
    const std::map<std::int64_t, std::set<std::int64_t>>& columns_by_row) {
  std::vector<Rectangle> result;
  for (const auto& [row, columns] : columns_by_row) {
    for (const Run& run : runs_of(columns)) {
      const auto above = std::ranges::find_if(result, [&, r = row](const Rectangle& rectangle) {
        return rectangle.row_end == r && rectangle.columns == run;
      });
      if (above != result.end()) {
        ++above->row_end;
      } else {
        result.push_back({row, row + 1, run});
      }
    }
  }
  return result;
}

ElementBlock block_of(const Front& front, const Rectangle& rectangle, bool has_rows) {
  ElementBlock block{front.first, front.second, front.second};
  if (has_rows) {
    block.first.push_back(rectangle.row_begin);
    block.last.push_back(rectangle.row_end - 1);
  }
  block.first.push_back(rectangle.columns.begin);
  block.last.push_back(rectangle.columns.end - 1);
  return block;
}

// --- What a thread did

struct Touched {
  std::set<std::pair<std::string, std::vector<std::int64_t>>> elements;

  bool contains(const std::string& array, const std::vector<std::int64_t>& indices) const {
    return elements.contains({array, indices});
  }
};

struct Gathered {
  LineAccess access;
  std::vector<Element> elements;
};

class ThreadAccesses {
 public:
  ThreadAccesses(const Trace& trace, const StepsAlongK& steps, int number)
      : trace_(trace), steps_(steps), warp_(number / lanes), lane_(number % lanes) {
    const auto of_shared = steps_of_shared(trace, steps);
    for (std::size_t i = 0; i < trace.result.accesses.size(); ++i) {
      const Access& access = trace.result.accesses[i];
      const bool takes_part = access.warp == warp_ && (access.active >> lane_ & 1u) != 0;
      if (takes_part) add(access, of_shared[i]);
    }
  }

  // Accesses of the step and those without a step, in the order of their first occurrence.
  std::vector<LineAccess> at_step(std::int64_t step) const {
    std::vector<LineAccess> result;
    for (const Gathered& gathered : gathered_) {
      if (gathered.access.step && *gathered.access.step != step) continue;
      result.push_back(gathered.access);
      result.back().elements = joined(gathered.elements);
    }
    return result;
  }

  const Touched& touched() const { return touched_; }

  // A store outside of C gives the thread nothing.
  std::vector<ElementBlock> owned_of_c() const {
    const auto is_inside = [&](const Element& element) {
      return element.array == "C" && element.indices[0] >= 0 &&
             element.indices[0] < trace_.problem.m;
    };
    std::vector<Element> all;
    for (const Gathered& gathered : gathered_) {
      if (!gathered.access.store || gathered.access.space != MemorySpace::global) continue;
      std::ranges::copy_if(gathered.elements, std::back_inserter(all), is_inside);
    }
    return joined(all);
  }

 private:
  void add(const Access& access, std::optional<std::int64_t> step) {
    const std::vector<Element> elements = elements_of(trace_, access, lane_);
    if (elements.empty()) return;
    if (access.space == MemorySpace::global) step = step_of_element(elements.front(), steps_);
    const auto key = std::tuple{access.line, access.space, access.store, step};
    const auto [place, is_new] = places_.emplace(key, gathered_.size());
    if (is_new) {
      gathered_.push_back({{access.line, access.space, access.store, step, 0, {}}, {}});
    }
    Gathered& gathered = gathered_[place->second];
    ++gathered.access.requests;
    for (const Element& element : elements) {
      gathered.elements.push_back(element);
      touched_.elements.insert({element.array, element.indices});
    }
  }

  const Trace& trace_;
  StepsAlongK steps_;
  int warp_, lane_;
  std::vector<Gathered> gathered_;
  std::map<std::tuple<int, MemorySpace, bool, std::optional<std::int64_t>>, std::size_t> places_;
  Touched touched_;
};

// --- The lines that were worked out

// Converts A[135171] to row and column. False if the thread did not access the element.
bool settle_element(Worked& worked, const Trace& trace, const std::vector<NamedMatrix>& matrices,
                    const ThreadAccesses& accesses) {
  const auto named = std::ranges::find(matrices, worked.name, &NamedMatrix::name);
  Element element{worked.name, worked.values};
  if (named != matrices.end()) {
    const auto placed = worked.values.size() == 1
                            ? element_of_place(trace, matrices, worked.name, worked.values[0])
                            : std::nullopt;
    if (!placed) return false;
    element = *placed;
  }
  worked.values = element.indices;
  worked.results = {element.text()};
  return !trace.result.all_accesses || accesses.touched().contains(element.array, element.indices);
}

// "A[137][3]" for the element that a pointer points to, if it is in the matrix.
void settle_pointer(Worked& worked, const Trace& trace, const std::vector<NamedMatrix>& matrices) {
  const auto element = element_of_place(trace, matrices, worked.matrix, worked.values[0]);
  if (element) worked.results = {element->text()};
}

std::vector<WorkedLine> settled(std::vector<WorkedLine> lines, const Trace& trace,
                                const std::vector<NamedMatrix>& matrices,
                                const ThreadAccesses& accesses) {
  for (WorkedLine& line : lines) {
    std::erase_if(line.worked, [&](Worked& worked) {
      return worked.kind == Worked::Kind::element &&
             !settle_element(worked, trace, matrices, accesses);
    });
    for (Worked& worked : line.worked) {
      if (worked.kind == Worked::Kind::pointer) settle_pointer(worked, trace, matrices);
    }
  }
  std::erase_if(lines, [](const WorkedLine& line) { return line.worked.empty(); });
  return lines;
}

void check(const Trace& trace, const ThreadChoice& choice, const StepsAlongK& steps) {
  const auto threads = static_cast<std::int64_t>(trace.launch.block.count());
  if (choice.number < 0 || choice.number >= threads) {
    throw Error(ExitStatus::usage,
                fmt::format("there is no thread {}: a block has {}", choice.number,
                            with_thousands(threads)),
                fmt::format("Name one from 0 to {}.", threads - 1));
  }
  if (choice.step < 0 || choice.step >= steps.count) {
    throw Error(ExitStatus::usage,
                fmt::format("there is no step {} along K: there are {}", choice.step,
                            with_thousands(steps.count)),
                fmt::format("Name one from 0 to {}.", steps.count - 1));
  }
}

}  // namespace

std::int64_t ElementBlock::elements() const {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < first.size(); ++i) count *= last[i] - first[i] + 1;
  return count;
}

std::string ElementBlock::text() const {
  std::string result = array;
  for (std::size_t i = 0; i < first.size(); ++i) {
    result += first[i] == last[i] ? fmt::format("[{}]", first[i])
                                  : fmt::format("[{}…{}]", first[i], last[i]);
  }
  return result;
}

std::vector<ElementBlock> joined(const std::vector<Element>& elements) {
  std::map<Front, std::map<std::int64_t, std::set<std::int64_t>>> by_front;
  for (const Element& element : elements) {
    std::vector<std::int64_t> front = element.indices;
    if (front.empty()) continue;
    const std::int64_t column = front.back();
    front.pop_back();
    const std::int64_t row = front.empty() ? 0 : front.back();
    if (!front.empty()) front.pop_back();
    by_front[{element.array, front}][row].insert(column);
  }
  std::vector<ElementBlock> blocks;
  for (const auto& [front, columns_by_row] : by_front) {
    const auto of_array = std::ranges::find(elements, front.first, &Element::array);
    for (const Rectangle& rectangle : rectangles(columns_by_row)) {
      blocks.push_back(block_of(front, rectangle, of_array->indices.size() > 1));
    }
  }
  return blocks;
}

int thread_number(const Trace& trace, const simt::Dim3& at) {
  const simt::Dim3& block = trace.launch.block;
  if (at.x >= block.x || at.y >= block.y || at.z >= block.z) {
    throw Error(ExitStatus::usage,
                fmt::format("there is no thread ({}, {}, {}): a block has {}×{}×{}", at.x, at.y,
                            at.z, block.x, block.y, block.z),
                "Count from 0, x first.");
  }
  return static_cast<int>((at.z * block.y + at.y) * block.x + at.x);
}

ThreadStory thread_story(const Trace& trace, const ThreadChoice& choice) {
  const StepsAlongK steps = steps_along_k(trace);
  check(trace, choice, steps);
  const source::Kernel text(trace.kernel.source, trace.name);
  ThreadWalkOptions options = options_of_step(trace, text, choice.number, steps, choice.step);
  options.iterations = choice.iterations;
  ThreadWalk walk = walk_of_thread(text, options);
  const ThreadAccesses accesses(trace, steps, choice.number);

  ThreadStory story;
  story.kernel = trace.name;
  story.source_file = trace.kernel.file_name;
  story.source = trace.kernel.source;
  story.block = trace.block;
  story.thread = {static_cast<std::uint32_t>(options.names["threadIdx.x"].value),
                  static_cast<std::uint32_t>(options.names["threadIdx.y"].value),
                  static_cast<std::uint32_t>(options.names["threadIdx.z"].value)};
  story.number = choice.number;
  story.warp = choice.number / lanes;
  story.lane = choice.number % lanes;
  story.step = choice.step;
  story.steps = steps.count;
  story.step_depth = steps.depth;
  story.lines = settled(std::move(walk.lines), trace, named_matrices(trace, text), accesses);
  story.returned = walk.returned;
  story.accesses = accesses.at_step(choice.step);
  story.owns = accesses.owned_of_c();
  story.warnings = trace.warnings;
  story.failure = failure_of(trace, story.warp);
  story.not_recorded = not_recorded(trace);
  story.tile = tile_of_several(trace);
  story.all_accesses = trace.result.all_accesses && !trace.result.stopped;
  return story;
}

}  // namespace gemm_tutor
