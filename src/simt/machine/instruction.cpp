#include "simt/machine/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace gemm_tutor::simt {
namespace machine {
namespace {

struct Name {
  std::uint16_t opcode;  // the lower 9 bits, ascending
  std::string_view name;
  Kind kind;
  Unit unit;
  // d: the destination; a, b, c: the sources; capitals: of 64 bits. Of memory instructions, l: the
  // destination of a load; s: the data of a store; t: the shared address that a copy writes to. m:
  // all of a product of matrices.
  std::string_view operands = {};
  Role role = Role::none;
  std::string_view meaning = {};  // in words, of a name that readers meet; at its first row
};

// The opcodes of kernels without textures and Hopper's products of warp groups. Those of sm_100 and
// 120 that nvdisasm of CUDA 11.8 does not know (UI2FP, FMNMX3, CREDUX) are by what the compiler
// used them for.
constexpr Name names[] = {
    {0x002, "MOV", Kind::move, Unit::integer, "db", Role::none, "copy a register"},
    {0x003, "P2R", Kind::move, Unit::other, "da"},
    {0x004, "R2P", Kind::move, Unit::integer, "a"},
    {0x005, "CS2R", Kind::move, Unit::integer, "D", Role::none, "set registers to 0"},
    {0x006, "VOTE", Kind::exchange, Unit::integer},
    {0x007, "SEL", Kind::integer, Unit::integer, "dab", Role::none, "choose one of two integers"},
    {0x008, "FSEL", Kind::floating_point, Unit::integer, "dab", Role::none,
     "choose one of two FP32 values"},
    {0x009, "FMNMX", Kind::floating_point, Unit::integer, "dab"},
    {0x00a, "FSET", Kind::floating_point, Unit::integer, "dab"},
    {0x00b, "FSETP", Kind::floating_point, Unit::integer, "ab"},
    {0x00c, "ISETP", Kind::integer, Unit::integer, "ab", Role::none,
     "compare integers: a loop's end, an index inside the matrix"},
    {0x00f, "VIMNMX3", Kind::integer, Unit::integer, "dabc"},
    {0x010, "IADD3", Kind::integer, Unit::integer, "dabc", Role::none,
     "add three integers: an address, a loop counter"},
    {0x011, "LEA", Kind::integer, Unit::integer, "dabc", Role::none,
     "shift and add: the address of an element"},
    {0x012, "LOP3", Kind::integer, Unit::integer, "dabc", Role::none, "logic of bits"},
    {0x013, "IABS", Kind::integer, Unit::integer, "db"},
    {0x014, "VABSDIFF", Kind::integer, Unit::integer, "dabc"},
    {0x015, "VABSDIFF4", Kind::integer, Unit::integer, "dabc"},
    {0x016, "PRMT", Kind::integer, Unit::integer, "dabc"},
    {0x017, "IMNMX", Kind::integer, Unit::integer, "dab"},
    {0x019, "SHF", Kind::integer, Unit::integer, "dabc", Role::none, "shift bits"},
    {0x01a, "SGXT", Kind::integer, Unit::integer, "dab"},
    {0x01b, "BMSK", Kind::integer, Unit::integer, "dab"},
    {0x01c, "PLOP3", Kind::integer, Unit::integer, "", Role::none,
     "combine the outcomes of comparisons"},
    {0x020, "FMUL", Kind::floating_point, Unit::fp32, "dab", Role::none, "multiply in FP32"},
    {0x021, "FADD", Kind::floating_point, Unit::fp32, "dab", Role::none, "add in FP32"},
    {0x023, "FFMA", Kind::ffma, Unit::fp32, "dabc", Role::none,
     "multiply and add in FP32: the work itself"},
    {0x024, "IMAD", Kind::integer, Unit::multiply, "dabc", Role::none,
     "multiply and add integers: an address, a copied register"},
    {0x025, "IMAD", Kind::integer, Unit::multiply, "DabC"},
    {0x026, "IDP", Kind::integer, Unit::multiply, "dabc"},
    {0x027, "IMAD", Kind::integer, Unit::multiply, "dabc"},
    {0x028, "DMUL", Kind::floating_point, Unit::fp64, "DAB"},
    {0x029, "DADD", Kind::floating_point, Unit::fp64, "DAC"},
    {0x02a, "DSETP", Kind::floating_point, Unit::fp64, "AB"},
    {0x02b, "DFMA", Kind::floating_point, Unit::fp64, "DABC"},
    {0x02d, "PREEXIT", Kind::control, Unit::other},
    {0x02e, "ACQBULK", Kind::synchronisation, Unit::other},
    {0x02f, "ELECT", Kind::exchange, Unit::other, "", Role::election},
    {0x030, "HADD2", Kind::floating_point, Unit::fp32, "dab"},
    {0x031, "HFMA2", Kind::floating_point, Unit::fp32, "dabc", Role::none,
     "multiply and add in FP16; mostly to set a register to a constant"},
    {0x032, "HMUL2", Kind::floating_point, Unit::fp32, "dab"},
    {0x034, "HSETP2", Kind::floating_point, Unit::fp32, "ab"},
    {0x035, "HFMA2", Kind::floating_point, Unit::fp32, "dabc"},  // IADD from sm_100 on
    {0x036, "VIADD", Kind::integer, Unit::integer, "dab", Role::none,
     "add integers: an address, a loop counter"},
    {0x037, "IMMA", Kind::tensor, Unit::tensor, "m", Role::none, "multiply matrices of integers"},
    {0x039, "I2IP", Kind::move, Unit::integer, "dabc"},
    {0x03a, "MOVM", Kind::exchange, Unit::other, "da", Role::none,
     "transpose a matrix of 8 × 8 elements in registers"},
    {0x03b, "LDSM", Kind::shared_load, Unit::memory, "la", Role::none,
     "load matrices of 8 × 8 elements from shared memory: ldmatrix"},
    {0x03c, "HMMA", Kind::tensor, Unit::tensor, "m", Role::none,
     "multiply matrices of FP16, BF16 or TF32 on tensor cores"},
    {0x03e, "F2FP", Kind::move, Unit::integer, "dab"},
    {0x03f, "DMMA", Kind::tensor, Unit::tensor, "m", Role::none, "multiply matrices of FP64"},
    {0x040, "HMNMX2", Kind::floating_point, Unit::integer, "dab"},
    {0x044, "STSM", Kind::shared_store, Unit::memory, "as", Role::none,
     "store matrices of 8 × 8 elements to shared memory: stmatrix"},
    {0x045, "I2FP", Kind::move, Unit::special, "db"},
    {0x046, "VIADDMNMX", Kind::integer, Unit::integer, "dabc"},
    {0x048, "VIMNMX", Kind::integer, Unit::integer, "dab"},
    {0x049, "FFMA2", Kind::floating_point, Unit::fp32, "DABC", Role::none,
     "multiply and add two pairs of FP32"},
    {0x04a, "UVIMNMX", Kind::integer, Unit::other},
    {0x04b, "FADD2", Kind::floating_point, Unit::fp32, "DAC"},
    {0x05a, "UI2F", Kind::move, Unit::other},
    {0x05e, "UI2FP", Kind::move, Unit::other},
    {0x076, "FMNMX3", Kind::floating_point, Unit::integer, "dabc"},
    {0x07a, "QMMA", Kind::tensor, Unit::tensor, "m", Role::none, "multiply matrices of FP8"},
    {0x082, "UMOV", Kind::move, Unit::other, "", Role::none, "copy a register of the whole warp"},
    {0x083, "UP2UR", Kind::move, Unit::other},
    {0x084, "UR2UP", Kind::move, Unit::other},
    {0x086, "VOTEU", Kind::exchange, Unit::other},
    {0x087, "USEL", Kind::integer, Unit::other},
    {0x08c, "UISETP", Kind::integer, Unit::other, "", Role::none,
     "compare integers for the whole warp"},
    {0x090, "UIADD3", Kind::integer, Unit::other, "", Role::none,
     "add three integers for the whole warp"},
    {0x091, "ULEA", Kind::integer, Unit::other},
    {0x092, "ULOP3", Kind::integer, Unit::other},
    {0x096, "UPRMT", Kind::integer, Unit::other},
    {0x097, "UIADD3", Kind::integer, Unit::other},
    {0x099, "USHF", Kind::integer, Unit::other},
    {0x09a, "USGXT", Kind::integer, Unit::other},
    {0x09b, "UBMSK", Kind::integer, Unit::other},
    {0x09c, "UPLOP3", Kind::integer, Unit::other},
    {0x0a4, "UIMAD", Kind::integer, Unit::other},
    {0x0a5, "UIMAD", Kind::integer, Unit::other},
    {0x0b9, "ULDC", Kind::move, Unit::other, "", Role::constant_load,
     "load a constant for the whole warp, such as a parameter of the kernel"},
    {0x0bd, "UFLO", Kind::integer, Unit::other},
    {0x0be, "UBREV", Kind::integer, Unit::other},
    {0x0bf, "UPOPC", Kind::integer, Unit::other},
    {0x0ca, "R2UR", Kind::move, Unit::other, "a"},
    {0x0cc, "CREDUX", Kind::exchange, Unit::integer},
    {0x100, "FLO", Kind::integer, Unit::special, "db"},
    {0x101, "BREV", Kind::integer, Unit::special, "db"},
    {0x102, "FCHK", Kind::floating_point, Unit::special, "ab"},
    {0x105, "F2I", Kind::move, Unit::special, "db"},
    {0x106, "I2F", Kind::move, Unit::special, "db"},
    {0x107, "FRND", Kind::floating_point, Unit::special, "db"},
    {0x108, "MUFU", Kind::floating_point, Unit::special, "db"},
    {0x109, "POPC", Kind::integer, Unit::special, "db"},
    {0x110, "F2F", Kind::move, Unit::special, "db"},
    {0x111, "F2I", Kind::move, Unit::special, "db"},
    {0x112, "I2F", Kind::move, Unit::special, "db"},
    {0x113, "FRND", Kind::floating_point, Unit::special, "DB"},
    {0x118, "NOP", Kind::control, Unit::other},
    {0x119, "S2R", Kind::move, Unit::other, "d", Role::none,
     "read a special register, such as threadIdx.x"},
    {0x11a, "DEPBAR", Kind::synchronisation, Unit::other, "", Role::group_wait,
     "wait for asynchronous copies"},
    {0x11b, "ENDCOLLECTIVE", Kind::synchronisation, Unit::other},
    {0x11c, "B2R", Kind::move, Unit::other, "d"},
    {0x11d, "BAR", Kind::synchronisation, Unit::other, "", Role::block_barrier,
     "wait for the other threads of the block: __syncthreads()"},
    {0x141, "BSYNC", Kind::control, Unit::other, "", Role::none,
     "wait for the lanes of a warp that diverged"},
    {0x142, "BREAK", Kind::control, Unit::other},
    {0x143, "CALL", Kind::control, Unit::other, "", Role::call},
    {0x144, "CALL", Kind::control, Unit::other, "", Role::call},
    {0x145, "BSSY", Kind::control, Unit::other, "", Role::none,
     "prepare for lanes of a warp to diverge"},
    {0x146, "YIELD", Kind::control, Unit::other},
    {0x147, "BRA", Kind::control, Unit::other, "", Role::none,
     "jump: to the next iteration, or past code that is skipped"},
    {0x148, "WARPSYNC", Kind::synchronisation, Unit::other},
    {0x149, "BRX", Kind::control, Unit::other, "", Role::jump_by_register},
    {0x14d, "EXIT", Kind::control, Unit::other, "", Role::exit, "end the thread"},
    {0x14e, "LEPC", Kind::move, Unit::other, "d"},
    {0x150, "RET", Kind::control, Unit::other, "", Role::returning},
    {0x155, "BMOV", Kind::control, Unit::other},
    {0x158, "BRXU", Kind::control, Unit::other, "", Role::jump_by_register},
    {0x15c, "BPT", Kind::control, Unit::other},
    {0x15d, "NANOSLEEP", Kind::control, Unit::other},
    {0x180, "LD", Kind::global_load, Unit::memory, "lA"},
    {0x181, "LDG", Kind::global_load, Unit::memory, "lA", Role::none, "load from global memory"},
    {0x182, "LDC", Kind::move, Unit::other, "la", Role::constant_load,
     "load a constant, such as a parameter of the kernel"},
    {0x183, "LDL", Kind::local_load, Unit::memory, "la", Role::none,
     "load from local memory, such as a register that was spilled"},
    {0x184, "LDS", Kind::shared_load, Unit::memory, "la", Role::none, "load from shared memory"},
    {0x185, "ST", Kind::global_store, Unit::memory, "Ac"},
    {0x186, "STG", Kind::global_store, Unit::memory, "As", Role::none, "store to global memory"},
    {0x187, "STL", Kind::local_store, Unit::memory, "as", Role::none,
     "store to local memory: spill a register"},
    {0x188, "STS", Kind::shared_store, Unit::memory, "as", Role::none, "store to shared memory"},
    {0x189, "SHFL", Kind::exchange, Unit::memory},
    {0x18a, "ATOM", Kind::atomic, Unit::memory},
    {0x18c, "ATOMS", Kind::atomic, Unit::memory},
    {0x18d, "ATOMS", Kind::atomic, Unit::memory},
    {0x18e, "RED", Kind::atomic, Unit::memory},
    {0x18f, "CCTL", Kind::synchronisation, Unit::other},
    {0x192, "MEMBAR", Kind::synchronisation, Unit::other},
    {0x1a1, "MATCH", Kind::exchange, Unit::special},
    {0x1a3, "ATOMG", Kind::atomic, Unit::memory},
    {0x1a6, "REDG", Kind::atomic, Unit::memory},
    {0x1a7, "SYNCS", Kind::synchronisation, Unit::other, "", Role::none,
     "arrive at a barrier in shared memory, or test it"},
    {0x1a8, "ATOMG", Kind::atomic, Unit::memory},
    {0x1a9, "ATOMG", Kind::atomic, Unit::memory},
    {0x1ab, "ERRBAR", Kind::synchronisation, Unit::other},
    {0x1ac, "LDCU", Kind::move, Unit::other},
    {0x1ae, "LDGSTS", Kind::copy, Unit::memory, "At", Role::none,
     "copy from global to shared memory, past the registers"},
    {0x1af, "LDGDEPBAR", Kind::synchronisation, Unit::other, "", Role::group_end,
     "close a group of asynchronous copies"},
    {0x1b0, "ARRIVES", Kind::synchronisation, Unit::other, "", Role::phase_arrival},
    {0x1b1, "SYNCS", Kind::synchronisation, Unit::other},
    {0x1b2, "SYNCS", Kind::synchronisation, Unit::other},
    {0x1ba, "UBLKCP", Kind::copy, Unit::memory, "", Role::bulk_copy},
    {0x1c3, "S2UR", Kind::move, Unit::other},
    {0x1c4, "REDUX", Kind::exchange, Unit::special},
    {0x1c6, "FENCE", Kind::synchronisation, Unit::other},
    {0x1c7, "UCGABAR", Kind::synchronisation, Unit::other},
};

constexpr int blackwell = 100, hopper = 90, ampere = 80;
constexpr std::uint16_t operation_bits = 0x1ff, branch = 0x147, uniform_branch = 0x547,
                        relative_call = 0x944, ffma_of_registers = 0x223;

std::uint64_t field(std::uint64_t word, int begin, int bits) {
  return word >> begin & ((std::uint64_t{1} << bits) - 1);
}

Name name_of_opcode(std::uint16_t opcode, int architecture) {
  const std::uint16_t operation = opcode & operation_bits;
  if (opcode == 0xe07) return {operation, "SEL", Kind::integer, Unit::integer, "DA"};  // of 64 bits
  if (operation == 0x035 && architecture >= blackwell)
    return {operation, "IADD", Kind::integer, Unit::integer, "DAB"};
  if (opcode == 0x24a) return {operation, "FMUL2", Kind::floating_point, Unit::fp32, "DAB"};
  // Other forms of SYNCS arrive, or begin a barrier.
  if (opcode == 0x5a7)
    return {operation, "SYNCS", Kind::synchronisation, Unit::other, "", Role::phase_wait};
  const auto* const found = std::ranges::lower_bound(names, operation, {}, &Name::opcode);
  if (found == std::end(names) || found->opcode != operation)
    return {operation, "", Kind::unknown, Unit::other};
  return *found;
}

constexpr std::uint16_t matrix_load = 0x03b, matrix_store = 0x044;

int access_bits(std::uint16_t operation, std::uint64_t high) {
  if (operation == matrix_load || operation == matrix_store)
    return 32 << field(high, 8, 2);  // of one, two or four matrices
  constexpr std::array<int, 8> bits = {8, 8, 16, 16, 32, 64, 128, 128};
  return bits[field(high, 9, 3)];
}

constexpr std::uint16_t product_of_integers = 0x037, product_of_halves = 0x03c,
                        product_of_doubles = 0x03f, product_of_bytes = 0x07a;

// A product of matrices: what it multiplies, its rows, and its depth. It has 8 columns.
struct ProductShape {
  Product product = Product::none;
  int rows = 16, depth = 16;
  bool is_shallow = false;

