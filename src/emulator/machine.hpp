// The state that instructions work on: a warp, its block, and what the worker that runs them
// counts. Only plain data: interpreter.cpp is compiled for several instruction sets and must not
// share inline functions with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

class BlockMachine;

struct BlockCounter {
  std::uint64_t executions = 0;  // by warps
  std::uint64_t lanes = 0;       // active ones, over all executions
};

struct AccessCounter {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;  // sectors of global memory, wavefronts of shared memory
  std::uint64_t lanes = 0;
};

// The addresses of one request relative to its first active lane, and what follows from them.
// Requests of one instruction mostly look alike, so the last pattern is kept with each instruction.
template <typename Address>
struct Pattern {
  Address relative[lanes];
  std::uint32_t active = 0;  // 0: nothing kept yet
  Address lowest = 0;        // relative, as an unsigned number: lowest <= 0 in two's complement
  Address highest = 0;
  // By the first address's place in a 32-byte sector, in units of 4 bytes; 0 is not known yet.
  std::uint16_t cost[8] = {};
};

struct GlobalBuffer {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  bool read_only = false;
};

struct WindowVariable {
  std::int32_t begin = 0, end = 0;  // offsets
};

struct Worker {
  const GlobalBuffer* buffers = nullptr;
  std::int64_t buffer_count = 0;
  std::byte* shared = nullptr;
  const WindowVariable* shared_variables = nullptr;
  std::int32_t shared_variable_count = 0;
  std::byte* local = nullptr;  // the warp's: each thread's `local_bytes`, one after the other
  const WindowVariable* local_variables = nullptr;
  std::int32_t local_variable_count = 0;
  std::uint32_t local_bytes = 0;

  BlockCounter* blocks = nullptr;
  AccessCounter* accesses = nullptr;
  Pattern<std::uint64_t>* global_patterns = nullptr;  // by access, as are the next
  Pattern<std::uint32_t>* shared_patterns = nullptr;
  BlockMachine* machine = nullptr;  // where faults are reported
};

enum class Status : std::uint8_t { running, at_barrier, done };

// Lanes that wait while others of their warp run.
struct Waiting {
  std::uint32_t lanes;
  std::uint32_t instruction;    // where they go on
  std::uint32_t reconvergence;  // and where they meet the next ones
};

struct Warp {
  const std::uint32_t* constants = nullptr;
  std::uint32_t* registers = nullptr;
  const Instruction* code = nullptr;
  Worker* worker = nullptr;
  std::uint32_t next = 0;                        // instruction
  std::uint32_t active = 0;                      // the lanes that run now
  std::uint32_t live = 0;                        // those that have not returned
  std::uint32_t reconvergence = no_instruction;  // where the active lanes stop to wait for others
  Status status = Status::running;
  std::int32_t depth = 0;
  Waiting waiting[2 * lanes];  // each entry's lanes are fewer than, or apart from, those below it
  std::uint32_t number = 0;    // of the warp in its block
};

// Reports an access that is not allowed; implemented by the run, outside the interpreter.
enum class Fault { outside, read_only, misaligned, divergent_barrier };
void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space);

// One compilation of interpreter.cpp.
struct InstructionSet {
  const char* name;
  Handlers (*find)(const char* key, std::size_t length);  // null handlers for an unknown key
  void (*run)(Warp& warp);                                // until the warp waits or is done
};

// The fastest that this CPU can run.
const InstructionSet& instruction_set();

}  // namespace gemm_tutor::emulator
