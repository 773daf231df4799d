// What tests of all components ask and need.
#pragma once

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The text with the first `from`, which it must have, replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  INFO("to be replaced: " << from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Calls `action`, which must throw an Error; returns it.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("no Error was thrown");
}

// An environment variable that has its value again when the test is over.
class EnvironmentVariable {
 public:
  explicit EnvironmentVariable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  EnvironmentVariable(const char* name, const std::string& value) : EnvironmentVariable(name) {
    set(value);
  }
  ~EnvironmentVariable() { set(before_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

  void set(const std::optional<std::string>& value) {
    value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace gemm_tutor