  int fmas() const { return rows * 8 * depth; }
};

// From Ampere on, the assembler lets a product of 8 rows take as long as one of 16.
ProductShape product_shape(std::uint16_t operation, std::uint64_t high, int architecture) {
  const bool is_deep = field(high, 11, 1) != 0;
  switch (operation) {
    case product_of_integers:
      return {Product::int8, architecture >= ampere || field(high, 22, 1) != 0 ? 16 : 8,
              is_deep ? 32 : 16, !is_deep};
    case product_of_bytes:
      return {field(high, 13, 1) != 0 ? Product::fp8_fp32 : Product::fp8, 16, is_deep ? 32 : 16,
              !is_deep};
    case product_of_doubles: {
      const int depth = 4 << field(high, 12, 2) >> 1;
      return depth == 2 ? ProductShape{Product::fp64, 8, 4}
                        : ProductShape{Product::fp64, 16, depth};
    }
    case product_of_halves:
      break;
    default:
      return {};
  }
  if (field(high, 19, 1) != 0) {
    const bool is_shallow = field(high, 14, 1) != 0;
    return {Product::tf32, 16, is_shallow ? 4 : 8, is_shallow};
  }
  return {field(high, 12, 1) != 0 ? Product::fp16_fp32 : Product::fp16, 16, is_deep ? 16 : 8,
          !is_deep};
}

// How many registers D (and C), A and B of a product of matrices take, by its shape.
struct ProductRegisters {
  int d, a, b;
};

ProductRegisters product_registers(std::uint16_t operation, std::uint64_t high) {
  const bool is_deep = field(high, 11, 1) != 0;
  if (operation == product_of_doubles) {
    const int depth = 1 << field(high, 12, 2);  // a quarter of it, except that of the first shape
    return depth == 1 ? ProductRegisters{4, 2, 2} : ProductRegisters{8, 2 * depth, depth};
  }
  if (operation == product_of_integers && field(high, 22, 1) == 0) return {2, 1, 1};  // of 8 rows
  const bool is_wide =
      operation == product_of_integers || field(high, operation == product_of_bytes ? 13 : 12, 1);
  const bool is_tf32 =
      operation == product_of_halves && field(high, 19, 1) != 0 && field(high, 14, 1) == 0;
  const int depth = is_deep || is_tf32 ? 2 : 1;
  return {is_wide ? 4 : 2, 2 * depth, depth};
}

// Form 1 has registers alone. In forms 4, 5 and 6 the second operand is an immediate, a constant or
// a uniform register; in forms 2, 3 and 7 the third is, and the second has the third's place.
void set_operands(Instruction& instruction, std::string_view operands, std::uint64_t low,
                  std::uint64_t high) {
  const std::uint64_t form = field(low, 9, 3);
  const bool is_third_other = form == 2 || form == 3 || form == 7;
  const bool has_third = operands.find_first_of("cC") != std::string_view::npos;
  const auto operation = static_cast<std::uint16_t>(field(low, 0, 9));
  const int registers_of_access = std::max(1, access_bits(operation, high) / 32);
  const auto read = [](std::uint64_t word, int begin, int count) {
    const int first = static_cast<int>(field(word, begin, 8));
    return first == no_register ? Registers{} : Registers{first, count};
  };
  auto& [a, b, c] = instruction.sources;
  for (const char letter : operands) {
    const int count = std::isupper(static_cast<unsigned char>(letter)) != 0 ? 2 : 1;
    switch (letter) {
      case 'd':
      case 'D':
        instruction.destination = read(low, 16, count);
        break;
      case 'l':
        instruction.destination = read(low, 16, registers_of_access);
        break;
      case 'a':
      case 'A':
        a = read(low, 24, count);
        break;
      case 'b':
      case 'B':
        if (form == 1) b = read(low, 32, count);
        if (is_third_other && has_third) b = read(high, 0, count);
        break;
      case 'c':
      case 'C':
        if (!is_third_other) c = read(high, 0, count);
        break;
      case 's':
        b = read(low, 32, registers_of_access);
        break;
      case 't':
        b = read(low, 16, count);
        break;
      case 'm':
        const ProductRegisters product = product_registers(operation, high);
        instruction.destination = read(low, 16, product.d);
        a = read(low, 24, product.a);
        b = read(low, 32, product.b);
        c = read(high, 0, product.d);
        break;
    }
  }
}

// The displacement counts from the next instruction: bytes, of 50 bits from bit 32 of the low word
// on; from Hopper on words of 4 bytes, whose lowest 8 bits are elsewhere.
std::uint32_t branch_target(std::uint64_t low, std::uint64_t high, std::uint32_t address,
                            int architecture) {
  constexpr int word_bits = 64;
  const auto sign_extended = [](std::uint64_t value, int bits) {
    return static_cast<std::int64_t>(value << (word_bits - bits)) >> (word_bits - bits);
  };
  const std::uint64_t upper = field(high, 0, 18);
  const std::int64_t displacement =
      architecture >= hopper
          ? sign_extended(upper << 38 | field(low, 34, 30) << 8 | field(low, 16, 8), 56) * 4
          : sign_extended(upper << 32 | field(low, 32, 32), 50);
  return static_cast<std::uint32_t>(address + 16 + displacement);
}

}  // namespace

bool is_load_or_store(Kind kind) {
  switch (kind) {
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::global_load:
    case Kind::global_store:
    case Kind::local_load:
    case Kind::local_store:
      return true;
    default:
      return false;
  }
}

std::string_view words_for(Product product) {
  constexpr std::array<std::string_view, products> texts = {
      "", "FP16", "FP16 with sums in FP32", "TF32", "INT8", "FP8", "FP8 with sums in FP32", "FP64"};
  return texts[static_cast<std::size_t>(product)];
}

std::string_view meaning_of(std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &Name::name);
  return found == std::end(names) ? "" : found->meaning;
}

