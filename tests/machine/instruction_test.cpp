#include "simt/machine/instruction.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace gemm_tutor::simt::machine {
namespace {

// A line of nvdisasm.csv: what nvdisasm makes of an instruction.
struct Row {
  int architecture = 0;
  std::uint32_t address = 0;
  std::uint64_t low = 0, high = 0;
  std::string text;  // "@!P0 BRA P1; 0x320"
};

std::uint64_t hexadecimal(const std::string& text) { return std::stoull(text, nullptr, 16); }

std::vector<Row> rows() {
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/machine/nvdisasm.csv");
  std::vector<Row> result;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("architecture")) continue;
    std::istringstream fields(line);
    std::string architecture, address, low, high, text;
    for (std::string* field : {&architecture, &address, &low, &high}) {
      std::getline(fields, *field, ',');
    }
    std::getline(fields, text);
    result.push_back({std::stoi(architecture), static_cast<std::uint32_t>(hexadecimal(address)),
                      hexadecimal(low), hexadecimal(high), text});
  }
  return result;
}

// "@!P0" of the text, which has none where the instruction is always executed.
std::string guard_of(const std::string& text) {
  return text.starts_with('@') ? text.substr(0, text.find(' ')) : "";
}

// "LDS.U.128" of it.
std::string mnemonic_of(const std::string& text) {
  const std::size_t begin = text.starts_with('@') ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find(' ', begin) - begin);
}

bool has_part(const std::string& mnemonic, const std::string& part) {
  return (mnemonic + ".").find("." + part + ".") != std::string::npos;
}

int bits_of(const std::string& mnemonic) {
  if (has_part(mnemonic, "128")) return 128;
  if (has_part(mnemonic, "64")) return 64;
  return 32;
}

// "R108.reuse" of the text, in its order; not RZ.
struct Operand {
  int first = 0;
  bool is_reused = false;

  bool operator==(const Operand&) const = default;
};

std::vector<Operand> operands_of(const std::string& text) {
  static const std::regex form("\\bR([0-9]+)(\\.reuse)?");
  const std::string mnemonic = mnemonic_of(text);
  const auto begin = text.begin() + static_cast<int>(text.find(mnemonic) + mnemonic.size());
  std::vector<Operand> result;
  for (std::sregex_iterator match(begin, text.end(), form), end; match != end; ++match) {
    result.push_back({std::stoi((*match)[1]), (*match)[2].matched});
  }
  return result;
}

// In the order in which nvdisasm prints them.
std::vector<Operand> operands_of(const Instruction& instruction) {
  std::vector<Operand> result;
  if (instruction.destination.count > 0) result.push_back({instruction.destination.first});
  for (std::size_t slot = 0; slot < instruction.sources.size(); ++slot) {
    const Registers& source = instruction.sources[slot];
    if (source.count > 0) result.push_back({source.first, (instruction.reuse >> slot & 1) != 0});
  }
  if (instruction.kind == Kind::copy) std::ranges::reverse(result);
  return result;
}

std::string text_of(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) {
    text += " R" + std::to_string(operand.first) + (operand.is_reused ? ".reuse" : "");
  }
  return text;
}

}  // namespace

TEST_CASE("register operands are those that nvdisasm prints, reused where it says so") {
  std::set<int> forms_of_ffma_and_imad;
  int operands = 0, reused = 0;
  for (const Row& row : rows()) {
    const Instruction decoded = decode(row.low, row.high, row.address, row.architecture);
    if (decoded.kind == Kind::control || decoded.kind == Kind::synchronisation ||
        decoded.kind == Kind::exchange || decoded.kind == Kind::atomic) {
      CHECK(operands_of(decoded).empty());
      continue;
    }
    INFO("sm_" << row.architecture << ": " << row.text);
    const std::vector<Operand> expected = operands_of(row.text);
    CHECK(text_of(operands_of(decoded)) == text_of(expected));
    for (const Operand& operand : expected) {
      ++operands;
      reused += operand.is_reused;
    }
    const std::string name(decoded.name);
    if (name == "FFMA" || name == "IMAD") forms_of_ffma_and_imad.insert(decoded.opcode >> 9);
  }
  CHECK(forms_of_ffma_and_imad == std::set<int>{1, 2, 3, 4, 5, 6, 7});
  CHECK(operands > 1000);
  CHECK(reused > 40);
}

