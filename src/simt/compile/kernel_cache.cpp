#include "simt/compile/kernel_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "simt/compile/device_compiler.hpp"
#include "support/child_process.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

// Must be increased when the fields of an entry change.
constexpr const char* format_version = "simt kernel 1";
constexpr const char* extension = ".kernel";

std::string checksum(std::string_view bytes) { return fmt::format("{:016x}", stable_hash(bytes)); }

// A header of fixed length before the fields. It shows whether a file is complete.
std::string sealed(const std::string& body) {
  return fmt::format("{} {} {:>20}\n", format_version, checksum(body), body.size()) + body;
}

std::optional<std::string_view> unsealed(std::string_view file) {
  const std::size_t header = file.find('\n');
  if (header == std::string_view::npos) return {};
  const std::string_view body = file.substr(header + 1);
  if (sealed(std::string(body)) != file) return {};
  return body;
}

std::string to_text(const KernelResources& r) {
  return fmt::format("{} {} {} {} {}", r.registers_per_thread, r.static_shared_bytes,
                     r.local_bytes_per_thread, r.spill_store_bytes, r.spill_load_bytes);
}

KernelResources to_resources(const std::string& text) {
  KernelResources r;
  std::istringstream(text) >> r.registers_per_thread >> r.static_shared_bytes >>
      r.local_bytes_per_thread >> r.spill_store_bytes >> r.spill_load_bytes;
  return r;
}

Fields to_fields(const std::string& key, const CompiledKernel& kernel) {
  Fields fields = {key,
                   kernel.ptx,
                   std::string(kernel.cubin.begin(), kernel.cubin.end()),
                   kernel.lowered_name,
                   to_text(kernel.resources),
                   kernel.log,
                   kernel.compiler};
  for (const auto& [name, resources] : kernel.kernels) {
    fields.push_back(name);
    fields.push_back(to_text(resources));
  }
  return fields;
}

CompiledKernel to_kernel(const Fields& fields) {
  CompiledKernel kernel;
  kernel.ptx = fields[1];
  kernel.cubin.assign(fields[2].begin(), fields[2].end());
  kernel.lowered_name = fields[3];
  kernel.resources = to_resources(fields[4]);
  kernel.log = fields[5];
  kernel.compiler = fields[6];
  for (std::size_t i = 7; i + 1 < fields.size(); i += 2) {
    kernel.kernels[fields[i]] = to_resources(fields[i + 1]);
  }
  kernel.from_cache = true;
  return kernel;
}

struct CachedFile {
  fs::file_time_type written;
  std::uintmax_t bytes;
  fs::path path;
};

// Another process may remove files at any time, so files that cannot be read are ignored.
std::vector<CachedFile> cached_files(const fs::path& directory) {
  std::vector<CachedFile> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != extension) continue;
    std::error_code gone;
    const fs::file_time_type written = it->last_write_time(gone);
    const std::uintmax_t bytes = gone ? 0 : it->file_size(gone);
    if (!gone) files.push_back({written, bytes, it->path()});
  }
  return files;
}

}  // namespace

std::string cache_key(const std::vector<std::string>& parts) { return encode_fields(parts); }

fs::path KernelCache::file_of(const std::string& key) const {
  return directory_ / (checksum(key) + extension);
}

std::optional<CompiledKernel> KernelCache::load(const std::string& key) const {
  if (directory_.empty()) return {};
  const std::optional<std::string> file = read_file(file_of(key));
  const std::optional<std::string_view> body = file ? unsealed(*file) : std::nullopt;
  const std::optional<Fields> fields = body ? decode_fields(*body) : std::nullopt;
  if (!fields || fields->size() < 7 || fields->front() != key) return {};
  return to_kernel(*fields);
}

void KernelCache::store(const std::string& key, const CompiledKernel& kernel) const {
  if (directory_.empty()) return;
  if (write_file_atomically(file_of(key), sealed(encode_fields(to_fields(key, kernel)))))
    remove_oldest();
}

void KernelCache::remove_oldest() const {
  std::vector<CachedFile> files = cached_files(directory_);
  std::uintmax_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  std::sort(files.begin(), files.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.written < b.written; });
  for (const CachedFile& file : files) {
    if (total <= capacity_) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total -= file.bytes;
  }
}

// Kernels that were compiled when this program was packed, for machines without a compiler.
namespace {

constexpr const char* how_to_get_a_compiler =
    "Kernels of your own need one. NVIDIA's NVRTC comes without root: pip install "
    "'" SIMT_PROGRAM
    "[cuda]'. Or install clang 14 or newer (on Debian and Ubuntu: apt-get install "
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
      program_path().parent_path().parent_path() / "share/" SIMT_PROGRAM "/kernels";
  static const std::optional<std::string> compiler = read_file(folder / "compiler");
  if (!compiler) return nullptr;
  static const CompiledAhead kernels(folder, std::string(trimmed(*compiler)));
  return &kernels;
}

}  // namespace gemm_tutor::simt
