#include "course/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "course/lesson.hpp"
#include "support/file.hpp"

namespace gemm_tutor {
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
using State = StoredProgress::State;

constexpr int file_version = 1;
constexpr std::uintmax_t largest_file = 1 << 20;  // in bytes: far more than all answers need

// --- To JSON. It has only values that can be read again: sizes are at least 1, numbers are finite,
// and bytes that are not UTF-8 become U+FFFD.

double finite_or_zero(double value) { return std::isfinite(value) ? value : 0; }

Json json_of(const Problem& problem) {
  return Json{
      {"m", std::max(problem.m, 1)}, {"n", std::max(problem.n, 1)}, {"k", std::max(problem.k, 1)}};
}

Json json_of(const Prediction& prediction) {
  Json json{{"answer", prediction.answer}, {"problem", json_of(prediction.problem)}};
  if (prediction.right) json["right"] = *prediction.right;
  if (!prediction.first.empty()) json["first"] = prediction.first;
  return json;
}

Json json_of(const RunRecord& run) {
  return Json{{"problem", json_of(run.problem)},
              {"device", run.device},
              {"flops_a_byte", finite_or_zero(run.flops_a_byte)},
              {"wavefronts_a_ffma", finite_or_zero(run.wavefronts_a_ffma)},
              {"tflops", finite_or_zero(run.tflops)},
              {"time", run.time},
              {"percent_of_cublas", finite_or_zero(run.percent_of_cublas)},
              {"percent_of_peak", finite_or_zero(run.percent_of_peak)}};
}

Json json_of(const LessonProgress& lesson) {
  Json json{{"done", lesson.done}, {"predictions", Json::object()}};
  for (const auto& [id, prediction] : lesson.predictions) {
    json["predictions"][id] = json_of(prediction);
  }
  if (lesson.run) json["run"] = json_of(*lesson.run);
  return json;
}

Json json_of(const ExerciseProgress& exercise) {
  return Json{{"failed_checks", exercise.failed_checks},
              {"hints", exercise.hints},
              {"solved", exercise.solved},
              {"put_off", exercise.put_off},
              {"solution_taken", exercise.solution_taken},
              {"file", exercise.file}};
}

}  // namespace

