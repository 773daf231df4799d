// What a fault says: which thread of which block, and the address as the learner knows it.
#include <fmt/format.h>

#include "emulator/address_space.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {
namespace {

std::string coordinates(const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

Dim3 thread_index(const Dim3& block, std::uint32_t thread) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A[3][7] of a matrix, data[12] of anything else.
std::string element(const std::string& name, std::int64_t index, std::int64_t columns) {
  if (columns <= 0) return fmt::format("{}[{}]", name, index);
  const std::int64_t row = floor_divide(index, columns);
  return fmt::format("{}[{}][{}]", name, row, index - row * columns);
}

struct Place {
  std::string element;  // "A[256][0]"
  std::string whole;    // "A, which is 256×256"
};

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

Place window_place(const std::vector<SharedVariable>& variables,
                   const std::vector<WindowVariable>& ranges, std::uint32_t address,
                   const char* memory) {
  const std::int32_t number = window_variable(address);
  if (number < 0 || number >= static_cast<std::int32_t>(variables.size())) {
    return {fmt::format("{} address {:#x}", memory, address),
            fmt::format("every array in {} memory", memory)};
  }
  const SharedVariable& variable = variables[static_cast<std::size_t>(number)];
  const WindowVariable& range = ranges[static_cast<std::size_t>(number)];
  return {
      element(variable.name, floor_divide(window_offset(address) - range.begin, sizeof(float)), 0),
      fmt::format("{}, which has {} floats", variable.name, (range.end - range.begin) / 4)};
}

Place place_of(const RunContext& context, std::uint64_t address, ptx::Space space) {
  const auto low = static_cast<std::uint32_t>(address);
  if (space == ptx::Space::shared)
    return window_place(context.program->shared, context.shared, low, "shared");
  if (space == ptx::Space::local)
    return window_place(context.program->local, context.local, low, "local");
  return global_place(context, address);
}

const char* kind_of(Fault fault) {
  switch (fault) {
    case Fault::outside:
    case Fault::read_only:
      return "bounds";
    case Fault::misaligned:
      return "alignment";
    case Fault::divergent_barrier:
      return "barrier";
  }
  return "";
}

std::string describe(const RunContext& context, const Instruction& instruction, Fault fault,
                     const std::string& who, std::uint64_t address, int bytes, ptx::Space space) {
  if (fault == Fault::divergent_barrier) {
    return fmt::format("{} does not reach this __syncthreads() together with its warp", who);
  }
  const Place place = place_of(context, address, space);
  const bool store =
      context.program->accesses[instruction.index].kind == CountedAccess::Kind::store;
  const char* does = store ? "writes" : "reads";
  if (fault == Fault::misaligned) {
    return fmt::format("{} {} {} bytes at {}, which is not a multiple of {} bytes", who, does,
                       bytes, place.element, bytes);
  }
  if (fault == Fault::read_only) {
    return fmt::format("{} writes {}, which the kernel may only read", who, place.element);
  }
  return fmt::format("{} {} {}, outside {}", who, does, place.element, place.whole);
}

}  // namespace

void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space) {
  const BlockMachine& machine = *warp.worker->machine;
  const RunContext& context = machine.context();
  const Dim3& grid = context.launch.grid;
  const Dim3& block = machine.block();
  const std::uint64_t order = (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
  const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
  const auto message = [&] {
    const std::string who =
        fmt::format("thread {} of block {}",
                    coordinates(thread_index(context.launch.block, thread)), coordinates(block));
    return describe(context, instruction, fault, who, address, bytes, space);
  };
  context.findings->add(kind_of(fault), instruction.line, order, message);
}

}  // namespace gemm_tutor::emulator
