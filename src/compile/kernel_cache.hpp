// Compiled kernels kept on disk: one file each, which any number of processes may read and write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.hpp"

namespace gemm_tutor {

class KernelCache {
 public:
  static constexpr std::uintmax_t default_capacity = 64 << 20;  // bytes

  // An empty path means no cache: nothing is ever found or kept.
  explicit KernelCache(std::filesystem::path directory, std::uintmax_t capacity = default_capacity)
      : directory_(std::move(directory)), capacity_(capacity) {}

  // Empty when it is not there, or when the file is not whole or is another key's.
  std::optional<CompiledKernel> load(const std::string& key) const;

  // Does nothing when the directory cannot be written. Removes the oldest files over the capacity.
  void store(const std::string& key, const CompiledKernel& kernel) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void remove_oldest() const;

  std::filesystem::path directory_;
  std::uintmax_t capacity_;
};

// One key for all of these together; different parts never give the same key.
std::string cache_key(const std::vector<std::string>& parts);

}  // namespace gemm_tutor
