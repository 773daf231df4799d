// Waits until a file is saved.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

namespace gemm_tutor {

class FileWatch {
 public:
  // The file need not exist, but its directory must. Uses inotify on Linux, unless `polls` is set.
  // Otherwise it looks at the file a few times per second.
  explicit FileWatch(std::filesystem::path path, bool polls = false);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Waits until the file was written, replaced, made or removed since the last call, or since the
  // watch was made. Returns false after `timeout`. An editor may do several of these for one save,
  // and each may be reported.
  bool wait(std::chrono::milliseconds timeout);

 private:
  struct Notifier;
  struct State;
  std::filesystem::path path_;
  std::unique_ptr<Notifier> notifier_;  // null if the file is polled
  std::unique_ptr<State> seen_;
};

}  // namespace gemm_tutor
