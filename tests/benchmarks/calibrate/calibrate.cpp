// calibrate [--output FILE.toml] [--raw FILE.csv]: measures the GPU at hand and writes what
// --gpu FILE.toml reads: to FILE.toml, or to standard output. --raw has every single result.
//
// Exit status: 0 done; 2 the options are wrong, or a file cannot be written; 3 there is no GPU, or
// it failed; 4 the kernels do not compile.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "embedded_texts.hpp"
#include "gpu/gpu.hpp"
#include "kernels.hpp"
#include "machine_code.hpp"
#include "measurements.hpp"
#include "results.hpp"
#include "simt/compiler.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "simt/gpus/gpu_file.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::gpu;

namespace {

struct CalibrateOptions {
  std::optional<std::string> output, raw;
};

CalibrateOptions options_of(int count, char** words) {
  CalibrateOptions options;
  for (int i = 1; i < count; i += 2) {
    const std::string word = words[i];
    if ((word != "--output" && word != "--raw") || i + 1 == count) {
      throw Error(ExitStatus::usage, fmt::format("'{}' is no option with a file", word),
                  "Run calibrate [--output FILE.toml] [--raw FILE.csv].");
    }
    (word == "--raw" ? options.raw : options.output) = words[i + 1];
  }
  return options;
}

void write(const std::string& path, const std::string& text) {
  std::error_code error;
  if (write_file_atomically(path, text, error)) return;
  throw Error(ExitStatus::usage, fmt::format("cannot write '{}': {}", path, error.message()),
              "Name a file in a folder that you may write to.");
}

simt::CompiledKernel compiled(const simt::GpuSpec& gpu) {
  simt::CompileRequest request;
  request.source = kernels_cu();
  request.file_name = "kernels.cu";
  request.architecture = gpu.architecture();
  simt::CompiledKernel kernels = compile(request);
  if (!kernels.cubin.empty()) return kernels;
  throw Error(ExitStatus::unavailable, "calibrate needs NVRTC, and has " + kernels.compiler,
              "Install the CUDA Toolkit, or its package of NVRTC.");
}

std::string csv(const std::vector<calibration::Row>& rows) {
  std::string text = "what,setting,value,unit\n";
  for (const calibration::Row& row : rows) {
    text += fmt::format("{},\"{}\",{:.6g},{}\n", row.what, row.setting, row.value, row.unit);
  }
  return text;
}

// Of the loops of FFMAs, what their machine code says.
std::vector<calibration::Row> conflict_rows(const std::vector<char>& cubin) {
  std::vector<calibration::Row> rows;
  for (const char* kernel : calibration::ffma_kernels) {
    const simt::machine::Code code = simt::machine::read_code(cubin, kernel);
    rows.push_back({kernel, "conflicts of register banks", calibration::conflicts_per_ffma(code),
                    "cycles per instruction, by the machine code"});
  }
  return rows;
}

void run(const CalibrateOptions& options) {
  const gpu::Status& status = gpu::status();
  if (!status.available) throw Error(ExitStatus::unavailable, status.problem, status.help);
  const simt::CompiledKernel kernels = compiled(status.spec);
  calibration::Device device(kernels.cubin);
  calibration::Measured measured = calibration::measure(device, status.spec);
  for (calibration::Row& row : conflict_rows(kernels.cubin)) measured.rows.push_back(row);
  if (options.raw) write(*options.raw, csv(measured.rows));
  for (const calibration::Row& row : measured.rows) {
    fmt::print(stderr, "{:<16} {:<34} {:>12.5g} {}\n", row.what, row.setting, row.value, row.unit);
  }
  const std::string text = written_gpu(
      calibration::calibrated(status.spec, nearest_gpu(status.spec), measured.values,
                              device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), today()));
  simt::read_gpu(text, options.output.value_or("what was measured"));  // nothing beyond all reason
  if (options.output) {
    write(*options.output, text);
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    run(options_of(count, words));
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\nhelp: {}\n", error.what(), error.help());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\nhelp: Report it, with what calibrate printed.\n", error.what());
    return static_cast<int>(ExitStatus::unavailable);
  }
}
