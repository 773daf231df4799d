// What is kept of a learner: which lessons are done, what was answered, where to go on, and which
// exercises are solved.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// What a learner predicted, and whether the count agreed; nothing while it has not been counted.
struct Prediction {
  std::string answer;  // as it was typed
  Problem problem;     // that it was given for
  std::optional<bool> right;

  bool operator==(const Prediction&) const = default;
};

// A lesson's own kernel as it was last run: the learner's own ladder is made of these.
struct RunRecord {
  Problem problem;
  std::string device;            // that ran it, or that its time is of
  double flops_a_byte = 0;       // of global memory, as counted
  double wavefronts_a_ffma = 0;  // of shared memory, as counted
  double tflops = 0;
  std::string time = {};  // "measured", "recorded" or "estimated"; empty: there are no tflops
  double percent_of_cublas = 0;  // 0: not known

  bool operator==(const RunRecord&) const = default;
};

struct LessonProgress {
  bool done = false;
  std::map<std::string, Prediction> predictions;  // by the question's id
  std::optional<RunRecord> run;

  bool operator==(const LessonProgress&) const = default;
};

struct ExerciseProgress {
  int failed_checks = 0;
  int hints = 0;  // that were given
  bool solved = false;
  std::string file;  // where it was started or last checked: an absolute path

  bool operator==(const ExerciseProgress&) const = default;
};

struct Progress {
  // What the first start asked: "new", "some" or "much" CUDA; empty before it did.
  std::string experience;
  bool predict = true;       // wants to be asked for predictions
  std::string lesson, step;  // where to go on: a slug, and one of the walkthrough's names
  Problem problem{1024, 1024, 1024};
  std::map<std::string, LessonProgress> lessons;      // by slug
  std::string exercise;                               // the one last started or checked: a slug
  std::map<std::string, ExerciseProgress> exercises;  // by slug

  bool operator==(const Progress&) const = default;
};

// Of the questions answered and counted: how many were right, and how many there were.
struct Score {
  int right = 0, answered = 0;
};
Score score_of(const LessonProgress& lesson);
Score score_of(const Progress& progress);

// $XDG_STATE_HOME/gemm-tutor/progress.json, or ~/.local/state/gemm-tutor/progress.json; empty when
// neither variable is set.
std::filesystem::path progress_path();

// What a progress file holds.
struct StoredProgress {
  enum class State {
    missing,
    good,
    damaged,     // not what this program writes
    newer,       // what a newer version of it wrote
    unreadable,  // for lack of permission, for example
  };

  State state = State::missing;
  Progress progress = {};  // a fresh one unless the state is good
  std::filesystem::path path = {};
};

// Reads it, and neither writes nor moves anything. Does not throw.
StoredProgress read_progress(const std::filesystem::path& path);

// Moves the file, or the one that a link leads to, aside: progress.json.old for ".old", or .old-2
// and so on where that is taken. The new path; empty, with the reason in `error`, when that is not
// possible.
std::filesystem::path move_progress_aside(const std::filesystem::path& path,
                                          std::string_view suffix, std::error_code& error);

// The progress in a file. Nothing here throws: the learner can continue, whatever the disk does.
class ProgressFile {
 public:
  // Reads it; a missing file is a fresh start. One that is damaged, or of a newer version of the
  // program, is moved aside (never overwritten), and a fresh one begun.
  explicit ProgressFile(std::filesystem::path path);

  Progress progress;

  // Writes it atomically, and only if it has changed since it was read or last written. What
  // another process has saved of the lessons in the meantime is taken into `progress`; what is done
  // stays done. A link stays one: the file it leads to is written. False where that cannot be done.
  bool save();

  // A sentence or two for the learner about what went wrong, each given once: that a file was kept
  // aside and where, that progress cannot be saved and why. Empty: nothing.
  std::string take_notice();

 private:
  Progress read();
  void keep_aside(const StoredProgress& stored);
  void cannot_save(const std::string& reason);

  std::filesystem::path path_;
  Progress saved_;  // what was last read or written
  std::string notice_;
  bool may_write_ = true;  // not where a file is that could be neither read nor moved aside
  bool has_said_so_ = false;
};

}  // namespace gemm_tutor
