// The places where a program looks at an address of shared memory as a number. There it must see
// the hardware's address, without the emulator's mark of the variable (address_space.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

class ShownAddresses {
 public:
  ShownAddresses() = default;
  // `is_shared` says whether a symbol is a variable in shared memory.
  ShownAddresses(const ptx::Function& function,
                 const std::function<bool(const std::string&)>& is_shared);

  // True if the statement takes the register's value, which may be such an address, as a number: it
  // stores, compares or prints it, or computes a number from it that is no address.
  bool shows(const ptx::Statement& statement, const ptx::Operand& operand) const;

 private:
  bool is_address(const ptx::Operand& operand) const;

  std::vector<bool> addresses_;  // by register
  bool prints_locals_ = false;   // it reads no local variables: it stores there what is printed
};

}  // namespace gemm_tutor::simt
