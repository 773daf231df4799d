// A folder of a test's own, which is the working directory as long as it lives: the course writes
// its exercises there.
#pragma once

#include <filesystem>

#include "temporary_directory.hpp"

namespace gemm_tutor {

class OwnFolder {
 public:
  OwnFolder() { std::filesystem::current_path(directory_.path()); }
  ~OwnFolder() { std::filesystem::current_path(before_); }
  OwnFolder(const OwnFolder&) = delete;

  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryDirectory directory_;
};

}  // namespace gemm_tutor
