// Kernels that were compiled when this program was packed, for machines without a compiler.
#include <fmt/format.h>

#include <optional>

#include "simt/compile/device_compiler.hpp"
#include "support/child_process.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get_a_compiler =
    "Kernels of your own need one. NVIDIA's NVRTC comes without root: pip install "
    "'gemm-tutor[cuda]'. Or install clang 14 or newer (on Debian and Ubuntu: apt-get install "
    "clang).";

class CompiledAhead : public DeviceCompiler {
 public:
  CompiledAhead(fs::path folder, std::string compiler)
      : folder_(std::move(folder)), compiler_(std::move(compiler)) {}

  std::string name() const override { return compiler_ + ", ahead of time"; }
  std::string path() const override { return folder_.string(); }
  bool has_assembler() const override { return compiler_.starts_with("NVRTC"); }
  std::string help() const override { return how_to_get_a_compiler; }
  void check_architecture(const std::string&) const override {}
  std::string identity(const CompileRequest& request) const override {
    return ahead_identity(request);
  }
  CompilerOutput compile(const CompileRequest& request, const CompilerInput&) const override {
    throw NoCompiler(
        ExitStatus::unavailable,
        fmt::format("there is no compiler for CUDA here, and {} as it is now was not compiled "
                    "with this program",
                    request.name_expression.empty() ? request.file_name : request.name_expression),
        how_to_get_a_compiler);
  }
  fs::path own_kernels() const override { return folder_; }
  std::vector<fs::path> files_to_read() const override { return {folder_}; }
  std::vector<fs::path> files_to_execute() const override { return {}; }

 private:
  fs::path folder_;
  std::string compiler_;
};

}  // namespace

std::string ahead_identity(const CompileRequest& request) {
  return join({"ahead", request.architecture}, " ");
}

const DeviceCompiler* compiled_ahead() {
  static const fs::path folder =
      program_path().parent_path().parent_path() / "share/gemm-tutor/kernels";
  static const std::optional<std::string> compiler = read_file(folder / "compiler");
  if (!compiler) return nullptr;
  static const CompiledAhead kernels(folder, std::string(trimmed(*compiler)));
  return &kernels;
}

}  // namespace gemm_tutor::simt
