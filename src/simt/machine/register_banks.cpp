#include "simt/machine/register_banks.hpp"

#include <array>
#include <set>

namespace gemm_tutor::machine {
namespace {

bool is_arithmetic(const Instruction& instruction) {
  return instruction.kind == Kind::ffma || instruction.kind == Kind::floating_point ||
         instruction.kind == Kind::integer;
}

class ReuseCache {
 public:
  BankReads read(const Instruction& instruction) {
    BankReads reads;
    std::set<int> registers;
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
      const auto [first, count] = instruction.sources[slot];
      const bool is_kept = (instruction.reuse >> slot & 1) != 0;
      for (int each = first; each < first + count; ++each) {
        int& entry = entries_[slot][each % 2];
        if (entry == each) {
          ++reads.reused;
          reads.reused_odd += each % 2;
        } else {
          registers.insert(each);
        }
        entry = is_kept ? each : no_register;
      }
    }
    for (const int each : registers) ++(each % 2 == 0 ? reads.even : reads.odd);
    return reads;
  }

 private:
  // By slot and bank.
  std::array<std::array<int, 2>, 3> entries_ = {
      {{no_register, no_register}, {no_register, no_register}, {no_register, no_register}}};
};

}  // namespace

std::vector<BankReads> bank_reads(const Code& code) {
  std::vector<BankReads> result(code.instructions.size());
  for (const Block& block : code.blocks) {
    ReuseCache cache;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (is_arithmetic(code.instructions[i])) result[i] = cache.read(code.instructions[i]);
    }
  }
  return result;
}

}  // namespace gemm_tutor::machine
