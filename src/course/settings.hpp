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
  int value_or(std::string_view name, int otherwise) const;  // `otherwise` for an unknown name
  bool contains(std::string_view name) const;
  void set(std::string_view name, int value);  // the name must exist
  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }
  bool empty() const { return settings_.empty(); }
  bool operator==(const Settings&) const = default;

 private:
  std::vector<Setting> settings_;
};

// Applies an assignment such as "BM=64". Throws Error (usage), with all names, for an unknown name,
// a value that is not a whole number, and a value below 1.
void apply_setting(Settings& settings, std::string_view assignment);

// Returns the values by name; with a problem, also M, N and K.
Values values_of(const Settings& settings);
Values values_of(const Settings& settings, const Problem& problem);

// Returns the values of --set: "BM=32" and so on, in order.
std::vector<std::string> assignments(const Settings& settings);

}  // namespace gemm_tutor