std::string progress_text(const Progress& progress) {
  Json json{{"version", file_version},
            {"experience", progress.experience},
            {"predict", progress.predict},
            {"lesson", progress.lesson},
            {"step", progress.step},
            {"kernel", progress.kernel},
            {"problem", json_of(progress.problem)},
            {"lessons", Json::object()},
            {"exercise", progress.exercise},
            {"exercises", Json::object()}};
  for (const auto& [slug, lesson] : progress.lessons) json["lessons"][slug] = json_of(lesson);
  for (const auto& [slug, exercise] : progress.exercises) {
    json["exercises"][slug] = json_of(exercise);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

// --- From JSON. A missing key leaves the value unchanged. A value of another type throws.

template <class Value>
void read_key(const Json& json, const char* name, Value& value);

void read(const Json& json, bool& value) { value = json.get<bool>(); }
void read(const Json& json, double& value) { value = json.get<double>(); }
void read(const Json& json, std::string& value) { value = json.get<std::string>(); }

void read(const Json& json, int& value) {  // of a count
  if (!json.is_number_integer()) throw std::invalid_argument("no whole number");
  const auto number = json.get<std::int64_t>();  // negative if it overflows
  if (number < 0 || number > std::numeric_limits<int>::max()) throw std::out_of_range("no count");
  value = static_cast<int>(number);
}

void read(const Json& json, Problem& problem) {
  read_key(json, "m", problem.m);
  read_key(json, "n", problem.n);
  read_key(json, "k", problem.k);
  if (std::min({problem.m, problem.n, problem.k}) < 1) throw std::out_of_range("no size");
}

void read(const Json& json, std::optional<bool>& value) { read(json, value.emplace()); }

void read(const Json& json, Prediction& prediction) {
  read_key(json, "answer", prediction.answer);
  read_key(json, "problem", prediction.problem);
  read_key(json, "right", prediction.right);
  read_key(json, "first", prediction.first);
}

void read(const Json& json, std::optional<RunRecord>& value) {
  RunRecord& run = value.emplace();
  read_key(json, "problem", run.problem);
  read_key(json, "device", run.device);
  read_key(json, "flops_a_byte", run.flops_a_byte);
  read_key(json, "wavefronts_a_ffma", run.wavefronts_a_ffma);
  read_key(json, "tflops", run.tflops);
  read_key(json, "time", run.time);
  read_key(json, "percent_of_cublas", run.percent_of_cublas);
  read_key(json, "percent_of_peak", run.percent_of_peak);
}

const Json::object_t& object(const Json& json) { return json.get_ref<const Json::object_t&>(); }

template <class Entry>
void read(const Json& json, std::map<std::string, Entry>& entries);

void read(const Json& json, LessonProgress& lesson) {
  read_key(json, "done", lesson.done);
  read_key(json, "predictions", lesson.predictions);
  read_key(json, "run", lesson.run);
}

void read(const Json& json, ExerciseProgress& exercise) {
  read_key(json, "failed_checks", exercise.failed_checks);
  read_key(json, "hints", exercise.hints);
  read_key(json, "solved", exercise.solved);
  read_key(json, "put_off", exercise.put_off);
  read_key(json, "solution_taken", exercise.solution_taken);
  read_key(json, "file", exercise.file);
}

template <class Entry>
void read(const Json& json, std::map<std::string, Entry>& entries) {
  for (const auto& [slug, entry] : object(json)) read(entry, entries[slug]);
}

void read(const Json& json, Progress& progress) {
  read_key(json, "experience", progress.experience);
  read_key(json, "predict", progress.predict);
  read_key(json, "lesson", progress.lesson);
  read_key(json, "step", progress.step);
  read_key(json, "kernel", progress.kernel);
  read_key(json, "problem", progress.problem);
  read_key(json, "lessons", progress.lessons);
  read_key(json, "exercise", progress.exercise);
  read_key(json, "exercises", progress.exercises);
}

template <class Value>
void read_key(const Json& json, const char* name, Value& value) {
  const auto found = object(json).find(name);
  if (found != object(json).end()) read(found->second, value);
}

}  // namespace

StoredProgress progress_in(const std::string& text) try {
  const Json json = Json::parse(text);
  int written_version = 0;
  read_key(json, "version", written_version);
  if (written_version > file_version) return {State::newer};
  if (written_version < file_version) return {State::damaged};
  StoredProgress stored{State::good};
  read(json, stored.progress);
  return stored;
} catch (const std::exception&) {  // it is not JSON, or has another structure
  return {State::damaged};
}

namespace {

// Checks the kind of file before it opens it, because a pipe may never end.
StoredProgress read_stored(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) return {State::missing};
  if (error) return {State::unreadable};
  if (type != fs::file_type::regular) return {State::damaged};
  if (fs::file_size(path, error) > largest_file || error) return {State::damaged};
  const std::optional<std::string> contents = read_file(path);
  return contents ? progress_in(*contents) : StoredProgress{State::unreadable};
}

// Returns a link's target, which need not exist (for example in a folder of dotfiles). Returns the
// link if the target is not a regular file, because /dev/null must not be replaced.
fs::path file_of(const fs::path& path) {
  const fs::path file = without_links(path);
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  const bool may_be_one = type == fs::file_type::regular || type == fs::file_type::not_found;
  return may_be_one ? file : path;
}

// --- Two processes that save at the same time

// `before` is the common earlier state.
void merge(LessonProgress& own, const LessonProgress& before, const LessonProgress& other) {
  const bool done = own.done || other.done;
  if (own == before) own = other;
  own.done = done;
  own.predictions.insert(other.predictions.begin(), other.predictions.end());
  if (!own.run) own.run = other.run;
}

void merge(ExerciseProgress& own, const ExerciseProgress& before, const ExerciseProgress& other) {
  const bool solved = own.solved || other.solved;
  const bool solution_taken = own.solution_taken || other.solution_taken;
  if (own == before) own = other;
  own.solved = solved;
  own.solution_taken = solution_taken;
  own.hints = std::max(own.hints, other.hints);
  own.failed_checks = std::max(own.failed_checks, other.failed_checks);
  if (own.file.empty()) own.file = other.file;
}

template <class Entry>
void merge(std::map<std::string, Entry>& own, const std::map<std::string, Entry>& before,
           const std::map<std::string, Entry>& other) {
  for (const auto& [slug, entry] : other) {
    const auto found = before.find(slug);
    merge(own[slug], found == before.end() ? Entry() : found->second, entry);
  }
}

// The place to continue, the size and the preferences of this process are kept, because its learner
// is active now.
void merge(Progress& own, const Progress& before, const Progress& other) {
  merge(own.lessons, before.lessons, other.lessons);
  merge(own.exercises, before.exercises, other.exercises);
  if (own.exercise == before.exercise) own.exercise = other.exercise;
}

}  // namespace

