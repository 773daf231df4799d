// launch_kernel FILE.cu OPTIONS: launches a kernel once on the GPU, as the suite's comments say
// ('// run: OPTIONS'), whatever is wrong with it. 'gemm-tutor run' launches no kernel in which the
// emulator found something; this program is for NVIDIA's compute-sanitizer to look at. A, B and C
// have exactly as many bytes as they need, and C holds nothing unless the options have '--c zero'.
// With '--result show' C holds poison before, and the last line says whether it is A·B after.
//
// Exit status: 0 the kernel ended; 1 its result is wrong; 2 the options are wrong; 3 there is no
// GPU, or the kernel failed; 4 it does not compile.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/verification.hpp"
#include "gpu/driver.hpp"
#include "run/kernel_source.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/compiler.hpp"
#include "simt/gpu_spec.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::gpu;

namespace {

using Options = std::map<std::string, std::string>;

Options options_of(int count, char** words) {
  Options options;
  for (int i = 2; i + 1 < count; i += 2) options[words[i]] = words[i + 1];
  return options;
}

std::string text(const Options& options, const std::string& name, const std::string& otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

int number(const Options& options, const std::string& name, const std::string& otherwise) {
  return std::stoi(text(options, name, otherwise));
}

// "16x8"; the second is 1 in "16".
std::pair<int, int> pair(const Options& options, const std::string& name) {
  const std::vector<std::string> parts = split(options.at(name), 'x');
  return {std::stoi(parts.front()), parts.size() > 1 ? std::stoi(parts.back()) : 1};
}

Problem problem_of(const Options& options) {
  const std::string size = text(options, "--size", "32");
  return {number(options, "--m", size), number(options, "--n", size), number(options, "--k", size)};
}

KernelSource kernel_of(const std::string& file, const Options& options) {
  KernelSource kernel = read_kernel_file(file);
  kernel.name_expression = text(options, "--entry", "");
  const auto [x, y] = pair(options, "--block");
  kernel.shape.block = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
  std::tie(kernel.shape.tile_rows, kernel.shape.tile_columns) = pair(options, "--tile");
  kernel.shape.dynamic_shared = text(options, "--shared", "0");
  return kernel;
}

CUdeviceptr on_device(const gpu::Driver& driver, const std::vector<float>& values, bool copy) {
  CUdeviceptr address = 0;
  const std::size_t bytes = values.size() * sizeof(float);
  driver.check(driver.allocate(&address, bytes), "cuMemAlloc");
  if (copy) driver.check(driver.copy_to_device(address, values.data(), bytes), "cuMemcpyHtoD");
  return address;
}

// What is in C before the launch. To compute-sanitizer, what was copied there is initialised.
enum class Before { nothing, zero, poison };

// Leaves what the kernel leaves in C.
void launch(const gpu::Driver& driver, const simt::CompiledKernel& compiled,
            const simt::Launch& launch, Matrices& matrices, Before before) {
  driver.use_context();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver.check(driver.load_module(&module, compiled.cubin.data()), "cuModuleLoadData");
  driver.check(driver.function(&function, module, compiled.lowered_name.c_str()),
               "cuModuleGetFunction");
  if (before == Before::zero) std::ranges::fill(matrices.c, 0.0f);
  CUdeviceptr a = on_device(driver, matrices.a, true), b = on_device(driver, matrices.b, true);
  CUdeviceptr c = on_device(driver, matrices.c, before != Before::nothing);
  void* arguments[] = {&a, &b, &c, &matrices.problem.m, &matrices.problem.n, &matrices.problem.k};
  driver.check(driver.launch(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                             launch.block.y, launch.block.z, launch.dynamic_shared_bytes, nullptr,
                             arguments, nullptr),
               "cuLaunchKernel");
  driver.check(driver.synchronize(), "cuCtxSynchronize");
  driver.check(driver.copy_to_host(matrices.c.data(), c, matrices.c.size() * sizeof(float)),
               "cuMemcpyDtoH");
}

int show_result(const Matrices& matrices) {
  const Verification result = verify(matrices.problem, matrices.a, matrices.b, matrices.c);
  if (result.passed) {
    std::puts("right");
    return 0;
  }
  std::printf("wrong in %lld of %lld elements\n", static_cast<long long>(result.wrong_elements),
              static_cast<long long>(result.elements_total));
  return 1;
}

int run(const std::string& file, const Options& options) {
  const KernelSource kernel = kernel_of(file, options);
  const Problem problem = problem_of(options);
  const simt::CompiledKernel compiled =
      compile_entry(kernel, simt::find_gpu(text(options, "--gpu", "h200")));
  const gpu::DriverStatus& status = gpu::driver_status();
  if (status.driver == nullptr) {
    throw Error(ExitStatus::unavailable, status.problem, status.help);
  }
  Matrices matrices = make_matrices(problem, 1);
  const bool shows = !text(options, "--result", "").empty();
  const bool is_zero = text(options, "--c", "") == "zero";
  launch(*status.driver, compiled, launch_for(kernel.shape, problem), matrices,
         is_zero ? Before::zero
         : shows ? Before::poison
                 : Before::nothing);
  return shows ? show_result(matrices) : 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 2)
      throw Error(ExitStatus::usage, "which file?", "Give one of build/release/findings.");
    return run(words[1], options_of(count, words));
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\nhelp: %s\n", error.what(), error.help().c_str());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: the options are wrong: %s\n", error.what());
    return 2;
  }
}
