#include "documents/request_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

std::string average_cost(const simt::OperandCounters& operand) {
  return fmt::format("{:.1f}",
                     static_cast<double>(operand.cost) / static_cast<double>(operand.requests));
}

std::string shown_name(const simt::OperandCounters& operand) {
  return operand.name.empty() ? "other" : operand.name;
}

}  // namespace

std::vector<RequestCost> request_costs(const std::vector<simt::OperandCounters>& operands,
                                       simt::MemorySpace space) {
  const std::string unit = space == simt::MemorySpace::shared ? "wf/req" : "sec/req";
  std::vector<simt::OperandCounters> shown;
  std::ranges::copy_if(operands, std::back_inserter(shown),
                       [&](const auto& operand) { return operand.space == space; });
  int name_columns = 0, cost_columns = 0;
  for (const simt::OperandCounters& operand : shown) {
    name_columns = std::max(name_columns, columns(shown_name(operand)));
    cost_columns = std::max(cost_columns, columns(average_cost(operand)));
  }
  std::vector<RequestCost> costs;
  for (const simt::OperandCounters& operand : shown) {
    const std::string cost = flush_right(average_cost(operand), cost_columns);
    const std::string name = flush_left(shown_name(operand), name_columns);
    costs.push_back({shown.size() == 1 ? cost : name + " " + cost, unit, operand.conflicts > 0});
  }
  return costs;
}

}  // namespace gemm_tutor