void take_over(Progress& own, const Progress& theirs) {
  Progress other = theirs;
  for (auto& [slug, exercise] : other.exercises) {
    std::error_code error;
    if (!fs::exists(exercise.file, error)) exercise.file.clear();
  }
  const bool has_begun = !own.lesson.empty() || !own.experience.empty();
  Progress result = has_begun ? own : other;
  result.lessons = own.lessons;
  result.exercises = own.exercises;
  result.exercise = own.exercise;
  merge(result, {}, other);
  own = std::move(result);
}

Score& Score::operator+=(const Score& other) {
  right += other.right;
  right_later += other.right_later;
  answered += other.answered;
  return *this;
}

Score score_of(const LessonProgress& lesson) {
  Score score;
  for (const auto& [id, prediction] : lesson.predictions) {
    if (!prediction.right) continue;
    ++score.answered;
    (prediction.first.empty() ? score.right : score.right_later) += *prediction.right;
  }
  return score;
}

Score score_of(const Progress& progress) {
  Score total;
  for (const auto& [slug, lesson] : progress.lessons) total += score_of(lesson);
  return total;
}

LessonState state_of(const Lesson& lesson, const Progress& progress) {
  const auto is_solved = [&](const Lesson& one) {
    const auto found = progress.exercises.find(one.slug);
    return found != progress.exercises.end() && found->second.solved;
  };
  const auto found = progress.lessons.find(lesson.slug);
  if (found == progress.lessons.end() || !found->second.done) {
    // Who solves a lesson's exercise has the lessons before it.
    const bool is_proved = std::ranges::any_of(numbered_lessons(), [&](const Lesson& one) {
      return one.place >= lesson.place && is_solved(one);
    });
    return is_proved && lesson.number ? LessonState::proved : LessonState::open;
  }
  const auto is_answered = [&](const Question& question) {
    const auto given = found->second.predictions.find(question.id);
    return given != found->second.predictions.end() && given->second.right;
  };
  const bool all = std::ranges::all_of(lesson.kernels.front().questions, is_answered);
  if (!all && progress.predict) return LessonState::read;
  return lesson.exercise.empty() || is_solved(lesson) ? LessonState::solved : LessonState::answered;
}

bool is_behind(const Lesson& lesson, const Progress& progress) {
  return state_of(lesson, progress) != LessonState::open;
}

fs::path progress_path() {
  const fs::path directory = state_directory();
  return directory.empty() ? fs::path() : directory / "progress.json";
}

StoredProgress read_progress(const fs::path& path) {
  StoredProgress stored = read_stored(path);
  stored.path = path;
  return stored;
}

fs::path move_progress_aside(const fs::path& path, std::string_view suffix,
                             std::error_code& error) {
  return move_aside(file_of(path), suffix, error);
}

ProgressFile::ProgressFile(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) {
    may_write_ = false;
    cannot_save("neither XDG_STATE_HOME nor HOME says where");
  }
  progress = saved_ = read();
}

bool ProgressFile::save() {
  if (progress == saved_) return true;
  if (!may_write_) return false;
  const Progress stored = read();  // may set may_write_ to false
  if (!may_write_) return false;
  if (stored != saved_) merge(progress, saved_, stored);
  std::error_code error;
  if (!write_file_atomically(file_of(path_), progress_text(progress), error)) {
    cannot_save(fmt::format("{}: {}", path_.string(), error.message()));
    return false;
  }
  saved_ = progress;
  return true;
}

std::string ProgressFile::take_notice() { return std::exchange(notice_, ""); }

Progress ProgressFile::read() {
  const StoredProgress stored = read_progress(path_);
  if (stored.state == State::unreadable) {
    may_write_ = false;
    cannot_save(fmt::format("{} cannot be read", path_.string()));
  } else if (stored.state == State::damaged || stored.state == State::newer) {
    keep_aside(stored);
  }
  return stored.progress;
}

void ProgressFile::keep_aside(const StoredProgress& stored) {
  const bool is_newer = stored.state == State::newer;
  const char* what = is_newer ? "was saved by a newer gemm-tutor" : "is damaged";
  std::error_code error;
  const fs::path kept = move_progress_aside(path_, is_newer ? ".newer" : ".damaged", error);
  if (kept.empty()) {
    may_write_ = false;
    cannot_save(
        fmt::format("{} {} and cannot be moved aside: {}", path_.string(), what, error.message()));
  } else {
    notice_ += fmt::format("{}Your progress file {}: it is kept as {}, and a new one is begun.",
                           notice_.empty() ? "" : " ", what, kept.string());
  }
}

void ProgressFile::cannot_save(const std::string& reason) {
  if (std::exchange(has_said_so_, true)) return;
  notice_ += fmt::format("{}Your progress cannot be saved ({}), but you can go on.",
                         notice_.empty() ? "" : " ", reason);
}

}  // namespace gemm_tutor
