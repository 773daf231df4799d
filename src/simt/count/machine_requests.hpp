// Computes the machine code's requests to shared memory from the PTX's accesses. The assembler
// joins accesses to neighbouring addresses (joined_accesses.hpp), or would join them
// (joining_rule.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/exec/program.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {

struct SharedCounts {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  std::uint64_t bytes = 0;  // of all lanes
};

class MachineRequests {
 public:
  // How an access's requests are counted.
  enum class Basis {
    ptx,  // as in the PTX: the machine code has no information, or its bytes do not match the PTX
    addresses,  // one request if the address is that of the machine access's first part
    copies      // one request per execution of the machine instructions of its PTX line
  };

  // `executions` has the executions by warps of each machine instruction.
  MachineRequests(const DecodedProgram& program, const Tally& tally,
                  const std::vector<std::uint64_t>& executions);

  // `access` is an index into the program's accesses. Counts are 0 if it is not to shared memory.
  Basis basis(std::size_t access) const;
  SharedCounts counts(std::size_t access) const;

  // Replaces the recorded PTX accesses by the machine's requests.
  void join(std::vector<Access>& recorded) const;

 private:
  // Executions of instructions by their bytes per lane.
  using Copies = std::map<int, std::uint64_t>;

  // Bytes that a group's accesses move: as the PTX has them, by requests and by lanes, and as each
  // basis counts them.
  struct Group {
    bool store = false;
    unsigned widths = 0;  // the machine accesses' widths: a sum of powers of two
    std::uint64_t of_requests = 0, of_lanes = 0, by_addresses = 0, by_copies = 0;
  };

  void count_copies(const std::vector<std::uint64_t>& executions);
  void add_to_group(std::size_t access);
  const Copies& copies_of(const CountedAccess& access) const;
  SharedCounts counts_by_addresses(std::size_t access) const;
  SharedCounts counts_by_copies(std::size_t access) const;

  const DecodedProgram& program_;
  const Tally& tally_;
  std::map<std::pair<int, bool>, Copies> copies_;  // by PTX line and load or store
  std::map<int, Group> groups_;
};

}  // namespace gemm_tutor::simt
