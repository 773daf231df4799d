// The rule by which accesses to shared memory are joined, against what the machine code of the
// course's kernels says of them.
#include <fmt/format.h>

#include "catch.hpp"
#include "exercise/exercise.hpp"
#include "gemm/matrices.hpp"
#include "run/prepared_kernel.hpp"
#include "sample.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {
namespace {

constexpr Problem problem{300, 300, 300};

void forget_machine_code(Pass& pass, const KernelSource& source) {
  pass.program =
      simt::Program::decode(pass.compiled.ptx, pass.compiled.lowered_name, source.file_name);
}

simt::Counters counted(const KernelSource& source, bool by_machine_code) {
  PreparedKernel prepared = prepare(source, problem, simt::find_gpu("h200"));
  if (!by_machine_code) {
    forget_machine_code(prepared, source);
    if (prepared.second_pass) forget_machine_code(*prepared.second_pass, source);
  }
  Matrices matrices = make_matrices(problem, 1);
  simt::Options options;
  options.blocks = 4;
  options.check = false;
  const simt::Result result = emulate(prepared, matrices, options);
  const bool is_of_machine = result.shared_as_in_machine_code;
  CHECK(is_of_machine == by_machine_code);
  return result.total;
}

std::vector<std::uint64_t> shared_counts(const simt::Counters& c) {
  return {c.shared_load_requests,  c.shared_load_wavefronts,  c.shared_load_conflicts,
          c.shared_store_requests, c.shared_store_wavefronts, c.shared_store_conflicts};
}

struct NamedKernel {
  std::string name;
  KernelSource source;
};

std::vector<NamedKernel> kernels() {
  std::vector<NamedKernel> result;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      const Settings settings = untuned_settings(kernel, simt::find_gpu("h200"), problem);
      result.push_back({kernel.name, kernel_source(lesson, kernel, settings, problem)});
    }
  }
  for (const Exercise& exercise : exercises()) {
    result.push_back({exercise.file_name,
                      exercise_source(exercise, exercise.solution, exercise.file_name, problem)});
  }
  return result;
}

// Where the rule is not exact: how far it is off, and why.
struct Exception {
  std::string name;
  double part;
  std::string reason;
};

const std::vector<Exception> exceptions = {
    {"padded_tiles", 0.03, "of four copies of two loads one is not joined"},
    {"double_buffer_padded", 0.29, "the assembler joins fewer; why was not found"},
    {"halve-the-wavefronts.cu", 0.04,
     "rows of 17 floats in a loop that is written out: its first copies are joined otherwise"}};

}  // namespace

TEST_CASE("the joining rule counts what the machine code does, of every kernel of the course",
          "[long]") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const NamedKernel& kernel : sample_of(kernels(), 8)) {
    INFO(kernel.name);
    const simt::Counters machine = counted(kernel.source, true);
    const simt::Counters rule = counted(kernel.source, false);
    const auto exception = std::ranges::find(exceptions, kernel.name, &Exception::name);
    if (exception == exceptions.end()) {
      CHECK(machine.unmatched_requests == 0);
      CHECK(shared_counts(rule) == shared_counts(machine));
      continue;
    }
    CHECK(rule.shared_load_requests != machine.shared_load_requests);
    CHECK(static_cast<double>(rule.shared_load_requests) ==
          Approx(static_cast<double>(machine.shared_load_requests)).epsilon(exception->part));
  }
}

}  // namespace gemm_tutor
