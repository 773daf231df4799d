// The syntax tree of a PTX module. The language is described in NVIDIA's "PTX ISA". The parser
// covers what NVRTC writes for a kernel, and reports what it does not cover as an error.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simt/isa/ptx_row.hpp"

namespace gemm_tutor::simt::ptx {

struct Register {
  std::string name;  // "%r12"
  int bits = 0;      // 16, 32 or 64; a predicate has 1
  bool predicate() const { return bits == 1; }
};

// An element of a variable's initial value: a number, or a symbol's address plus the number.
struct Initial {
  std::uint64_t value = 0;
  std::string symbol;
};

struct Variable {
  std::string name;
  Space space = Space::global;  // Space::parameter: an argument or a result of a call
  std::uint32_t alignment = 4;
  std::uint64_t bytes = 0;  // 0 for `extern __shared__ float s[]`
  bool external = false;
  std::uint32_t element_bytes = 1;
  std::vector<Initial> initial = {};  // the first elements; the others are 0
};

struct Parameter {
  std::string name;
  std::uint32_t bytes = 0;
};

struct Operand {
  enum class Kind { reg, immediate, symbol, address, vector, none };
  Kind kind = Kind::none;
  int reg = -1;                   // Kind::reg; the base of Kind::address, or -1
  bool negated = false;           // !%p
  std::uint64_t immediate = 0;    // its bits; a negative number is sign-extended
  bool is_double = false;         // the immediate has the bits of an FP64 number
  std::string symbol;             // a variable, parameter, label or special register (%tid.x)
  std::int64_t offset = 0;        // for Kind::address, in bytes
  std::vector<Operand> elements;  // {%f1, %f2}, %p|%q, and the (param0, param1) of a call
};

struct Statement {
  std::string opcode;  // "ld.global.nc.v4.f32"
  const PtxRow* row = nullptr;
  std::vector<Operand> operands;
  int guard = -1;              // the predicate register of @%p, or -1
  bool guard_negated = false;  // @!%p
  int line = 0;                // in the kernel's source file; 0 if the compiler gives none
  int ptx_line = 0;            // in the PTX text
  // If the line is in an inlined function: the source lines of the calls, the innermost first.
  std::vector<int> calls;
  bool stands_there = false;  // and not in a function that was inlined there, nor near by
};

struct Function {
  std::string name;
  bool is_entry = true;  // a kernel; otherwise a function that is called
  std::vector<Parameter> parameters;
  std::vector<Parameter> results = {};  // of a called function: none or one
  std::vector<Register> registers;
  // Variables declared in the body: shared and local ones, and the parameters of calls. These have
  // a scope, so the parser makes their names unique, here and in the operands.
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  std::map<std::string, std::size_t> labels;  // the index of the statement that follows
  std::set<std::size_t> rolled_loops;         // first statements of loops that must not be unrolled
};

struct Module {
  int architecture = 0;  // 90 for .target sm_90
  std::vector<Variable> variables;
  std::vector<Function> entries;
  std::vector<Function> functions;  // those that have a body
};

// Statements get their lines in `source_file`. Throws Error (unavailable) with the PTX line that it
// cannot parse.
Module parse(std::string_view text, std::string_view source_file);

}  // namespace gemm_tutor::simt::ptx
