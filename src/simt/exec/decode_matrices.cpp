#include <fmt/format.h>

#include "simt/exec/decoder.hpp"

namespace gemm_tutor::simt {

std::optional<int> Decoder::matrix_fmas(std::string_view opcode) const {
  const bool is_wmma = opcode.starts_with("wmma.");
  if (is_wmma && !opcode.starts_with("wmma.mma.")) return 0;
  if (!is_wmma && !opcode.starts_with("mma.")) return {};
  const std::optional<MatrixProduct> product = simt::matrix_product(opcode, architecture_);
  if (!product) return {};
  return multiply_adds(*product);
}

void Decoder::matrix(const ptx::Statement& s) {
  if (s.row->kind == InstructionKind::tensor) return matrix_product(s);
  if (s.opcode.starts_with("wmma.")) return matrix_access(s);
  matrix_move(s);
}

// mma.sync or wmma.mma.sync: d, a, b, c
void Decoder::matrix_product(const ptx::Statement& s) {
  const std::optional<MatrixProduct> product = simt::matrix_product(s.opcode, architecture_);
  if (!product || s.operands.size() != 4) unsupported(s);
  Draft result = at_line(s);
  const int bits = product->a == MatrixElement::f64 ? 64 : 32;
  const int parts = product->parts_down * product->parts_across;
  const int of_sums = product->registers_of_d * parts;
  const int of_a = product->registers_of_a * product->parts_down;
  const int of_b = product->registers_of_b * product->parts_across;
  struct List {
    std::size_t operand;
    int registers;
  };
  const bool is_transposed = product->is_transposed;
  const List lists[] = {{0, of_sums},
                        {is_transposed ? 2u : 1u, of_a},
                        {is_transposed ? 1u : 2u, of_b},
                        {3, product->registers_of_c * parts}};
  std::size_t next = 0;
  for (const auto& [operand, registers] : lists) {
    const std::vector<ptx::Operand> elements = elements_of(s.operands[operand]);
    // Fragments of FP16 have eight registers, which may be the same ones twice.
    const bool may_repeat = s.opcode.starts_with("wmma.") && product->a == MatrixElement::f16 &&
                            (operand == 1 || operand == 2);
    const auto count = static_cast<int>(elements.size());
    if (count != registers && !(may_repeat && count == 8))
      unsupported(s, fmt::format(" with {} registers", count));
    for (int r = 0; r < registers; ++r) {
      const ptx::Operand& element = elements[static_cast<std::size_t>(r)];
      result.places[next++] =
          operand == 0 ? destination(s, element, bits) : place(s, element, bits);
    }
  }
  result.setting = static_cast<std::int32_t>(program_.products.size());
  program_.products.push_back(*product);
  emit(result, "multiply_matrices", s);
}

// A temporary register of the statement, by its number.
Operand Decoder::temporary(int bits, std::size_t number) {
  std::vector<Operand>& pool = body_.temporaries[bits];
  while (pool.size() <= number) pool.push_back(scratch(bits));
  return pool[number];
}

// wmma.load {registers}, [address], stride; wmma.store [address], {registers}, stride. Each tile of
// 8 lines is accessed as the assembler does it: 16-bit elements that are not adjacent are
// transposed on the way, and others accessed one by one.
void Decoder::matrix_access(const ptx::Statement& s) {
  const std::optional<MatrixAccess> access = simt::matrix_access(s.opcode);
  if (!access || s.operands.size() < 2 || s.operands.size() > 3) unsupported(s);
  const int bits = access->element == MatrixElement::f64 ? 64 : 32;
  const ptx::Operand& at = s.operands[access->is_store ? 0 : 1];
  const ptx::Space space = ptx::space_of(s.opcode);
  Draft address = at_line(s);
  address.offset = at.offset;
  address.places[1] = address_base(s, at, space == ptx::Space::shared ? 32 : 64, address);
  if (space != ptx::Space::shared) address.wide_address = true;
  address.places[2] = s.operands.size() == 3
                          ? place(s, s.operands[2], 32)
                          : immediate(static_cast<std::uint64_t>(access->stride), 32);
  std::vector<Operand> registers;
  for (const ptx::Operand& element : elements_of(s.operands[access->is_store ? 1 : 0])) {
    registers.push_back(access->is_store ? place(s, element, bits) : destination(s, element, bits));
  }
  if (static_cast<int>(registers.size()) != access->all_registers)
    unsupported(s, fmt::format(" with {} registers", registers.size()));
  // Loads come to temporaries first, because the address may be in a register of the result.
  const std::size_t unique = access->tiles.size() * static_cast<std::size_t>(access->registers);
  std::vector<Operand> places = registers;
  if (!access->is_store) {
    for (std::size_t r = 0; r < unique; ++r) places[r] = temporary(bits, 8 + r);
  }
  emit(at_line(s), "whole_warp", s);
  for (const MatrixAccess::Tile& tile : access->tiles)
    tile_access(s, *access, address, tile, places);
  for (std::size_t r = 0; !access->is_store && r < registers.size(); ++r) {
    Draft copy = at_line(s);
    copy.places[0] = registers[r], copy.places[1] = places[r % unique];
    emit(copy, bits == 64 ? "mov.b64" : "mov.b32", s);
  }
}

void Decoder::tile_access(const ptx::Statement& s, const MatrixAccess& access, Draft address,
                          const MatrixAccess::Tile& tile, const std::vector<Operand>& registers) {
  const int bits = bits_of(access.element);
  const bool is_transposed = !access.along_memory && bits == 16;
  const bool is_adjacent = access.along_memory || is_transposed;
  const int vector = is_adjacent && access.registers == 2 ? 2 : 1;
  const int bytes = is_adjacent ? access.elements * bits / 8 : bits / 8;
  const auto operand = [&](int number) { return registers[tile.reg + number]; };
  const ptx::Space space = ptx::space_of(s.opcode);
  const std::string width = vector == 1 ? "" : ".v2";
  const std::string name = space == ptx::Space::generic ? "" : fmt::format(".{}", name_of(space));
  const char* const type = bytes / vector == 1   ? (access.is_store ? "b8" : "u8")
                           : bytes / vector == 8 ? "b64"
                                                 : "b32";
  // Accesses `bytes` of each lane, `along` elements behind its first, in these registers.
  const auto access_lanes = [&](int along, const std::vector<Operand>& values) {
    Draft at = address;
    // The lines are one after the other in memory, except where elements are accessed one by one.
    const TilePlace place = access.along_memory ? TilePlace{tile.line, tile.along}
                            : is_transposed     ? TilePlace{tile.along, tile.line}
                                                : TilePlace{tile.along + along, tile.line};
    at.places[0] = temporary(64, 7);
    at.setting = place.packed(access.elements, bits / 8, is_adjacent);
    emit(at, "address_in_matrix", s);
    Draft result = at_line(s);
    result.wide_address = true;
    result.places[access.is_store ? 0 : 5] = at.places[0];
    for (std::size_t v = 0; v < values.size(); ++v)
      result.places[access.is_store ? 1 + v : v] = values[v];
    result.index =
        counted_request({access.is_store ? CountedAccess::Kind::store : CountedAccess::Kind::load,
                         space, s.line, bytes, bytes / vector},
                        {});
    emit(result, fmt::format("{}{}{}.{}", access.is_store ? "st" : "ld", name, width, type), s);
  };
  const auto transpose = [&](Operand to, Operand from) {
    Draft result = at_line(s);
    result.places[0] = to, result.places[1] = from;
    emit(result, "transpose_matrix", s);
  };
  if (is_transposed) {
    const Operand turned = temporary(32, 6);
    if (access.is_store) transpose(turned, operand(0));
    access_lanes(0, {turned});
    if (!access.is_store) transpose(operand(0), turned);
  } else if (is_adjacent) {
    access_lanes(0, vector == 2 ? std::vector{operand(0), operand(1)} : std::vector{operand(0)});
  } else if (bits == 8) {
    for (int e = 0; e < access.elements; ++e) {
      const Operand byte = temporary(32, 6);
      access_lanes(e, {byte});
      Draft insert = at_line(s);
      insert.places[0] = operand(0), insert.places[1] = byte;
      insert.places[2] = e == 0 ? immediate(0, 32) : operand(0);
      insert.places[3] = immediate(8 * static_cast<std::uint64_t>(e), 32);
      insert.places[4] = immediate(8, 32);
      emit(insert, "bfi.b32", s);
    }
  } else {
    for (int r = 0; r < access.registers; ++r) access_lanes(r, {operand(r)});
  }
}

// ldmatrix d, [address]; stmatrix [address], a; movmatrix d, a
void Decoder::matrix_move(const ptx::Statement& s) {
  const std::optional<MatrixMove> move = simt::matrix_move(s.opcode);
  if (!move || s.operands.size() != 2) unsupported(s);
  Draft result = at_line(s);
  if (move->kind == MatrixMove::Kind::transpose) {
    result.places[0] = destination(s, s.operands[0], 32);
    result.places[1] = place(s, s.operands[1], 32);
    return emit(result, "transpose_matrix", s);
  }
  constexpr std::size_t words_of_row = 4, registers_from = 6;
  const bool is_store = move->kind == MatrixMove::Kind::store;
  const ptx::Operand& address = s.operands[is_store ? 0 : 1];
  const std::vector<ptx::Operand> registers = elements_of(s.operands[is_store ? 1 : 0]);
  if (static_cast<int>(registers.size()) != move->count) unsupported(s);
  result.offset = address.offset;
  result.places[is_store ? 0 : 5] = address_base(s, address, 32, result);
  for (std::size_t word = 0; word < words_of_row; ++word) {
    result.places[word + (is_store ? 1 : 0)] = temporary(32, word);
  }
  for (std::size_t r = 0; r < registers.size(); ++r) {
    result.places[registers_from + r] =
        is_store ? place(s, registers[r], 32) : destination(s, registers[r], 32);
  }
  result.index = counted({is_store ? CountedAccess::Kind::store : CountedAccess::Kind::load,
                          ptx::Space::shared, s.line, 4 * static_cast<int>(words_of_row)});
  const bool is_generic = ptx::space_of(s.opcode) == ptx::Space::generic && result.wide_address;
  result.setting = move->count << 2 | (is_generic ? 2 : 0) | (move->transposed ? 1 : 0);
  emit(result, is_store ? "store_matrices" : "load_matrices", s);
}

}  // namespace gemm_tutor::simt
