#include "simt/machine/line_table.hpp"

#include <array>
#include <utility>

#include "simt/machine/byte_reader.hpp"

namespace gemm_tutor::machine {
namespace {

// The data of a unit's header.
struct Header {
  std::size_t program = 0, end = 0;  // in the section
  std::uint64_t shortest = 1;        // instruction, in bytes
  int line_base = 0, line_range = 1;
  std::uint64_t first_special = 1;
  std::vector<std::uint64_t> operands;  // of each standard opcode, from 1
};

Header read_header(ByteReader& section) {
  Header header;
  const std::uint64_t length = section.integer(4);
  header.end = section.position() + length;
  const std::uint64_t version = section.integer(2);
  const std::uint64_t rest = section.integer(4);
  header.program = section.position() + rest;
  header.shortest = section.integer(1);
  if (version >= 4) section.skip(1);  // operations in an instruction of several
  section.skip(1);                    // whether a row begins a statement
  header.line_base = static_cast<std::int8_t>(section.integer(1));
  header.line_range = static_cast<int>(section.integer(1));
  if (header.line_range == 0) header.line_range = 1;
  header.first_special = section.integer(1);
  header.operands.push_back(0);
  for (std::uint64_t opcode = 1; opcode < header.first_special; ++opcode) {
    header.operands.push_back(section.integer(1));
  }
  return header;
}

enum Opcode {
  extended = 0,
  copy = 1,
  advance_address = 2,
  advance_line = 3,
  add_constant = 8,
  advance_fixed = 9,
};
enum ExtendedOpcode { end_sequence = 1, set_address = 2 };

// Runs the program of one unit.
class Machine {
 public:
  Machine(ByteReader& section, const Header& header) : section_(section), header_(header) {}

  std::vector<LineSequence> run() {
    section_.seek(header_.program);
    while (section_.position() < header_.end) step();
    return std::move(sequences_);
  }

 private:
  void row() { sequence_.rows.push_back({address_, line_ > 0 ? line_ : 0}); }

  void step() {
    const std::uint64_t opcode = section_.integer(1);
    if (opcode >= header_.first_special) return special(opcode - header_.first_special);
    switch (opcode) {
      case extended:
        return extended_step();
      case copy:
        return row();
      case advance_address:
        address_ += section_.unsigned_leb() * header_.shortest;
        return;
      case advance_line:
        line_ += static_cast<int>(section_.signed_leb());
        return;
      case add_constant:
        address_ += (255 - header_.first_special) / static_cast<std::uint64_t>(header_.line_range) *
                    header_.shortest;
        return;
      case advance_fixed:
        address_ += section_.integer(2);
        return;
      default:
        for (std::uint64_t i = 0; i < header_.operands[opcode]; ++i) section_.unsigned_leb();
    }
  }

  void special(std::uint64_t code) {
    const auto range = static_cast<std::uint64_t>(header_.line_range);
    address_ += code / range * header_.shortest;
    line_ += header_.line_base + static_cast<int>(code % range);
    row();
  }

  // NVIDIA has opcodes of its own, for inlined functions, which are skipped.
  void extended_step() {
    const std::uint64_t length = section_.unsigned_leb();
    const std::size_t begin = section_.position();
    const std::uint64_t opcode = length > 0 ? section_.integer(1) : 0;
    if (opcode == set_address) {
      sequence_.address_at = section_.position();
      address_ = section_.integer(8);
    } else if (opcode == end_sequence) {
      sequences_.push_back(std::exchange(sequence_, {}));
      address_ = 0;
      line_ = 1;
    }
    section_.seek(begin);
    section_.skip(length);
  }

  ByteReader& section_;
  const Header& header_;
  std::uint64_t address_ = 0;
  int line_ = 1;
  LineSequence sequence_;
  std::vector<LineSequence> sequences_;
};

}  // namespace

std::vector<LineSequence> read_line_table(std::span<const char> section) {
  std::vector<LineSequence> result;
  ByteReader reader(section);
  while (!reader.at_end()) {
    const Header header = read_header(reader);
    for (LineSequence& sequence : Machine(reader, header).run()) {
      result.push_back(std::move(sequence));
    }
    reader.seek(header.end);
  }
  return result;
}

}  // namespace gemm_tutor::machine
