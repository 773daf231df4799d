// Microbenchmarks of the GPU at hand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor::calibration {

// What one launch was measured to do.
struct Row {
  std::string what, setting;  // "shared_loads_32", "8 warps, 4 wavefronts"
  double value = 0;
  std::string unit;  // "cycles per load"
};

struct Measured {
  std::vector<Row> rows;                 // all raw results, in the order of measuring
  std::map<std::string, double> values;  // by key of a GPU's file
};

// About a quarter of a minute. `gpu` is what the driver says.
Measured measure(Device& device, const simt::GpuSpec& gpu);

}  // namespace gemm_tutor::calibration
