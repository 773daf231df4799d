// The role of instructions that tests make by name.
#pragma once

#include <string_view>

#include "simt/machine/instruction.hpp"

namespace gemm_tutor::simt::machine {

inline Role role_by_name(std::string_view name) {
  if (name == "BAR") return Role::block_barrier;
  if (name == "CALL") return Role::call;
  if (name == "RET") return Role::returning;
  if (name == "EXIT") return Role::exit;
  return Role::none;
}

}  // namespace gemm_tutor::simt::machine
