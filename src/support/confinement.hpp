// A process that gives up, for the rest of its life, the right to read and write most files.
#pragma once

#include <filesystem>
#include <vector>

namespace gemm_tutor {

// Files, and directories with all that is below them. What is not there is left out.
struct AllowedFiles {
  std::vector<std::filesystem::path> to_read;
  std::vector<std::filesystem::path> to_write;         // and to read
  std::vector<std::filesystem::path> to_execute = {};  // and to read; and the system's loader then
};

// From now on this process, all its threads that start later, and what it starts can open no other
// file, and execute no other. What is open stays so. False, with nothing changed, where the system
// cannot do this: it needs Linux 5.13 with Landlock.
bool confine_to(const AllowedFiles& files);

}  // namespace gemm_tutor
