// Another program run as a child, in a session of its own and with limits on what it may use. Its
// standard input is given, what it writes is read, and nothing of it is left when it is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gemm_tutor {

struct ChildLimits {
  double seconds = 20;  // by the clock on the wall; of processor time a little more
  // Of address space; 0 for no limit. There is none in a build with AddressSanitizer, which
  // reserves terabytes of it.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t file_bytes = 16 << 20;  // of any file that it writes
  std::size_t output_bytes = 1 << 20;   // of standard output; more ends it
  std::size_t error_bytes = 64 << 10;   // of standard error; more is read and dropped
  int open_files = 64;
};

struct ChildRequest {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // the program's name left out
  std::vector<std::string> environment;  // all of it: "NAME=value"
  std::filesystem::path directory;       // it begins there
  std::string input;                     // on standard input
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

// Returns when the child, and all of its session, is gone. `stop` is asked some twenty times a
// second, and ends the child. It ends with the thread that calls this, too (on Linux). From any
// thread; blocks it. Throws Error (unavailable) when no process can be made.
ChildResult run_child(const ChildRequest& request, const std::function<bool()>& stop = {});

// Runs `work` in a copy of this process, which may crash without harm to this one. What it returns
// is the result's output; one that throws exits with a status other than 0. Of the limits only
// those of time and output apply. The copy has the calling thread alone: `work` must not need a
// lock that another thread may hold. Throws Error (unavailable) when no process can be made.
ChildResult run_copy(const std::function<std::string()>& work, const ChildLimits& limits);

// The file of the program that runs. Empty where the system does not say.
std::filesystem::path program_path();

// A directory of this process's own below the system's for temporary files, gone with this object.
class TemporaryFolder {
 public:
  // Throws Error (unavailable) when it cannot be made.
  explicit TemporaryFolder(const std::string& name);  // "gemm-tutor-grading-"
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gemm_tutor
