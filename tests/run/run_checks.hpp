// What several tests of runs need.
#pragma once

#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "run/run.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

inline RunOptions on_emulator(const Problem& problem) {
  RunOptions options;
  options.problem = problem;
  options.backend = Backend::emulator;
  options.gpu = "h200";
  options.blocks = AllBlocks{};
  return options;
}

inline std::string text(const Problem& p) {
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
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

// Tiles that blocks share: fewer than one, a few, and many, with edges.
inline const Problem stream_k_sizes[] = {
    {1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {100, 36, 50}, {33, 70, 129}};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gemm_tutor
