// Waits until a file is saved.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

namespace gemm_tutor {

class FileWatch {
 public:
  // The file need not be there, but its directory must. Where the system reports changes (inotify,
  // on Linux) it is asked to, unless `polls`; else the file is looked at a few times a second.
  explicit FileWatch(std::filesystem::path path, bool polls = false);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Returns true once the file was written, replaced, made or removed since the last call (or since
  // the watch began), or false after `timeout`. An editor may do several of these for one save:
  // each may be reported.
  bool wait(std::chrono::milliseconds timeout);

 private:
  struct Notifier;
  struct State;
  std::filesystem::path path_;
  std::unique_ptr<Notifier> notifier_;  // null: the file is looked at
  std::unique_ptr<State> seen_;
};

}  // namespace gemm_tutor
