#include "trace/steps_along_k.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "run/stream_k_schedule.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr source::IntegerType unsigned_type{32, true};

void add_dimensions(ThreadWalkOptions& options, const std::string& name, const simt::Dim3& at) {
  options.names[name + ".x"] = {at.x, unsigned_type};
  options.names[name + ".y"] = {at.y, unsigned_type};
  options.names[name + ".z"] = {at.z, unsigned_type};
}

std::optional<source::Integer> value_of(const Argument& argument, const Problem& problem) {
  if (is_pointer(argument.role)) return {};
  if (is_size(argument.role)) return source::Integer{size_of(argument.role, problem)};
  const auto number = number_in<std::int64_t>(argument.number);
  return number ? std::optional(source::Integer{*number, {64, false}}) : std::nullopt;
}

StepsAlongK steps_of_depth(std::int64_t depth, std::int64_t k, bool downward = false) {
  return {std::min(depth, k), ceil_divide(k, depth), downward};
}

StepsAlongK steps_by_text(const Trace& trace) {
  const source::Kernel text(trace.kernel.source, trace.name);
  const ThreadWalk walk = walk_of_thread(text, options_of_thread(trace, text, 0));
  const std::int64_t k = trace.problem.k;
  const bool downward = walk.change < 0;
  if (walk.change > 1) return steps_of_depth(walk.change, k);
  if (walk.iterations > 0 && k % walk.iterations == 0)
    return steps_of_depth(k / walk.iterations, k, downward);
  return steps_of_depth(k, k);
}

// The steps along K in which a line of the loop is executed, in order: those of one tile, or of all
// that a block has a part of.
std::vector<std::int64_t> order_of_steps(const Trace& trace, const StepsAlongK& steps) {
  std::vector<std::int64_t> order;
  if (!trace.kernel.shape.stream_k) {
    for (std::int64_t step = 0; step < steps.count; ++step) {
      order.push_back(steps.downward ? steps.count - 1 - step : step);
    }
    return order;
  }
  for (const TilePiece& piece :
       StreamKSchedule(trace.kernel.shape, trace.problem).pieces(trace.block.x)) {
    for (std::int64_t i = 0; i < piece.steps; ++i) order.push_back(piece.first_step + i);
  }
  return order;
}

// The step of each column of A that a line of the loop reads, in order: the last step of a tile
// may have fewer.
std::vector<std::int64_t> columns_of_steps(const std::vector<std::int64_t>& order,
                                           const StepsAlongK& steps, std::int64_t k) {
  std::vector<std::int64_t> columns;
  for (const std::int64_t step : order) {
    const std::int64_t count = std::min(steps.depth, k - step * steps.depth);
    columns.insert(columns.end(), static_cast<std::size_t>(count), step);
  }
  return columns;
}

// The step of an asynchronous store to shared memory is that of its load, which is the access
// before it. A copy that stores zeros has no load, and has the step of the previous copy.
std::vector<std::optional<std::int64_t>> steps_of_copies(const Trace& trace,
                                                         const StepsAlongK& steps) {
  const std::vector<Access>& accesses = trace.result.accesses;
  std::vector<std::optional<std::int64_t>> result(accesses.size());
  std::map<int, std::optional<std::int64_t>> last;  // of each warp
  for (std::size_t i = 1; i < accesses.size(); ++i) {
    const Access &load = accesses[i - 1], &store = accesses[i];
    if (store.space != MemorySpace::shared || !store.asynchronous) continue;
    if (load.asynchronous && load.space == MemorySpace::global) {
      const std::vector<Element> loaded = elements_of(trace, load, std::countr_zero(load.active));
      if (!loaded.empty()) last[store.warp] = step_of_element(loaded.front(), steps);
    }
    result[i] = last[store.warp];
  }
  return result;
}

}  // namespace

std::vector<NamedMatrix> named_matrices(const Trace& trace, const source::Kernel& text) {
  std::vector<NamedMatrix> result;
  const std::size_t count = std::min(text.parameters.size(), trace.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_pointer(trace.arguments[i].role)) continue;
    result.push_back({text.parameters[i].name, trace.arguments[i].text()});
  }
  return result;
}

