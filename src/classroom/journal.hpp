// Stores a grading's results on disk, so that an interrupted grading can be continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "classroom/marks.hpp"

namespace gemm_tutor {

// One line of JSON per mark, in the order of grading. Thread-safe.
class Journal {
 public:
  // With an empty path nothing is stored. `fresh` deletes the stored results. Throws Error
  // (unavailable) if another process is doing the same grading. If the file cannot be written,
  // nothing is stored.
  Journal(std::filesystem::path path, bool fresh);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Finds a mark by the submission's key. Damaged lines are ignored.
  std::optional<Mark> find(const std::string& key) const;
  std::size_t size() const { return marks_.size(); }  // number of marks when it was opened
  void add(const std::string& key, const Mark& mark);

  // Notes a folder that must be removed if this grading is interrupted. folders_left() are those of
  // earlier gradings.
  void note_folder(const std::filesystem::path& folder);
  const std::vector<std::string>& folders_left() const { return folders_; }

  // Removes the file when the grading is complete.
  void remove();

 private:
  void open();
  void read();
  void append(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
  std::mutex mutex_;
  std::map<std::string, Mark> marks_;
  std::vector<std::string> folders_;
};

}  // namespace gemm_tutor
