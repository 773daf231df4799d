// Runs another program as a child process, in its own session and with limits on its resources. The
// caller gives its standard input and gets its output. No process of the session survives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gemm_tutor {

struct ChildLimits {
  double seconds = 20;  // of wall-clock time; the limit of processor time is a little higher
  // Address space; 0 for no limit. A build with AddressSanitizer has no limit, because the
  // sanitizer reserves terabytes.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t file_bytes = 16 << 20;  // of any file that it writes
  std::size_t output_bytes = 1 << 20;   // of standard output; more ends the child
  std::size_t error_bytes = 64 << 10;   // of standard error; more is read and dropped
  int open_files = 64;
};

struct ChildRequest {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // the whole environment: "NAME=value"
  std::filesystem::path directory;       // the working directory
  std::string input;                     // its standard input
  ChildLimits limits;
};

struct ChildResult {
  enum class End { exited, signalled, took_too_long, printed_too_much, stopped };
  End end = End::exited;
  int status = 0;  // with End::exited
  int signal = 0;  // with End::signalled
  std::string output, error;
  double seconds = 0;
};

// Runs the child and returns when all processes of its session have ended. `stop` is called about
// 20 times per second; true ends the child. On Linux the child also ends with the calling thread.
// May be called from any thread, and blocks it. Throws Error (unavailable) if no process can be
// started.
ChildResult run_child(const ChildRequest& request, const std::function<bool()>& stop = {});

// Runs `work` in a copy of this process (fork), so that a crash does not harm this one. What it
// returns is the result's output. If it throws, the exit status is not 0. Only the limits of time
// and output apply. The copy has only the calling thread, so `work` must not need a lock that
// another thread may hold. Throws Error (unavailable) if no process can be started.
ChildResult run_copy(const std::function<std::string()>& work, const ChildLimits& limits);

// Returns the file of the running program. Empty if the system does not tell.
std::filesystem::path program_path();

// A new directory in the system's directory for temporary files. The destructor removes it.
class TemporaryFolder {
 public:
  // Throws Error (unavailable) if the directory cannot be made.
  explicit TemporaryFolder(const std::string& name);  // "gemm-tutor-grading-"
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gemm_tutor
