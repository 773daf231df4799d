// The requests to shared memory that a kernel's machine code made, from what its PTX accessed: the
// assembler joins accesses to neighbouring addresses (joined_accesses.hpp), or would
// (joining_rule.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/program.hpp"
#include "emulator/trace.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {

struct SharedCounts {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
};

class MachineRequests {
 public:
  // How the requests of an access are counted.
  enum class Basis {
    ptx,  // as the PTX has them: the machine code does not say, or its bytes are not the PTX's
    addresses,  // one where the address is that of the machine access's first part
    copies      // as often as the machine instructions of its PTX line were executed
  };

  // `executions` of each of the program's machine instructions, by warps.
  MachineRequests(const DecodedProgram& program, const Tally& tally,
                  const std::vector<std::uint64_t>& executions);

  // Of one of the program's accesses. None for an access that is not of shared memory.
  Basis basis(std::size_t access) const;
  SharedCounts counts(std::size_t access) const;

  // Makes requests of the machine out of recorded accesses of the PTX.
  void join(std::vector<Access>& recorded) const;

 private:
  // How often an instruction of that many bytes for each lane was executed.
  using Copies = std::map<int, std::uint64_t>;

  // What a group's accesses move, in bytes: of requests and of lanes as the PTX has them, and as
  // each basis counts them.
  struct Group {
    bool store = false;
    unsigned widths = 0;  // of the machine's accesses: powers of two, added up
    std::uint64_t of_requests = 0, of_lanes = 0, by_addresses = 0, by_copies = 0;
  };

  void count_copies(const std::vector<std::uint64_t>& executions);
  void add_to_group(std::size_t access);
  const Copies& copies_of(const CountedAccess& access) const;
  SharedCounts counts_by_addresses(std::size_t access) const;
  SharedCounts counts_by_copies(std::size_t access) const;

  const DecodedProgram& program_;
  const Tally& tally_;
  std::map<std::pair<int, bool>, Copies> copies_;  // by PTX line, of loads and of stores
  std::map<int, Group> groups_;
};

}  // namespace gemm_tutor::emulator
