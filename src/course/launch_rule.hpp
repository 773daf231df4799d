// How a launch follows from a kernel's settings, and which settings it may have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "course/settings.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

// A rule that the settings must keep.
struct Constraint {
  std::string holds;  // an expression over the settings and `threads`, those of a block
  // What is said where it does not hold: in a few words, which may have expressions in braces, and
  // what to do. Where they are empty, that follows from `holds`: "BM is not a multiple of TM".
  std::string text = {};
  std::string help = {};
};

// Expressions over the settings.
struct LaunchRule {
  std::vector<std::string> block;   // threads along x and y
  std::vector<std::string> tile;    // rows and columns of C, and the step along K
  std::string grid_z = "1";         // blocks that compute a tile together
  std::string shared_floats = "0";  // what the kernel declares in shared memory
  std::string stream_k_blocks = {}, stream_k_group_rows = {};  // empty: each block has a tile
  std::vector<Constraint> constraints = {};                    // in the order of their checks
  bool grid_x_along_rows = false;
  std::uint32_t dynamic_shared_bytes = 0;

  // Throws Error (usage), with the settings, for the first constraint that does not hold, and for
  // an extent that is not a whole number from 1.
  LaunchShape operator()(const Settings& settings) const;

  // The parts of that, which throw the same.
  void check(const Constraint& constraint, const Settings& settings) const;
  int extent(const std::string& expression, const Settings& settings) const;

  // What is said where it does not hold. Throws std::logic_error for a brace without its other one.
  std::string text_of(const Constraint& constraint, const Settings& settings) const;

 private:
  Values values_with_threads(const Settings& settings) const;
};

}  // namespace gemm_tutor
