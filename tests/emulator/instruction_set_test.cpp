// Whatever the CPU, the bits are the same: every instruction on the same random operands, through
// each compilation of the interpreter.
#include <map>
#include <random>

#include "catch.hpp"
#include "instruction_cases.hpp"
#include "simt/exec/machine.hpp"

using namespace gemm_tutor::simt;

namespace {

class ChosenInstructionSet {
 public:
  explicit ChosenInstructionSet(const InstructionSet& set) { choose_instruction_set(set); }
  ~ChosenInstructionSet() { choose_instruction_set(*instruction_sets().back()); }
  ChosenInstructionSet(const ChosenInstructionSet&) = delete;
  ChosenInstructionSet& operator=(const ChosenInstructionSet&) = delete;
};

// Any bits, or such as make something special happen.
Bits random_bits(std::mt19937_64& random) {
  constexpr Bits special[] = {0,
                              1,
                              2,
                              31,
                              32,
                              63,
                              64,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x3f800000,
                              0xbf800000,
                              0x7f800000,
                              0xff800000,
                              0x7f7fffff,
                              0x00800000,
                              0x007fffff,
                              0x4b800001,
                              0x4f000000,
                              0x5f000000,
                              0x7ff0000000000000,
                              0xffffffffffffffff,
                              0x8000000000000000,
                              0x3ff0000000000000,
                              0x41dfffffffc00000,
                              0x000fffffffffffff};
  switch (random() % 4) {
    case 0:
      return special[random() % std::size(special)];
    case 1:  // a float of middling size
      return (random() & 0x83ffffff) + 0x3c000000 + (random() << 32);
    default:
      return random();
  }
}

std::vector<std::vector<Bits>> random_rows(std::size_t sources, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Bits>> rows(1024, std::vector<Bits>(sources));
  for (std::vector<Bits>& row : rows) {
    for (Bits& bits : row) bits = random_bits(random);
  }
  return rows;
}

}  // namespace

TEST_CASE("every instruction gives the same bits with every instruction set of this CPU") {
  const std::vector<const InstructionSet*> sets = instruction_sets();
  if (sets.size() == 1) SKIP_BECAUSE("this CPU has only the baseline instruction set");
  for (const InstructionCase& instruction : instruction_cases()) {
    const std::string class_of_result = words_of(instruction.operands)[0];
    const auto inputs = random_rows(words_of(instruction.operands).size() - 1, 20261121);
    for (const std::string& name : words_of(instruction.names)) {
      std::map<std::string, std::vector<Bits>> results;
      for (const InstructionSet* set : sets) {
        const ChosenInstructionSet choice(*set);
        for (const std::uint32_t mask : {0xffffffffu, 0x0ff0a5c3u}) {
          for (const Bits bits : execute(name, instruction.operands, inputs, mask, Masking::branch))
            results[set->name].push_back(truncate(bits, class_of_result));
        }
      }
      for (const InstructionSet* set : sets) {
        INFO(name << " with " << set->name << " and with " << sets[0]->name);
        CHECK(results[set->name] == results[sets[0]->name]);
      }
    }
  }
}
