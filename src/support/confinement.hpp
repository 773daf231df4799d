// Lets this process give up, until it ends, the right to read and write most files.
#pragma once

#include <filesystem>
#include <vector>

namespace gemm_tutor {

// Files, and directories with everything in them. Paths that do not exist are ignored.
struct AllowedFiles {
  std::vector<std::filesystem::path> to_read;
  std::vector<std::filesystem::path> to_write;  // may also be read
  // May also be read. If there are any, the system's loader is allowed, too.
  std::vector<std::filesystem::path> to_execute = {};
};

// From now on this thread, and all threads and processes that it starts later, cannot open or
// execute any other file. Open files stay open. Returns false and changes nothing if the system
// cannot do this: it needs Linux 5.13 with Landlock.
bool confine_to(const AllowedFiles& files);

}  // namespace gemm_tutor