bool Instruction::is_exit() const { return role == Role::exit || role == Role::returning; }

Instruction decode(std::uint64_t low, std::uint64_t high, std::uint32_t address, int architecture) {
  Instruction result;
  result.address = address;
  result.opcode = static_cast<std::uint16_t>(field(low, 0, 12));
  const Name name = name_of_opcode(result.opcode, architecture);
  result.name = name.name;
  result.kind = name.kind;
  result.unit = name.unit;
  result.role = name.role;
  result.bits =
      is_load_or_store(result.kind) ? access_bits(result.opcode & operation_bits, high) : 0;
  if (result.kind == Kind::tensor) {
    const ProductShape shape = product_shape(result.opcode & operation_bits, high, architecture);
    result.product = shape.product;
    result.fmas = shape.fmas();
    result.is_shallow = shape.is_shallow;
  }
  set_operands(result, name.operands, low, high);
  result.predicate = static_cast<int>(field(low, 12, 3));
  result.is_negated = field(low, 15, 1) != 0;
  if ((result.opcode & operation_bits) == branch) {
    constexpr std::uint64_t always = 7;
    result.has_condition = result.opcode == uniform_branch || field(high, 23, 4) != always;
    result.target = branch_target(low, high, address, architecture);
  }
  if (result.opcode == relative_call) {
    result.target = branch_target(low, high, address, architecture);
  }
  if (result.opcode == ffma_of_registers) {
    result.is_plain_ffma = field(low, 40, 24) == 0 && field(high, 8, 33) == 0;
  }
  if (result.role == Role::group_wait) result.pending = static_cast<int>(field(low, 38, 6));
  result.stall = static_cast<int>(field(high, 41, 4));
  result.yields = field(high, 45, 1) != 0;
  result.write_barrier = static_cast<int>(field(high, 46, 3));
  result.read_barrier = static_cast<int>(field(high, 49, 3));
  result.wait_mask = static_cast<int>(field(high, 52, 6));
  result.reuse = static_cast<int>(field(high, 58, 4));
  return result;
}

