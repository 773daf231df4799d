// A finding in one line.
#pragma once

#include <fmt/format.h>

#include <string>

#include "emulator/emulator.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

inline std::string finding_text(const emulator::Finding& finding) {
  if (finding.count == 1) return finding.message;
  return fmt::format("{} (and {} more)", finding.message,
                     with_thousands(static_cast<std::int64_t>(finding.count - 1)));
}

}  // namespace gemm_tutor
