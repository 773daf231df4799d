// Calls of functions that are not inlined: handlers like those of the interpreter.
#include <algorithm>
#include <cstring>

#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

const DecodedProgram& program_of(const Warp& warp) {
  return *warp.worker->machine->context().program;
}

// Returns the function that the lane calls; -1 if its address is not a function's, or if the
// function has other parameters.
int function_of(const Warp& warp, const Instruction& instruction, const Call& call, int lane) {
  if (call.function >= 0) return call.function;
  const std::uint64_t address = long_at(warp, instruction.operands[0], lane);
  const std::vector<DecodedFunction>& functions = program_of(warp).functions;
  const std::uint64_t number = address - function_window;
  if (number == 0 || number >= functions.size()) return -1;
  return fits(call, functions[number]) ? static_cast<int>(number) : -1;
}

std::uint32_t lanes_that_call(const Warp& warp, const Instruction& instruction, const Call& call,
                              int function) {
  std::uint32_t result = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const bool calls =
        (warp.active >> lane & 1) && function_of(warp, instruction, call, lane) == function;
    result |= static_cast<std::uint32_t>(calls) << lane;
  }
  return result;
}

void copy_values(const std::vector<CallValue>& from, const std::uint32_t* from_frame,
                 const std::vector<CallValue>& to, std::uint32_t* to_frame, std::uint32_t active) {
  for (std::size_t v = 0; v < from.size(); ++v) {
    const std::uint32_t stride = from[v].stride() / 4;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
      std::memcpy(to_frame + to[v].word + lane * stride, from_frame + from[v].word + lane * stride,
                  from[v].stride());
    }
  }
}

void fill_frame(Warp& warp, const DecodedFunction& function, std::uint32_t stack_offset) {
  const DecodedProgram& program = program_of(warp);
  for (const std::uint32_t word : function.unset_registers)
    warp.registers[word] = warp.worker->unset;
  for (const DecodedFunction::Local& local : function.locals) {
    const auto number = static_cast<std::uint32_t>(program.stack);
    const std::uint64_t address =
        window_address(number, program.local[number].offset + stack_offset + local.offset);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      std::memcpy(warp.registers + local.word + 2 * lane, &address, sizeof address);
    }
  }
}

// Clears values that an earlier call has left there.
void forget_locals(Warp& warp, const DecodedFunction& function, std::uint32_t stack_offset) {
  const Worker& worker = *warp.worker;
  if (function.local_bytes == 0 || worker.local_written == nullptr) return;
  const std::uint32_t begin =
      program_of(warp).local[static_cast<std::size_t>(program_of(warp).stack)].offset;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(rest));
    std::memset(worker.local_written + lane * worker.local_bytes + begin + stack_offset, 0,
                function.local_bytes);
  }
}

// The active lanes continue in the function, and later after this instruction.
void enter(Warp& warp, const Call& call, const DecodedFunction& function) {
  const DecodedProgram& program = program_of(warp);
  std::vector<CallFrame>& frames = warp.worker->machine->frames(warp.number);
  const std::uint32_t stack_offset = frames.empty() ? 0 : frames.back().stack_end;
  frames.push_back({&call, &function, warp.registers, stack_offset + function.local_bytes});
  warp.stack[warp.depth++] = {warp.active, warp.next, warp.reconvergence, warp.frame};
  warp.reconvergence = no_instruction;
  warp.frame = static_cast<std::int32_t>(frames.size());
  warp.next = function.begin;

  std::uint32_t* const caller = warp.registers;
  warp.registers += program.functions[call.caller].frame_words;
  std::copy_n(caller, program.special_words, warp.registers);
  fill_frame(warp, function, stack_offset);
  forget_locals(warp, function, stack_offset);
  copy_values(call.arguments, caller, function.parameters, warp.registers, warp.active);
}

// The `calling` lanes of the active ones call. The others continue after the call.
void call_by(Warp& warp, const Instruction& instruction, std::uint32_t calling) {
  const Call& call = program_of(warp).function_calls[instruction.index];
  if (calling == 0) return;
  if (warp.frame == most_calls) {
    report_fault(warp, instruction, Fault::deep_calls, __builtin_ctz(calling), 0, 0,
                 ptx::Space::generic);
    warp.status = Status::stopped;
    return;
  }
  const int function = function_of(warp, instruction, call, __builtin_ctz(calling));
  if (function < 0) {
    report_fault(warp, instruction, Fault::no_function, __builtin_ctz(calling), 0, 0,
                 ptx::Space::generic);
    warp.status = Status::stopped;
    return;
  }
  const std::uint32_t alike = lanes_that_call(warp, instruction, call, function) & calling;
  if (alike != warp.active) {
    // All reconverge after the call, where a basic block begins.
    if (warp.next != warp.reconvergence) {
      warp.stack[warp.depth++] = {warp.active, warp.next, warp.reconvergence, warp.frame};
      warp.reconvergence = warp.next;
    }
    if (calling != alike) {  // those that call another function do so later
      warp.stack[warp.depth++] = {calling & ~alike, warp.next - 1, warp.reconvergence, warp.frame};
    }
    warp.active = alike;
  }
  enter(warp, call, program_of(warp).functions[static_cast<std::size_t>(function)]);
}

}  // namespace

void call_function(Warp& warp, const Instruction& instruction) {
  call_by(warp, instruction, warp.active);
}

void call_function_if(Warp& warp, const Instruction& instruction) {
  const std::uint32_t predicate = *words(warp, instruction.guard);
  call_by(warp, instruction, (instruction.guard_negated ? ~predicate : predicate) & warp.active);
}

void return_results(Warp& warp) {
  const CallFrame& frame = warp.worker->machine->frames(warp.number).back();
  copy_values(frame.function->results, warp.registers, frame.call->results, frame.caller,
              warp.active);
}

void leave_frames(Warp& warp, std::int32_t frame) {
  std::vector<CallFrame>& frames = warp.worker->machine->frames(warp.number);
  warp.registers = frames[static_cast<std::size_t>(frame)].caller;
  frames.resize(static_cast<std::size_t>(frame));
  warp.frame = frame;
}

}  // namespace gemm_tutor::simt
