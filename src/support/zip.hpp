// Writes ZIP archives, without compression.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor {

struct ZipEntry {
  std::string name;  // in UTF-8, with "/" between folders
  std::string contents;
  bool is_executable = false;
};

// The same entries give the same bytes. All of them together must be smaller than 4 GiB.
std::string zip_of(const std::vector<ZipEntry>& entries);

}  // namespace gemm_tutor
