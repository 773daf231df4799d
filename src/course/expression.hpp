// Arithmetic as formulas and learners write it: "BM·BK + BK·BN", "M·N·K·(1/BM + 1/BN)", "⌈K / BK⌉",
// "2^20", "4/3".
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace gemm_tutor {

using Values = std::map<std::string, double, std::less<>>;  // of names

class Expression {
 public:
  // Throws Error (usage) that says where `text` is no arithmetic.
  static Expression parse(std::string_view text);

  // Throws Error (usage) for a name without a value.
  double value(const Values& values) const;

  // With numbers for the names: "32·8 + 8·32".
  std::string substituted(const Values& values) const;

 private:
  struct Node;
  explicit Expression(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace gemm_tutor
