// Finds the submissions in a directory: the student and the exercise of each file. The contents are
// not trusted: links are not followed, and only regular files are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exercise/exercise.hpp"

namespace gemm_tutor {

inline constexpr std::uintmax_t largest_submission = 1 << 20;  // bytes
inline constexpr std::size_t most_entries = 1000;              // in a student's folder
inline constexpr int most_levels = 3;                          // depth of nested folders

struct Submission {
  const Exercise* exercise = nullptr;
  std::filesystem::path file;
  std::string trouble;  // why it cannot be graded, in one line; empty if it can
};

struct Student {
  std::string name;  // of the folder or file; any bytes
  // In a learning platform's names of downloaded files; empty elsewhere. Of Moodle it is the
  // participant's number, of Canvas the user's.
  std::string id;
  std::vector<Submission> submissions;  // at most one per exercise
  // Slugs of the exercises whose solution the student took before trying. It is what the student's
  // own progress says; nothing if none was handed in.
  std::optional<std::set<std::string>> solutions_taken = {};

  // Returns nothing if it is not known.
  std::optional<bool> has_taken(const Exercise& exercise) const;
};

struct Submissions {
  std::vector<const Exercise*> exercises;  // that are graded
  std::vector<Student> students;           // sorted bytewise by name
  // About archives, and about files that look like submissions but are not graded: "anna/notes.cu:
  // for no exercise that is graded".
  std::vector<std::string> notes;
};

// Each entry of `directory` is a student: a folder with files, or one file. A file that is named
// like its exercise belongs to the student after whom `directory` is named. In names of files as
// Moodle and Canvas download them, the student's name comes first. Hidden entries and
// files that are not CUDA or plain text are ignored. A file's exercise is the one that its first
// line names; otherwise the one whose number or name is the file's name; otherwise, if only one
// exercise is graded and the name ends in ".cu", that one. A progress file that the student has
// exported is any .json file in the folder, or the one with the name of a single file: anna.json
// for anna.cu. `exercises` are those to grade; if empty, all that have a file. Throws Error (usage)
// if there is no such directory, or no submission in it.
Submissions find_submissions(const std::filesystem::path& directory,
                             const std::vector<const Exercise*>& exercises);

// The same for one student's folder or file. A file's own name may say its exercise, too.
Submissions find_submission(const std::filesystem::path& path,
                            const std::vector<const Exercise*>& exercises);

struct ReadFile {
  std::string contents;
  std::string trouble;  // "a link, which is not followed"; empty if it was read
};

// Reads a regular file of at most largest_submission bytes. Never blocks on other files.
ReadFile read_submission(const std::filesystem::path& file);

inline constexpr std::size_t longest_reason = 200;  // code points

// Makes text from a student safe for a report. Returns the first `most` code points in one line,
// with "…" for the rest. Characters that control a terminal or change the direction of text become
// U+FFFD.
std::string one_line(std::string_view text, std::size_t most = longest_reason);

}  // namespace gemm_tutor
