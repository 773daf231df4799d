#include "simt/exec/places.hpp"

#include <utility>

#include "simt/exec/address_space.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor::simt {
namespace {

// Of the element that many bytes from the array's first.
std::int64_t element_index(std::int64_t offset, std::int64_t element_bytes) {
  return floor_divide(offset, element_bytes);
}

Element global_element(const RunContext& context, std::uint64_t address) {
  const std::int64_t number = global_buffer(address);
  if (number < 0 || number >= static_cast<std::int64_t>(context.buffers->size())) {
    return {.address = address};
  }
  const Buffer& buffer = (*context.buffers)[static_cast<std::size_t>(number)];
  const auto offset =
      static_cast<std::int64_t>(address - global_address(static_cast<std::uint64_t>(number)));
  const auto elements = static_cast<std::int64_t>(buffer.bytes) / buffer.element_bytes;
  Element element{.array = buffer.name,
                  .index = element_index(offset, buffer.element_bytes),
                  .elements = elements,
                  .element_bytes = buffer.element_bytes,
                  .address = address};
  if (buffer.columns > 0) element.extents = {elements / buffer.columns, buffer.columns};
  return element;
}

// The array's shape where the source's and the PTX's bytes agree; else without extents, in floats.
// Its elements have the declared type's bytes, or those that follow from the extents.
ArrayShape shape_of(const RunContext& context, const std::string& name, std::int64_t bytes) {
  for (const ArrayShape& shape : *context.arrays) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape.extents) count *= extent;
    const std::int64_t each =
        shape.element_bytes > 0 || shape.extents.empty() ? shape.element_bytes : bytes / count;
    const bool is_type = each == 1 || each == 2 || each == 4 || each == 8 || each == 16;
    if (shape.name != name || !is_type) continue;
    if (shape.extents.empty() ? bytes % each == 0 : count * each == bytes)
      return {name, shape.extents, static_cast<int>(each)};
  }
  return {name, {}, sizeof(float)};
}

Element window_element(const RunContext& context, const std::vector<SharedVariable>& variables,
                       const std::vector<WindowVariable>& ranges, std::uint32_t address,
                       MemorySpace space) {
  const std::int32_t number = window_variable(address);
  if (number < 0 || number >= static_cast<std::int32_t>(variables.size())) {
    return {.space = space, .address = address};
  }
  const SharedVariable& variable = variables[static_cast<std::size_t>(number)];
  const WindowVariable& range = ranges[static_cast<std::size_t>(number)];
  const std::int64_t bytes = range.end - range.begin;
  const ArrayShape shape = shape_of(context, variable.name, bytes);
  return {.space = space,
          .array = variable.name,
          .index = element_index(window_offset(address) - range.begin, shape.element_bytes),
          .elements = bytes / shape.element_bytes,
          .element_bytes = shape.element_bytes,
          .extents = shape.extents,
          .address = address};
}

}  // namespace

Dim3 thread_of(const Warp& warp, int lane) {
  const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
  return place_in(warp.worker->machine->context().launch.block, thread);
}

Element element_at(const RunContext& context, std::uint64_t address, ptx::Space space) {
  const auto low = static_cast<std::uint32_t>(address);
  if (space == ptx::Space::shared) {
    return window_element(context, context.program->shared, context.shared, low,
                          MemorySpace::shared);
  }
  if (space == ptx::Space::local) {
    return window_element(context, context.program->local, context.local, low, MemorySpace::local);
  }
  return global_element(context, address);
}

std::vector<SharedArray> shared_arrays(const RunContext& context) {
  std::vector<SharedArray> arrays;
  for (std::size_t i = 0; i < context.shared.size(); ++i) {
    const WindowVariable& range = context.shared[i];
    const std::string& name = context.program->shared[i].name;
    const std::int64_t bytes = range.end - range.begin;
    ArrayShape shape = shape_of(context, name, bytes);
    constexpr int word = sizeof(float);
    const bool has_elements = shape.element_bytes > 0 && shape.element_bytes <= word;
    if (!has_elements) shape.extents.clear();  // a barrier is not for a trace to show
    const int element = has_elements ? shape.element_bytes : word;
    arrays.push_back({{name, std::move(shape.extents), element},
                      static_cast<std::uint64_t>(range.begin) - context.program->first_shared,
                      static_cast<std::uint64_t>(bytes)});
  }
  return arrays;
}

}  // namespace gemm_tutor::simt
