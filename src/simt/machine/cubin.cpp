#include "simt/machine/cubin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "support/error.hpp"

namespace gemm_tutor::simt::machine {
namespace {

struct Section {
  std::string_view name;
  std::uint64_t type = 0;
  std::span<const char> bytes;
  std::uint64_t of = 0;  // section, of relocations
};

// Types of sections and the sizes of their entries, from the ELF specification.
constexpr std::uint64_t with_addends = 4, no_bytes = 8, without_addends = 9;
constexpr std::uint64_t symbol_bytes = 24;

[[noreturn]] void not_a_cubin(const std::string& why) {
  throw Error(ExitStatus::unavailable, fmt::format("the compiled kernel cannot be read: {}", why),
              "Remove the kernel cache, and run the command again.");
}

class Elf {
 public:
  explicit Elf(std::span<const char> file) : file_(file) {
    ByteReader reader(file);
    constexpr std::uint64_t elf_of_64_bits = 0x02464c457f;
    if (file.size() < 64 || reader.integer(5) != elf_of_64_bits) not_a_cubin("it is no ELF file");
    reader.seek(8);
    const std::uint64_t abi = reader.integer(1);
    reader.seek(0x28);
    const std::uint64_t table = reader.integer(8);
    const std::uint64_t flags = reader.integer(4);
    // CUDA 13 has the architecture one byte further on than CUDA 12.
    architecture_ = static_cast<int>(flags >> (abi >= 8 ? 8 : 0) & 0xff);
    reader.seek(0x3a);
    const std::uint64_t size = reader.integer(2), count = reader.integer(2);
    const std::uint64_t names = reader.integer(2);
    std::vector<std::uint64_t> name_at;
    for (std::uint64_t i = 0; i < count; ++i) {
      reader.seek(table + i * size);
      name_at.push_back(reader.integer(4));
      Section& section = sections_.emplace_back();
      section.type = reader.integer(4);
      reader.skip(16);
      const std::uint64_t begin = reader.integer(8), length = reader.integer(8);
      if (section.type != no_bytes && section.type != 0)
        section.bytes = reader.bytes(begin, length);
      reader.skip(4);
      section.of = reader.integer(4);
    }
    if (names >= count) not_a_cubin("its sections have no names");
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      ByteReader text(sections_[names].bytes);
      text.seek(name_at[i]);
      sections_[i].name = text.text();
    }
  }

  int architecture() const { return architecture_; }

  // Its number; 0, which is no section's, where there is none.
  std::size_t find(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? 0 : static_cast<std::size_t>(found - sections_.begin());
  }
  const Section& section(std::size_t number) const { return sections_[number]; }

  // Where, in the section, the address of something in section `target` is to be filled in.
  std::vector<std::uint64_t> references(std::size_t from, std::size_t target) const {
    std::vector<std::uint64_t> places;
    for (const Section& section : sections_) {
      if (section.of != from) continue;
      if (section.type != with_addends && section.type != without_addends) continue;
      const std::uint64_t bytes = section.type == with_addends ? 24 : 16;
      ByteReader reader(section.bytes);
      for (std::size_t at = 0; at + bytes <= section.bytes.size(); at += bytes) {
        reader.seek(at);
        const std::uint64_t place = reader.integer(8);
        if (section_of_symbol(reader.integer(8) >> 32) == target) places.push_back(place);
      }
    }
    return places;
  }

 private:
  std::uint64_t section_of_symbol(std::uint64_t symbol) const {
    ByteReader reader(sections_[find(".symtab")].bytes);
    reader.seek(symbol * symbol_bytes + 6);
    return reader.integer(2);
  }

  std::span<const char> file_;
  int architecture_ = 0;
  std::vector<Section> sections_;
};

std::vector<LineRow> lines_of(const Elf& elf, std::string_view table, std::size_t code) {
  const std::size_t number = elf.find(table);
  if (number == 0) return {};
  const std::vector<std::uint64_t> places = elf.references(number, code);
  for (LineSequence& sequence : read_line_table(elf.section(number).bytes)) {
    if (std::ranges::count(places, sequence.address_at)) return std::move(sequence.rows);
  }
  return {};
}

}  // namespace

KernelImage read_cubin(std::span<const char> cubin, std::string_view kernel) {
  const Elf elf(cubin);
  const std::size_t code = elf.find(fmt::format(".text.{}", kernel));
  if (code == 0) not_a_cubin(fmt::format("it has no kernel '{}'", kernel));
  KernelImage image;
  image.architecture = elf.architecture();
  const std::span<const char> bytes = elf.section(code).bytes;
  ByteReader reader(bytes);
  for (std::size_t word = 0; word < bytes.size() / 16 * 2; ++word) {
    image.words.push_back(reader.integer(8));
  }
  image.ptx_lines = lines_of(elf, ".nv_debug_line_sass", code);
  return image;
}

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

namespace {

[[noreturn]] void cut_off() {
  throw Error(ExitStatus::unavailable, "the compiled kernel is cut off",
              "Remove the kernel cache, and run the command again.");
}

}  // namespace

void ByteReader::seek(std::uint64_t position) {
  if (position > bytes_.size()) cut_off();
  at_ = position;
}

void ByteReader::skip(std::uint64_t count) {
  if (count > bytes_.size() - at_) cut_off();
  at_ += count;
}

std::uint64_t ByteReader::integer(int bytes) {
  std::uint64_t result = 0;
  for (int byte = 0; byte < bytes; ++byte) {
    if (at_end()) cut_off();
    result |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at_++])} << 8 * byte;
  }
  return result;
}

// Seven bits per byte, lowest first. The highest bit is set if another byte follows.
std::uint64_t ByteReader::unsigned_leb() {
  std::uint64_t result = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint64_t byte = integer(1);
    if (shift < 64) result |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return result;
  }
}

std::int64_t ByteReader::signed_leb() {
  std::uint64_t result = 0;
  for (int shift = 0;;) {
    const std::uint64_t byte = integer(1);
    if (shift < 64) result |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift < 64) result |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(result);
  }
}

std::string_view ByteReader::text() {
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
  const auto end = std::find(begin, bytes_.end(), '\0');
  if (end == bytes_.end()) cut_off();
  at_ = static_cast<std::size_t>(end - bytes_.begin()) + 1;
  return {begin, end};
}

std::span<const char> ByteReader::bytes(std::uint64_t begin, std::uint64_t count) const {
  if (begin > bytes_.size() || count > bytes_.size() - begin) cut_off();
  return bytes_.subspan(begin, count);
}

}  // namespace gemm_tutor::simt::machine
