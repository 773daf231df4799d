#include "ptx_kernel.hpp"

#include <fmt/format.h>

#include "support/text.hpp"

namespace gemm_tutor::simt {

std::string ptx_module(const std::string& body, int buffers, const std::string& variables) {
  std::vector<std::string> parameters;
  std::string loads;
  for (int i = 0; i < buffers; ++i) {
    parameters.push_back(fmt::format(".param .u64 p{}", i));
    loads += fmt::format("  ld.param.u64 %buffer{0}, [p{0}];\n", i);
  }
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel({})
{{
  .reg .pred %p<40>;
  .reg .b16 %rs<40>;
  .reg .b32 %r<40>;
  .reg .f32 %f<40>;
  .reg .b64 %rd<40>;
  .reg .f64 %fd<40>;
  .reg .b64 %buffer<{}>;
  {}
{}{}
  ret;
}}
)",
                     join(parameters), buffers, variables, loads, body);
}

Result run_ptx(const std::string& module, const Launch& launch, const std::vector<Buffer>& buffers,
               const Options& options) {
  std::vector<Argument> arguments;
  for (int i = 0; i < static_cast<int>(buffers.size()); ++i)
    arguments.push_back(Argument::pointer(i));
  return Program::decode(module, "kernel", "kernel.cu").run(launch, buffers, arguments, options);
}

std::string kinds(const Result& result) {
  std::vector<std::string> found;
  for (const Finding& finding : result.findings)
    found.push_back(fmt::format("{}@{}", name_of(finding.kind()), finding.line));
  return join(found);
}

}  // namespace gemm_tutor::simt