ThreadWalkOptions options_of_thread(const Trace& trace, const source::Kernel& text, int number) {
  ThreadWalkOptions options;
  const simt::Dim3& block = trace.launch.block;
  const auto n = static_cast<std::uint32_t>(number);
  add_dimensions(options, "threadIdx", {n % block.x, n / block.x % block.y, n / block.x / block.y});
  add_dimensions(options, "blockIdx", trace.block);
  add_dimensions(options, "blockDim", block);
  add_dimensions(options, "gridDim", trace.launch.grid);
  options.names["warpSize"] = {32};
  const std::size_t count = std::min(text.parameters.size(), trace.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = text.parameters[i].name;
    const auto value = value_of(trace.arguments[i], trace.problem);
    const auto type = text.parameters[i].type;
    if (value && type) options.names[name] = value->as(*type);
    if (trace.arguments[i].role == Role::k) options.depth_name = name;
  }
  for (const NamedMatrix& matrix : named_matrices(trace, text)) {
    options.matrices.push_back(matrix.name);
  }
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    if (!array.extents.empty()) options.arrays.push_back(array.name);
  }
  return options;
}

std::optional<Element> element_of_place(const Trace& trace,
                                        const std::vector<NamedMatrix>& matrices,
                                        const std::string& name, std::int64_t place) {
  const auto named = std::ranges::find(matrices, name, &NamedMatrix::name);
  if (named == matrices.end()) return {};
  const auto matrix = std::ranges::find(trace.matrices, named->matrix, &TracedMatrix::name);
  if (matrix == trace.matrices.end() || place < 0) return {};
  const std::int64_t columns = matrix->columns;
  if (columns <= 0) return {};
  return Element{named->matrix, {place / columns, place % columns}};
}

ThreadWalkOptions options_of_step(const Trace& trace, const source::Kernel& text, int number,
                                  const StepsAlongK& steps, std::int64_t step) {
  ThreadWalkOptions options = options_of_thread(trace, text, number);
  options.step = step;
  options.step_depth = steps.depth;
  options.step_of_place = [&trace, matrices = named_matrices(trace, text), steps](
                              const std::string& matrix,
                              std::int64_t place) -> std::optional<std::int64_t> {
    const auto element = element_of_place(trace, matrices, matrix, place);
    return element ? step_of_element(*element, steps) : std::nullopt;
  };
  return options;
}

StepsAlongK steps_along_k(const Trace& trace) {
  const int depth = trace.kernel.shape.tile_depth;
  return depth > 0 ? steps_of_depth(depth, trace.problem.k) : steps_by_text(trace);
}

std::optional<std::int64_t> step_of_element(const Element& element, const StepsAlongK& steps) {
  if (element.indices.size() != 2 || (element.array != "A" && element.array != "B")) return {};
  const std::int64_t along_k = element.indices[element.array == "A" ? 1 : 0];
  return along_k < 0 ? std::nullopt : std::optional(along_k / steps.depth);
}

std::vector<std::optional<std::int64_t>> steps_of_shared(const Trace& trace,
                                                         const StepsAlongK& steps) {
  const std::vector<Access>& accesses = trace.result.accesses;
  using Place = std::tuple<int, int, bool>;
  const auto place_of = [](const Access& access) {
    return Place{access.warp, access.line, access.store};
  };
  std::map<Place, std::int64_t> counts, seen;
  for (const Access& access : accesses) {
    if (access.space == MemorySpace::shared) ++counts[place_of(access)];
  }
  std::vector<std::optional<std::int64_t>> result = steps_of_copies(trace, steps);
  if (!trace.result.all_accesses || trace.result.stopped) return result;
  const std::vector<std::int64_t> order = order_of_steps(trace, steps);
  const std::vector<std::int64_t> columns = columns_of_steps(order, steps, trace.problem.k);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].space != MemorySpace::shared || accesses[i].asynchronous) continue;
    const Place place = place_of(accesses[i]);
    const std::int64_t number = seen[place]++, count = counts[place];
    if (count % std::ssize(order) == 0) {
      result[i] = order[static_cast<std::size_t>(number * std::ssize(order) / count)];
    } else if (count % std::ssize(columns) == 0) {
      result[i] = columns[static_cast<std::size_t>(number * std::ssize(columns) / count)];
    }
  }
  return result;
}

std::vector<Element> elements_of(const Trace& trace, const Access& access, int lane) {
  std::vector<Element> result;
  for (int byte = 0; byte < access.bytes; byte += element_bytes_of(trace, access)) {
    const std::uint64_t offset = access.offsets[static_cast<std::size_t>(lane)];
    Element element = element_at(trace, access, offset + static_cast<std::uint64_t>(byte));
    if (!element.array.empty()) result.push_back(std::move(element));
  }
  return result;
}

}  // namespace gemm_tutor