TEST_CASE("an operand has the registers of its width") {
  for (const Row& row : rows()) {
    INFO("sm_" << row.architecture << ": " << row.text);
    const Instruction decoded = decode(row.low, row.high, row.address, row.architecture);
    const std::string mnemonic = mnemonic_of(row.text);
    const bool is_pair =
        has_part(mnemonic, "WIDE") || decoded.name == "CS2R" || decoded.unit == Unit::fp64;
    const int expected = is_pair ? 2 : bits_of(mnemonic) / 32;
    if (decoded.destination.count > 0) CHECK(decoded.destination.count == expected);
    const bool is_store = decoded.name.starts_with("ST");
    if (is_store && decoded.sources[1].count > 0) CHECK(decoded.sources[1].count == expected);
    const bool is_global = decoded.name.ends_with("DG") || decoded.name.ends_with("TG");
    if (is_global || decoded.name == "LDGSTS") CHECK(decoded.sources[0].count == 2);
  }
  // IMAD.WIDE R4, R97, 4, R2
  const Instruction wide = decode(0x46104e825, 0xfd000078e0202, 0, 75);
  CHECK(wide.sources[0] == Registers{97, 1});
  CHECK(wide.sources[1] == Registers{});
  CHECK(wide.sources[2] == Registers{2, 2});
}

TEST_CASE("instructions are decoded as nvdisasm prints them") {
  std::set<int> architectures;
  std::set<Kind> seen;
  for (const Row& row : rows()) {
    INFO("sm_" << row.architecture << ": " << row.text);
    const Instruction decoded = decode(row.low, row.high, row.address, row.architecture);
    const std::string mnemonic = mnemonic_of(row.text);
    CHECK(decoded.name == mnemonic.substr(0, mnemonic.find('.')));
    CHECK(decoded.kind != Kind::unknown);
    const std::string text = text_of(decoded);
    CHECK(guard_of(text) == guard_of(row.text));
    if (decoded.bits > 0) CHECK(decoded.bits == bits_of(mnemonic));
    architectures.insert(row.architecture);
    seen.insert(decoded.kind);
  }
  CHECK(architectures == std::set<int>{75, 80, 86, 89, 90, 100, 120});
  for (const Kind kind : {Kind::shared_load, Kind::shared_store, Kind::global_load,
                          Kind::global_store, Kind::local_load, Kind::local_store, Kind::copy}) {
    CHECK(seen.count(kind) == 1);
  }
}

TEST_CASE("branches and calls lead where nvdisasm says, on a condition where it names one") {
  int forward = 0, backward = 0, conditional = 0, calls = 0;
  for (const Row& row : rows()) {
    const bool is_call = mnemonic_of(row.text).starts_with("CALL");
    if (!is_call && !mnemonic_of(row.text).starts_with("BRA")) continue;
    const std::size_t target = row.text.find(" 0x");
    if (target == std::string::npos) continue;
    INFO("sm_" << row.architecture << ": " << row.text);
    const Instruction decoded = decode(row.low, row.high, row.address, row.architecture);
    REQUIRE(decoded.target);
    CHECK(*decoded.target == hexadecimal(row.text.substr(target)));
    const bool names_condition = row.text.find(';') != std::string::npos;
    CHECK(decoded.is_conditional() == (names_condition || row.text.starts_with('@')));
    ++(*decoded.target > row.address ? forward : backward);
    conditional += names_condition;
    calls += is_call;
  }
  CHECK(forward > 0);
  CHECK(backward > 0);
  CHECK(conditional > 0);
  CHECK(calls == 3);
}

TEST_CASE("a plain FFMA has the text that nvdisasm prints, with the registers that are reused") {
  int plain = 0, reused = 0;
  for (const Row& row : rows()) {
    const Instruction decoded = decode(row.low, row.high, row.address, row.architecture);
    if (!decoded.is_plain_ffma) continue;
    std::string expected = row.text;
    std::ranges::replace(expected, ';', ',');
    CHECK(text_with_operands(decoded) == expected);
    ++plain;
    reused += decoded.reuse != 0;
  }
  CHECK(plain == 14);
  CHECK(reused == 3);
  // A row of the file, and others that differ from it in one field.
  constexpr std::uint64_t low = 0x482f507223, high = 0x8afe2000000000e, all_three = 7;
  CHECK(text_with_operands(decode(low, high, 0, 90)) == "FFMA R80, R47, R72.reuse, R14");
  CHECK(text_with_operands(decode(low, high | all_three << 58, 0, 90)) ==
        "FFMA R80, R47.reuse, R72.reuse, R14.reuse");
  CHECK(text_with_operands(decode(low, high | 0xff, 0, 90)) == "FFMA R80, R47, R72.reuse, RZ");
  constexpr std::uint64_t negates_b = std::uint64_t{1} << 63, flushes = std::uint64_t{1} << 16;
  CHECK_FALSE(decode(low | negates_b, high, 0, 90).is_plain_ffma);
  CHECK_FALSE(decode(low, high | flushes, 0, 90).is_plain_ffma);
}

