#include "run/remedies.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "gemm/verification.hpp"
#include "run/run.hpp"
#include "source/definitions.hpp"

namespace gemm_tutor {

EmulatedProduct emulated_product(const PreparedKernel& kernel, Matrices matrices,
                                 const simt::Options& options) {
  EmulatedProduct result{{}, std::move(matrices)};
  result.emulation = emulate(kernel, result.matrices, options);
  if (result.emulation.stopped) return result;
  const Matrices& all = result.matrices;
  std::vector<Region> written;
  if (!result.emulation.exact) {
    written = written_strips(all.problem, changed_elements(all));
    if (written.empty()) return result;
  }
  const RowMajorOperands operands(all, kernel.source.transposed);
  result.is_right = verify(all.problem, operands.a(), operands.b(), all.c, written, {}, nullptr,
                           scaling_of(kernel.update, all.c_before))
                        .passed;
  return result;
}

std::vector<int> lines_for_barriers(const std::vector<simt::Finding>& findings) {
  std::vector<int> lines;
  for (const simt::Finding& finding : findings) {
    lines.insert(lines.end(), finding.barriers_after.begin(), finding.barriers_after.end());
  }
  return lines;
}

std::string with_barriers(std::string_view source, const std::vector<int>& lines) {
  const source::File file(source);
  std::set<std::size_t, std::greater<>> places;  // offsets, the last first
  for (const int line : lines) {
    int brackets = 0;
    for (std::size_t i = 0; i + 1 < file.code.size(); ++i) {
      const source::Token &token = file.code[i], &next = file.code[i + 1];
      brackets += token.is("(") - token.is(")");
      const bool ends = brackets == 0 && (token.is(";") || token.is("}"));
      if (!ends || token.line < line || next.is(";") || next.is("else")) continue;
      places.insert(token.end());
      break;
    }
  }
  std::string result(source);
  for (const std::size_t place : places) result.insert(place, " __syncthreads();");
  return result;
}

std::vector<std::string> set_other_scales(Scales& scales, const std::function<bool(Role)>& is_used,
                                          Scalar c) {
  std::vector<std::string> set;
  const bool is_integer = c == Scalar::s32;
  for (const auto& [role, scale, other] :
       {std::tuple{Role::alpha, &scales.alpha, is_integer ? "3" : "1.5"},
        std::tuple{Role::beta, &scales.beta, is_integer ? "2" : "0.75"}}) {
    if (*scale || !is_used(role)) continue;
    *scale = other;
    set.push_back(fmt::format("{} = {}", name_of(role), other));
  }
  return set;
}

}  // namespace gemm_tutor
