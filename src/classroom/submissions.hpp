// What a directory of submissions holds: which student's which file is for which exercise. Nothing
// of it is trusted: links are not followed, and only ordinary files are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"

namespace gemm_tutor {

inline constexpr std::uintmax_t largest_submission = 1 << 20;  // bytes
inline constexpr std::size_t most_entries = 1000;              // of a student's folder
inline constexpr int most_levels = 3;                          // of folders below each other

struct Submission {
  const Exercise* exercise = nullptr;
  std::filesystem::path file;
  std::string trouble;  // why it cannot be graded, in one line; empty where it can
};

struct Student {
  std::string name;                     // of the folder or file: any bytes
  std::vector<Submission> submissions;  // at most one an exercise
};

struct Submissions {
  std::vector<const Exercise*> exercises;  // that are graded
  std::vector<Student> students;           // by the bytes of their names
  // Of files that look like submissions and count for nothing: "anna/notes.cu: for no exercise that
  // is graded".
  std::vector<std::string> notes;
};

// Each entry of `directory` is a student: a folder with files, or one file. Hidden entries, and
// files that are no CUDA or plain text, are left out. A file is for the exercise that its first
// line names; else for that of its own name, which may be an exercise's number or name; else, where
// one exercise alone is graded and it ends in ".cu", for that. `exercises` are those to grade;
// none: those that at least one file is for. Throws Error (usage) where there is no such directory,
// or no submission in it.
Submissions find_submissions(const std::filesystem::path& directory,
                             const std::vector<const Exercise*>& exercises);

struct ReadFile {
  std::string contents;
  std::string trouble;  // "a link, which is not followed"; empty where it could be read
};

// An ordinary file of at most largest_submission; never waits for one that is none.
ReadFile read_submission(const std::filesystem::path& file);

}  // namespace gemm_tutor