std::string name_with_width(const Instruction& instruction) {
  const std::string text = instruction.name.empty()
                               ? fmt::format("opcode {:#x}", instruction.opcode)
                               : std::string(instruction.name);
  const bool is_wide = instruction.bits == 64 || instruction.bits == 128;
  return is_wide ? text + "." + std::to_string(instruction.bits) : text;
}

std::string text_of(const Instruction& instruction) {
  std::string text;
  if (instruction.predicate != 7 || instruction.is_negated) {
    const std::string number =
        instruction.predicate == 7 ? "T" : std::to_string(instruction.predicate);
    text = fmt::format("@{}P{} ", instruction.is_negated ? "!" : "", number);
  }
  return text + name_with_width(instruction);
}

std::string text_with_operands(const Instruction& ffma) {
  const auto name_of_register = [](const Registers& operand) {
    return operand.count == 0 ? std::string("RZ") : fmt::format("R{}", operand.first);
  };
  std::string text = fmt::format("{} {}", text_of(ffma), name_of_register(ffma.destination));
  for (std::size_t slot = 0; slot < ffma.sources.size(); ++slot) {
    const bool is_kept = (ffma.reuse >> slot & 1) != 0;
    text += fmt::format(", {}{}", name_of_register(ffma.sources[slot]), is_kept ? ".reuse" : "");
  }
  return text;
}

}  // namespace machine

std::string_view name_of(InstructionKind kind) {
  constexpr std::array<std::string_view, instruction_kinds> names = {
      "ffma",        "floating_point", "integer",     "move",         "memory",
      "shared_load", "shared_store",   "global_load", "global_store", "local_load",
      "local_store", "copy",           "atomic",      "control",      "synchronisation",
      "exchange",    "tensor",         "unknown"};
  static_assert(!names.back().empty());
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace gemm_tutor::simt
