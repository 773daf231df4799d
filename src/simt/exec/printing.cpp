#include <fmt/printf.h>

#include <cstring>
#include <string>
#include <string_view>

#include "simt/exec/places.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::size_t longest_text = 1'000;

// Returns the bytes at a generic address; null if the thread cannot access them.
const std::byte* memory_at(const Warp& warp, std::uint64_t address, std::uint32_t bytes, int lane) {
  const Worker& worker = *warp.worker;
  const auto low = static_cast<std::uint32_t>(address);
  if ((address & window_mask) == shared_window) return shared_memory(worker, low, bytes);
  if ((address & window_mask) == local_window) {
    return window_memory(
        worker.local_variables, worker.local_variable_count,
        worker.local + std::size_t{worker.local_bytes} * static_cast<std::size_t>(lane), low,
        bytes);
  }
  return global_memory(worker, address, bytes, false);
}

std::string string_at(const Warp& warp, std::uint64_t address, int lane) {
  std::string text;
  while (text.size() < longest_text) {
    const std::byte* byte = memory_at(warp, address + text.size(), 1, lane);
    if (byte == nullptr) return text.empty() ? "(no string)" : text;
    if (*byte == std::byte{0}) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

// The values after the format, one after the other, each at a multiple of its size.
class Values {
 public:
  Values(const Warp& warp, std::uint64_t address, int lane)
      : warp_(warp), address_(address), lane_(lane) {}

  template <typename T>
  T next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    const std::byte* memory = memory_at(warp_, address_, sizeof(T), lane_);
    if (memory != nullptr) std::memcpy(&value, memory, sizeof(T));
    address_ += sizeof(T);
    return value;
  }

 private:
  const Warp& warp_;
  std::uint64_t address_;
  int lane_;
};

std::string one_value(const std::string& specification, bool is_long, Values& values,
                      const Warp& warp, int lane) {
  const char conversion = specification.back();
  const std::string format = "%" + specification;
  if (std::string_view("di").find(conversion) != std::string_view::npos) {
    return is_long ? fmt::sprintf(format, values.next<std::int64_t>())
                   : fmt::sprintf(format, values.next<std::int32_t>());
  }
  if (std::string_view("uoxX").find(conversion) != std::string_view::npos) {
    return is_long ? fmt::sprintf(format, values.next<std::uint64_t>())
                   : fmt::sprintf(format, values.next<std::uint32_t>());
  }
  if (conversion == 'c') return fmt::sprintf(format, static_cast<char>(values.next<int>()));
  if (conversion == 's') {
    return fmt::sprintf(format, string_at(warp, values.next<std::uint64_t>(), lane));
  }
  if (conversion == 'p') return fmt::format("{:#x}", values.next<std::uint64_t>());
  if (std::string_view("fFeEgGaA").find(conversion) != std::string_view::npos) {
    return fmt::sprintf(format, values.next<double>());
  }
  return format;  // undefined in C
}

// Like C's printf. The lengths h and hh are ignored, because the compiler passes an int.
std::string formatted(const Warp& warp, const std::string& format, Values values, int lane) {
  std::string text;
  for (std::size_t at = 0; at < format.size() && text.size() < longest_text; ++at) {
    if (format[at] != '%') {
      text += format[at];
      continue;
    }
    std::string specification;
    bool is_long = false;
    for (++at; at < format.size(); ++at) {
      const char c = format[at];
      if (std::string_view("lhjzt").find(c) != std::string_view::npos) {
        is_long = is_long || c != 'h';
      } else if (c == '*') {
        specification += std::to_string(values.next<std::int32_t>());
      } else {
        specification += c;
        if (std::string_view("0123456789.+- #").find(c) == std::string_view::npos) break;
      }
    }
    if (specification == "%") {
      text += '%';
    } else if (!specification.empty()) {
      try {
        text += one_value(specification, is_long, values, warp, lane);
      } catch (const fmt::format_error&) {
        text += "%" + specification;
      }
    }
  }
  text.resize(std::min(text.size(), longest_text));
  return text;
}

}  // namespace

void Printing::add(std::uint64_t block, std::uint32_t thread, const Printed& printed) {
  const std::lock_guard lock(mutex_);
  printed_.emplace(Place{block, thread, calls_++}, printed);
  if (printed_.size() <= most) return;
  printed_.erase(std::prev(printed_.end()));
  ++left_out_;
}

void Printing::move_to(Result& result, std::uint64_t last) {
  result.printed_left_out = left_out_;
  for (auto& [place, printed] : printed_) {
    if (std::get<0>(place) <= last) result.printed.push_back(std::move(printed));
  }
}

void print(Warp& warp, const Instruction& instruction) {
  BlockMachine& machine = *warp.worker->machine;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::string format = string_at(warp, long_at(warp, instruction.operands[0], lane), lane);
    const Values values(warp, long_at(warp, instruction.operands[1], lane), lane);
    machine.print({.line = instruction.line,
                   .thread = thread_of(warp, lane),
                   .block = machine.block(),
                   .text = formatted(warp, format, values, lane)},
                  warp.number * lanes + static_cast<std::uint32_t>(lane));
  }
}

// Reports the first lane. The kernel ends there.
void fail_assertion(Warp& warp, const Instruction& instruction) {
  const int lane = __builtin_ctz(warp.active);
  warp.worker->machine->add_finding(Fault::assertion, instruction, [&](FoundFault& finding) {
    finding.thread = thread_of(warp, lane);
    finding.assertion = string_at(warp, long_at(warp, instruction.operands[0], lane), lane);
  });
  warp.status = Status::stopped;
}

void trap(Warp& warp, const Instruction& instruction) {
  report_fault(warp, instruction, Fault::trap, __builtin_ctz(warp.active), 0, 0,
               ptx::Space::generic);
  warp.status = Status::stopped;
}

}  // namespace gemm_tutor::simt
