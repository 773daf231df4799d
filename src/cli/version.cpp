#include "cli/version.hpp"

#include <fmt/format.h>

namespace gemm_tutor::cli {

std::string version_text() {
  const BuildFacts facts = build_facts();
  return fmt::format("gemm-tutor {}\ncommit    {}\ncompiler  {}, {}", GEMM_TUTOR_VERSION,
                     facts.commit, facts.compiler, facts.build_type);
}

}  // namespace gemm_tutor::cli
