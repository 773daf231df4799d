// The template parameters of a kernel that a user may set.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/expression.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

// A template parameter and its value: BM = 32.
struct Setting {
  std::string name;
  int value = 0;

  bool operator==(const Setting&) const = default;
};

// In the order of the template's parameters.
class Settings {
 public:
  Settings() = default;
  Settings(std::initializer_list<Setting> settings) : settings_(settings) {}
  explicit Settings(std::vector<Setting> settings) : settings_(std::move(settings)) {}

  int operator[](std::string_view name) const;  // throws std::out_of_range for an unknown name
  int value_or(std::string_view name, int otherwise) const;  // for an unknown name, `otherwise`
  bool contains(std::string_view name) const;
  void set(std::string_view name, int value);  // the name must be there
  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }
  bool empty() const { return settings_.empty(); }
  bool operator==(const Settings&) const = default;

 private:
  std::vector<Setting> settings_;
};

// Sets what "BM=64" says. Throws Error (usage), listing the names there are, for an unknown name, a
// value that is no whole number, and one below 1.
void apply_setting(Settings& settings, std::string_view assignment);

// By their names; with a problem, also its M, N and K.
Values values_of(const Settings& settings);
Values values_of(const Settings& settings, const Problem& problem);

// As --set takes them: "BM=32" for each, in their order.
std::vector<std::string> assignments(const Settings& settings);

}  // namespace gemm_tutor