TEST_CASE("an instruction has the unit that executes it") {
  const auto unit_of = [](std::uint64_t opcode, int architecture) {
    return decode(0x7000 | opcode, 0, 0, architecture).unit;
  };
  CHECK(unit_of(0x223, 90) == Unit::fp32);      // FFMA
  CHECK(unit_of(0x22b, 90) == Unit::fp64);      // DFMA
  CHECK(unit_of(0x209, 90) == Unit::integer);   // FMNMX
  CHECK(unit_of(0x309, 90) == Unit::special);   // POPC
  CHECK(unit_of(0x224, 90) == Unit::multiply);  // IMAD
  CHECK(unit_of(0x806, 90) == Unit::integer);   // VOTE
  CHECK(unit_of(0x984, 90) == Unit::memory);    // LDS
  CHECK(unit_of(0x94e, 90) == Unit::other);     // LEPC
  CHECK(unit_of(0x1ff, 90) == Unit::other);     // not in the table
}

TEST_CASE("an opcode that is not in the table keeps its number") {
  const Instruction decoded = decode(0x71ff, 0, 0, 90);
  CHECK(decoded.name.empty());
  CHECK(decoded.kind == Kind::unknown);
  CHECK(text_of(decoded) == "opcode 0x1ff");
}

// No disassembler shows these fields.
TEST_CASE("the scheduling fields are read from their places") {
  constexpr std::uint64_t stall = 4, yields = 1, write = 2, read = 7, wait = 0b100001, reuse = 3;
  const std::uint64_t high =
      stall << 41 | yields << 45 | write << 46 | read << 49 | wait << 52 | reuse << 58;
  const Instruction decoded = decode(0x7984, high, 0, 90);
  CHECK(decoded.stall == 4);
  CHECK(decoded.yields);
  CHECK(decoded.write_barrier == 2);
  CHECK(decoded.read_barrier == 7);
  CHECK(decoded.wait_mask == 0b100001);
  CHECK(decoded.reuse == 3);
}

TEST_CASE("a product of matrices has its types, its shape and whether it could be deeper") {
  struct Case {
    int architecture;
    std::uint64_t low, high;
    Product product;
    int fmas;
    bool is_shallow;
  };
  using enum Product;
  // As NVRTC 13.0 assembles mma.sync.
  const Case cases[] = {
      {75, 0x406723c, 0x4f5c0000000006, fp16, 16 * 8 * 8, true},
      {80, 0x408723c, 0xc4ff60000001008, fp16_fp32, 16 * 8 * 8, true},
      {80, 0x8040a723c, 0xc4ff6000000080a, fp16, 16 * 8 * 16, false},
      {80, 0x8040c723c, 0xc4ff6000004180c, fp16_fp32, 16 * 8 * 16, false},  // BF16
      {80, 0x408723c, 0xc4ff60000085008, tf32, 16 * 8 * 4, true},
      {80, 0x8040c723c, 0xc4ff6000008100c, tf32, 16 * 8 * 8, false},
      {75, 0x500067237, 0xc4e340000005406, int8, 8 * 8 * 16, true},
      {80, 0x500067237, 0x4fdc0000005406, int8, 16 * 8 * 16, true},  // takes as long as the next
      {80, 0x4087237, 0xc4ff60000400408, int8, 16 * 8 * 16, true},
      {90, 0x8040c7237, 0x4fde0000405c0c, int8, 16 * 8 * 32, false},
      {89, 0x408727a, 0xc4ff60000002408, fp8_fp32, 16 * 8 * 16, true},
      {120, 0x8040a727a, 0x4fde0000000c0a, fp8, 16 * 8 * 32, false},
      {80, 0x60408723f, 0xc4e360000000008, fp64, 8 * 8 * 4, false},
      {90, 0x100408723f, 0x4e1e0000001008, fp64, 16 * 8 * 4, false},
      {90, 0x201008723f, 0x4e1e0000003008, fp64, 16 * 8 * 16, false},
      {90, 0x223, 0, none, 0, false}};  // FFMA
  for (const Case& c : cases) {
    INFO(c.architecture << " " << words_for(c.product) << " " << c.fmas);
    const Instruction instruction = decode(c.low, c.high, 0, c.architecture);
    CHECK(instruction.product == c.product);
    CHECK(instruction.fmas == c.fmas);
    CHECK(instruction.is_shallow == c.is_shallow);
    CHECK((instruction.unit == Unit::tensor) == (c.product != none));
  }
}

}  // namespace gemm_tutor::simt::machine
