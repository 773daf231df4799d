// A learner's progress: finished lessons, answers, the place to continue, and solved exercises.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "gemm/problem.hpp"

namespace gemm_tutor {

struct Lesson;

// A learner's prediction.
struct Prediction {
  std::string answer;  // as typed; empty between a wrong first answer and the second
  Problem problem;
  std::optional<bool> right;  // nothing while it has not been counted
  std::string first = {};     // a wrong first answer, if `answer` is the second

  bool operator==(const Prediction&) const = default;
};

// The last run of a lesson's kernel. The learner's ladder consists of these.
struct RunRecord {
  Problem problem;
  std::string device;            // the device that ran it, or of its time
  double flops_a_byte = 0;       // per byte of global memory, counted
  double wavefronts_a_ffma = 0;  // of shared memory, counted
  double tflops = 0;
  std::string time = {};         // "measured", "recorded" or "estimated"; empty without tflops
  double percent_of_cublas = 0;  // 0 if not known
  double percent_of_peak = 0;    // the same, of the GPU's FP32 peak

  bool operator==(const RunRecord&) const = default;
};

struct LessonProgress {
  bool done = false;
  std::map<std::string, Prediction> predictions;  // by the question's id
  std::optional<RunRecord> run = std::nullopt;

  bool operator==(const LessonProgress&) const = default;
};

struct ExerciseProgress {
  int failed_checks = 0;
  int hints = 0;  // number of hints shown
  bool solved = false;
  std::string file;             // the absolute path where it was started or last checked
  bool solution_taken = false;  // by 'solution --anyway', before a check
  bool put_off = false;         // the learner went on without it

  // A kernel of the learner was checked, solved or not.
  bool is_tried() const { return solved || failed_checks > 0; }
  void add_check(bool solves) {
    solved = solved || solves;
    failed_checks += !solves;
  }

  bool operator==(const ExerciseProgress&) const = default;
};

struct Progress {
  // The answer about experience with CUDA at the first start: "new", "some" or "much"; empty
  // before.
  std::string experience;
  bool predict = true;  // ask for predictions
  // Where to continue: a slug, the name of a walkthrough's step, and the kernel's name, empty for
  // the lesson's own.
  std::string lesson, step, kernel;
  Problem problem{1024, 1024, 1024};
  std::map<std::string, LessonProgress> lessons;      // by slug
  std::string exercise;                               // slug of the one last started or checked
  std::map<std::string, ExerciseProgress> exercises;  // by slug

  bool operator==(const Progress&) const = default;
};

// The number of answers that were right at once, of those right at the second try, and of all that
// have been counted.
struct Score {
  int right = 0, right_later = 0, answered = 0;

  Score& operator+=(const Score& other);
};
Score score_of(const LessonProgress& lesson);
Score score_of(const Progress& progress);

// How far a learner is with a lesson, by questions and exercises.
// - proved: not read, but the exercise of this or a later lesson is solved;
// - read: its steps were seen to the end;
// - answered: and all questions of its own kernel were answered, if the learner wants to be asked;
// - solved: and its exercise is solved, if it has one. Such a lesson is ticked.
enum class LessonState { open, proved, read, answered, solved };
LessonState state_of(const Lesson& lesson, const Progress& progress);

// True if the course has no need to offer the lesson: any state but open.
bool is_behind(const Lesson& lesson, const Progress& progress);

// Returns $XDG_STATE_HOME/gemm-tutor/progress.json, or ~/.local/state/gemm-tutor/progress.json.
// Empty if neither XDG_STATE_HOME nor HOME is set.
std::filesystem::path progress_path();

// The contents of a progress file.
struct StoredProgress {
  enum class State {
    missing,
    good,
    damaged,     // not written by this program
    newer,       // written by a newer version
    unreadable,  // for example, no permission
  };

  State state = State::missing;
  Progress progress = {};  // new unless the state is good
  std::filesystem::path path = {};
};

// Reads the file and changes nothing. Does not throw.
StoredProgress read_progress(const std::filesystem::path& path);

// The same for the text of such a file: the state is good, damaged or newer, and there is no path.
StoredProgress progress_in(const std::string& text);

// Returns the text of a progress file.
std::string progress_text(const Progress& progress);

// Adds another machine's progress. What is finished or solved in either stays so. Of two answers,
// runs or files, the own one is kept, and so is the own place to continue. Paths that do not exist
// on this machine are dropped.
void take_over(Progress& own, const Progress& theirs);

// Renames the file, or the target of a link, to progress.json.old for ".old", or .old-2 and so on
// if that exists. Returns the new path; on failure it is empty, with the reason in `error`.
std::filesystem::path move_progress_aside(const std::filesystem::path& path,
                                          std::string_view suffix, std::error_code& error);

// The progress in a file. Nothing here throws, so that the learner can continue if the disk fails.
class ProgressFile {
 public:
  // Reads the file. If it does not exist, the progress is new. A file that is damaged, or from a
  // newer version, is renamed and never overwritten, and the progress is new.
  explicit ProgressFile(std::filesystem::path path);

  Progress progress;

  // Writes the file atomically, if the progress has changed since it was read or last written. It
  // first merges what another process has saved in the meantime; finished lessons stay finished. If
  // the path is a link, it writes the target. Returns false on failure.
  bool save();

  // Returns messages for the learner, each only once: that a file was renamed and how, or that the
  // progress cannot be saved and why. Empty if there is none.
  std::string take_notice();

 private:
  Progress read();
  void keep_aside(const StoredProgress& stored);
  void cannot_save(const std::string& reason);

  std::filesystem::path path_;
  Progress saved_;  // as last read or written
  std::string notice_;
  bool may_write_ = true;  // false if there is a file that could not be read or renamed
  bool has_said_so_ = false;
};

}  // namespace gemm_tutor
