// A cache of compiled kernels on disk, one file per kernel. Processes may use it at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simt/compiler.hpp"

namespace gemm_tutor::simt {

class KernelCache {
 public:
  static constexpr std::uintmax_t default_capacity = 64 << 20;  // bytes

  // An empty path means no cache: load() finds nothing, and store() does nothing.
  explicit KernelCache(std::filesystem::path directory, std::uintmax_t capacity = default_capacity)
      : directory_(std::move(directory)), capacity_(capacity) {}

  // Returns nothing if there is no such file, or if it is incomplete or has another key.
  std::optional<CompiledKernel> load(const std::string& key) const;

  // Does nothing if the directory cannot be written. Removes the oldest files above the capacity.
  void store(const std::string& key, const CompiledKernel& kernel) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void remove_oldest() const;

  std::filesystem::path directory_;
  std::uintmax_t capacity_;
};

// Makes one key of all parts. Different lists of parts give different keys.
std::string cache_key(const std::vector<std::string>& parts);

}  // namespace gemm_tutor::simt
