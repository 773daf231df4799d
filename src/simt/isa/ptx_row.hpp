// One row for each kind of PTX instruction. It says how the instruction is decoded, what it counts
// as, and what its first operand is. The decoder, the search for live registers, control flow and
// counting read it.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

namespace ptx {

enum class Space { generic, global, shared, local, constant, parameter };

// Returns the space that a word of an opcode names, such as "shared::cta"; nothing for other words.
std::optional<Space> space_named(std::string_view word);

// Returns the space of a load or store; generic if the opcode names none.
Space space_of(std::string_view opcode);

// Returns its word in opcodes: "const"; "" for generic.
std::string_view name_of(Space space);

}  // namespace ptx

// What decodes an instruction.
enum class Form {
  lanewise,  // each lane computes a result from its own operands, by a handler or in steps
  load,
  store,
  atomic,
  address_conversion,
  shuffle,
  matrix,        // of a whole warp: isa/matrix.hpp
  asynchronous,  // copies and what waits for them: exec/asynchronous.hpp
  barrier,
  branch,
  exit,
  returning,
  call,
  nothing,  // it does not change results here: prefetches, cache control, fences
  as_named  // the opcode is its handler's name
};

// What an instruction of Form::asynchronous does; none if the emulator does not know it.
enum class AsynchronousStep {
  none,
  copy,
  bulk_copy,
  end_group,
  wait_for_groups,
  wait_for_all,
  arrive,  // at a barrier in shared memory, when the thread's copies have arrived
  barrier  // initialises such a barrier, arrives at it or tests it
};

// What the emulator does not support, and what a kernel can use instead.
struct Refusal {
  std::string_view what, instead;
};

struct PtxRow {
  std::string_view words;  // with which the opcode begins: "ld.param"
  Form form = Form::lanewise;
  std::optional<InstructionKind> kind = {};  // by its types if there is none
  bool has_result = true;                    // the first operand, unless it is an address
  bool is_fence = false;                     // threads may synchronise with it
  AsynchronousStep step = AsynchronousStep::none;
  const Refusal* refusal = nullptr;
};

// Returns the first row whose words begin the opcode, such as "ld.global.nc.f32". The row of an
// unknown one is lane-wise.
const PtxRow& row_of(std::string_view opcode);

// Returns the kind of a PTX opcode; `integer` for an unknown opcode.
InstructionKind instruction_kind(std::string_view opcode);

// The same for special registers and functions, by the beginning of their names; null if the
// emulator knows them.
const Refusal* refusal_of_name(std::string_view name);

// For the words of PTX opcodes.
inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace gemm_tutor::simt
