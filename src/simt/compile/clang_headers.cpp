#include "simt/compile/clang_headers.hpp"

#include "simt/compile/embedded_texts.hpp"
#include "simt/compile/host_headers.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr const char* cuda_header = "cuda_for_clang.cuh";

}  // namespace

bool write_clang_headers(const std::filesystem::path& folder) {
  // An unchanged header is not written, because clangd would treat it as modified.
  const auto write = [&](const std::string& name, std::string_view text) {
    return read_file(folder / name) == text || write_file_atomically(folder / name, text);
  };
  const HostHeaders& headers = host_headers_for_clang();
  bool written = write(cuda_header, cuda_for_clang_cuh());
  for (std::size_t i = 0; i < headers.names.size(); ++i) {
    written = written && write(headers.names[i], headers.texts[i]);
  }
  return written;
}

std::vector<std::string> clang_header_options(const std::string& folder) {
  std::vector<std::string> options = {"-nocudainc",  "-nocudalib", "-nostdinc",
                                      "-nostdinc++", "-fdeclspec", "-isystem" + folder};
  for (const char* header :
       {types_of_every_file, integers_of_every_file, cuda_header, names_of_every_file}) {
    options.push_back("-include");
    options.push_back(folder + "/" + header);
  }
  return options;
}

std::vector<std::string> clangd_options(const std::filesystem::path& folder) {
  if (!write_clang_headers(folder)) return {};
  // A GPU that clang 14 knows.
  std::vector<std::string> options = {"-xcuda", "-std=c++17", "--cuda-device-only",
                                      "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version"};
  const std::vector<std::string> headers = clang_header_options(folder.string());
  options.insert(options.end(), headers.begin(), headers.end());
  return options;
}

}  // namespace gemm_tutor::simt
