// What a grading has done so far, on disk, so that one that was interrupted can be continued.
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

// One line of JSON for each mark, in the order they came. From any thread.
class Journal {
 public:
  // An empty path: nothing is kept. `fresh` forgets what is there. Throws Error (unavailable) where
  // another process is at the same grading. A journal that cannot be written is none.
  Journal(std::filesystem::path path, bool fresh);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // By the key of a submission. Lines that are damaged are not there.
  std::optional<Mark> find(const std::string& key) const;
  std::size_t size() const { return marks_.size(); }  // when it was opened
  void add(const std::string& key, const Mark& mark);

  // A folder to remove if this grading is interrupted, and those that earlier gradings left.
  void note_folder(const std::filesystem::path& folder);
  const std::vector<std::string>& folders_left() const { return folders_; }

  // The grading is complete: the file is removed.
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
