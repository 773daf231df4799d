// Reads from host code how it launches kernels: kernel<<<grid, block, bytes>>>(arguments), or
// cudaLaunchKernel() with an array of the arguments' addresses.
//
// Variables, constants, macros, short functions and the arguments of calls are followed until only
// the names are left that are passed to the kernel: a grid of ceil_div(rows, tile) becomes
// "(M + 63) / 64" where rows is M, and tile 64. What depends on no size is carried out: a function
// that finds a tile's side from the GPU's properties.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::source {

// An argument of a launch.
struct PassedArgument {
  std::string name;            // of the variable: "M", "shape.rows"; empty for another expression
  std::string value;           // if the source says it: "1024", "-1.5", "true"; else empty
  std::string expression;      // over the names of other arguments: "M * K"; empty for others
  std::string type;            // if it is a struct: "Multiply" for Multiply{}; else empty
  std::string element = {};    // the type of what it points to: "half"; empty if not known
  std::string members = {};    // their values, if the source says all of them: "16,32,8"
  bool is_of_loop = false;     // the variable of a loop around the launch
  bool moves_in_loop = false;  // an expression with such a variable: "A + k0"
  bool is_zeroed = false;      // cudaMemset sets what it points to to 0
  bool is_of_device = false;   // the value follows from a property of the GPU, so it is no size
  // Names in the number of bytes that cudaMalloc() gives what it points to: "m", "k".
  std::set<std::string> sizes = {};
  // The same of each cudaMemcpy() to it or from it.
  std::vector<std::set<std::string>> copied = {};

  bool operator==(const PassedArgument&) const = default;
};

// Properties of the GPU by the names that host code has for them: "warpSize", "maxThreadsDim[0]",
// "cudaDevAttrMaxThreadsPerBlock".
using DeviceValues = std::map<std::string, int, std::less<>>;

struct HostLaunch {
  std::string kernel;                           // "ns::v2"
  std::vector<std::string> template_arguments;  // "64", "float"; empty texts are not known
  // Integer expressions over the names of `arguments`, with "SMs" for the number of the GPU's
  // multiprocessors; empty texts are not known. A grid may also have other parameters of the
  // function that launches the kernel.
  std::array<std::string, 3> grid, block;
  std::string shared_bytes;
  // Of the grid, the block and the bytes: the first name or call without a value, if there is one.
  std::array<std::string, 3> unknown;
  std::vector<PassedArgument> arguments;
  // The functions and structs with parameters that the launch needs, and of which the texts have
  // no call and no instance.
  std::set<std::string> uncalled = {};
  std::size_t text = 0;  // the index of the text that has the launch
  int line = 0;          // in that text

  bool operator==(const HostLaunch&) const = default;
};

// Returns the launches of `name_expression`, or all launches if it is empty, in the order of the
// texts. If it has template arguments ("v2<32>"), only launches with these are returned, and they
// are the values of the names that the host code's template passes on. Any text is accepted.
std::vector<HostLaunch> launches_in(const std::vector<std::string_view>& texts,
                                    std::string_view name_expression = "",
                                    const DeviceValues& device = {});

// Returns the text with launches of the kernel that are commented out with //, and with the dim3s
// of commented lines directly before them. The number of lines stays. Without a kernel's name it
// has all launches.
std::string with_commented_launches(std::string_view text, std::string_view kernel);

}  // namespace gemm_tutor::source
