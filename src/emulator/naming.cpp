#include "emulator/naming.hpp"

#include <fmt/format.h>

#include "emulator/address_space.hpp"
#include "support/text.hpp"

namespace gemm_tutor::emulator {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A[3][7] of a matrix, data[12] of anything else.
std::string element(const std::string& name, std::int64_t index, std::int64_t columns) {
  if (columns <= 0) return fmt::format("{}[{}]", name, index);
  const std::int64_t row = floor_divide(index, columns);
  return fmt::format("{}[{}][{}]", name, row, index - row * columns);
}

Place global_place(const RunContext& context, std::uint64_t address) {
  const std::int64_t number = global_buffer(address);
  if (number < 0 || number >= static_cast<std::int64_t>(context.buffers->size())) {
    return {fmt::format("address {:#x}", address), "any buffer"};
  }
  const Buffer& buffer = (*context.buffers)[static_cast<std::size_t>(number)];
  const auto offset =
      static_cast<std::int64_t>(address - global_address(static_cast<std::uint64_t>(number)));
  const auto elements = static_cast<std::int64_t>(buffer.bytes / sizeof(float));
  const std::string size = buffer.columns > 0
                               ? fmt::format("{}×{}", elements / buffer.columns, buffer.columns)
                               : fmt::format("{} floats long", elements);
  return {element(buffer.name, floor_divide(offset, sizeof(float)), buffer.columns),
          fmt::format("{}, which is {}", buffer.name, size)};
}

// The extents of the array, when the source's and the PTX's bytes agree; none else.
std::vector<std::int64_t> extents_of(const RunContext& context, const std::string& name,
                                     std::int64_t elements) {
  for (const ArrayShape& shape : *context.arrays) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape.extents) count *= extent;
    if (shape.name == name && count == elements) return shape.extents;
  }
  return {};
}

// tile[3][7]; outside of the array the first index says so.
std::string array_element(const std::string& name, std::int64_t index,
                          const std::vector<std::int64_t>& extents) {
  std::string indices;
  for (std::size_t d = extents.size(); d-- > 1;) {
    const std::int64_t above = floor_divide(index, extents[d]);
    indices = fmt::format("[{}]{}", index - above * extents[d], indices);
    index = above;
  }
  return fmt::format("{}[{}]{}", name, index, indices);
}

Place window_place(const RunContext& context, const std::vector<SharedVariable>& variables,
                   const std::vector<WindowVariable>& ranges, std::uint32_t address,
                   const char* memory) {
  const std::int32_t number = window_variable(address);
  if (number < 0 || number >= static_cast<std::int32_t>(variables.size())) {
    return {fmt::format("{} address {:#x}", memory, address),
            fmt::format("every array in {} memory", memory)};
  }
  const SharedVariable& variable = variables[static_cast<std::size_t>(number)];
  const WindowVariable& range = ranges[static_cast<std::size_t>(number)];
  const std::int64_t elements = (range.end - range.begin) / 4;
  const std::vector<std::int64_t> extents = extents_of(context, variable.name, elements);
  const std::int64_t index = floor_divide(window_offset(address) - range.begin, sizeof(float));
  const std::string size = extents.size() > 1 ? fmt::format("is {}", fmt::join(extents, "×"))
                                              : fmt::format("has {} floats", elements);
  return {array_element(variable.name, index, extents),
          fmt::format("{}, which {}", variable.name, size)};
}

}  // namespace

std::string coordinates(const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

Dim3 thread_index(const Dim3& block, std::uint32_t thread) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

std::string thread_coordinates(const Warp& warp, int lane) {
  const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
  return coordinates(thread_index(warp.worker->machine->context().launch.block, thread));
}

std::string thread_name(const Warp& warp, int lane) {
  return fmt::format("thread {} of block {}", thread_coordinates(warp, lane),
                     coordinates(warp.worker->machine->block()));
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return join(names);
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "),
                     names.size() - most);
}

std::vector<SharedArray> shared_arrays(const RunContext& context) {
  std::vector<SharedArray> arrays;
  for (std::size_t i = 0; i < context.shared.size(); ++i) {
    const WindowVariable& range = context.shared[i];
    const std::string& name = context.program->shared[i].name;
    const std::int64_t bytes = range.end - range.begin;
    arrays.push_back({name, static_cast<std::uint64_t>(range.begin),
                      static_cast<std::uint64_t>(bytes), extents_of(context, name, bytes / 4)});
  }
  return arrays;
}

Place place_of(const RunContext& context, std::uint64_t address, ptx::Space space) {
  const auto low = static_cast<std::uint32_t>(address);
  if (space == ptx::Space::shared)
    return window_place(context, context.program->shared, context.shared, low, "shared");
  if (space == ptx::Space::local)
    return window_place(context, context.program->local, context.local, low, "local");
  return global_place(context, address);
}

}  // namespace gemm_tutor::emulator
