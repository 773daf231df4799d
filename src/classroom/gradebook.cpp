#include "classroom/gradebook.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "classroom/submissions.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "source/token.hpp"
#include "support/child_process.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_name = "gemm-tutor-grading-";

// Checked before the first child starts, which would fail with the same error.
void check_machine(Backend backend) {
  simt::require_compiler();
  if (backend == Backend::emulator) return;
  RunOptions options;
  options.backend = backend;
  choose_target(options);
}

std::string canonical_text(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

// The key of a grading: directory, seed, exercises, limits and program version.
fs::path journal_path(const fs::path& directory, const Submissions& submissions,
                      const GradingOptions& options) {
  const fs::path state = state_directory();
  if (state.empty()) return {};
  std::vector<std::string> parts = {
      canonical_text(directory), options.version, std::to_string(*options.conditions.seed),
      std::to_string(static_cast<int>(options.conditions.backend)),
      fmt::format("{} {}", options.conditions.seconds, options.conditions.memory_bytes)};
  for (const Exercise* exercise : submissions.exercises) {
    // A changed exercise is a different one, so its checks are part of the key.
    parts.push_back(fmt::format("{} {:x}", exercise->slug, stable_hash(exercise->handout)));
  }
  return state / "grading" /
         fmt::format("{:016x}.jsonl", stable_hash(join(parts, std::string_view("\0", 1))));
}

std::uint64_t class_seed(const fs::path& directory) {
  const fs::path state = state_directory();
  if (state.empty()) return random_seed();
  const std::uint64_t name = stable_hash(canonical_text(directory));
  const fs::path path = state / "grading" / fmt::format("{:016x}.seed", name);
  const auto known = [&] {
    return number_in<std::uint64_t>(std::string(trimmed(read_file(path).value_or(""))));
  };
  if (const auto seed = known()) return *seed;
  const std::uint64_t seed = random_seed();
  std::error_code error;
  if (write_file_atomically(path, fmt::format("{}\n", seed), error)) {
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
  }
  return known().value_or(seed);  // another process may have been first
}

// Removes only folders that another grading of this user can have made.
void remove_left(const std::string& folder) {
  const fs::path path(folder);
  struct stat about {};
  const bool ours = path.is_absolute() && path.filename().string().starts_with(folder_name) &&
                    lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                    about.st_uid == geteuid();
  std::error_code ignored;
  if (ours) fs::remove_all(path, ignored);
}

// Submissions with other contents, names or exercises have other keys.
std::string key_of(const Student& student, const Submission& submission,
                   const std::string& contents) {
  return fmt::format("{:016x}-{}-{:016x}-{}", stable_hash(student.name), submission.exercise->slug,
                     stable_hash(contents), contents.size());
}

// One that is to be graded.
struct Task {
  std::size_t grade;  // its place
  const Student* student;
  const Submission* submission;
  std::string note = {};  // on its contents
};

struct OfExercise {
  int points_of_handout = 0;
  Values counts;  // of the solution and the handout
};

class Grading {
 public:
  Grading(const Submissions& submissions, const GradingOptions& options, Journal& journal)
      : submissions_(submissions), options_(options), journal_(journal), folder_(folder_name) {
    for (const std::string& left : journal.folders_left()) remove_left(left);
    journal.note_folder(folder_.path());
  }

  Gradebook run() {
    list_grades();
    Activity& activity = or_unwatched(options_.activity);
    grade_handouts();
    activity.begin("grading", std::ssize(tasks_));
    if (journal_.size() > 0 && options_.going_on) {
      options_.going_on(journal_.size(), tasks_.size());
    }
    parallel_for(std::ssize(tasks_), options_.jobs, [&](std::int64_t i, int) {
      activity.check();
      Task& task = tasks_[i];
      book_.grades[task.grade].mark = mark_of(task);
      activity.advance();
    });
    activity.check();
    for (const Task& task : tasks_) {
      if (!task.note.empty()) book_.notes.push_back(task.note);
    }
    return std::move(book_);
  }

 private:
  // The points of the unchanged handout, and what the solution counts.
  void grade_handouts() {
    for (const Exercise* exercise : submissions_.exercises) of_exercises_[exercise];
    parallel_for(std::ssize(submissions_.exercises), options_.jobs, [&](std::int64_t i, int) {
      const Exercise& exercise = *submissions_.exercises[i];
      OfExercise& known = of_exercises_.at(&exercise);
      const CheckOptions options{
          .seed = *options_.conditions.seed, .threads = 1, .keeps_kernels = false};
      known.counts = counts_of_solution(exercise, options);
      known.counts.merge(counts_of_handout(exercise, options));
      known.points_of_handout = mark_of_contents(exercise, exercise.handout).points.total();
    });
  }

  void list_grades() {
    book_.exercises = submissions_.exercises;
    book_.seed = *options_.conditions.seed;
    book_.notes = submissions_.notes;
    for (const Student& student : submissions_.students) {
      book_.students.push_back(student.name);
      book_.ids.push_back(student.id);
      for (const Exercise* exercise : submissions_.exercises) add_grade(student, exercise);
    }
  }

  void add_grade(const Student& student, const Exercise* exercise) {
    Grade grade{student.name, exercise, no_mark("missing", not_handed_in),
                student.has_taken(*exercise)};
    for (const Submission& submission : student.submissions) {
      if (submission.exercise != exercise) continue;
      if (submission.trouble.empty()) {
        tasks_.push_back({book_.grades.size(), &student, &submission});
      } else {
        grade.mark.reason = submission.trouble;
      }
    }
    book_.grades.push_back(std::move(grade));
  }

  Mark mark_of(Task& task) {
    const ReadFile file = read_submission(task.submission->file);
    if (!file.trouble.empty()) return no_mark("submission", file.trouble);
    if (const std::string text = likeness_text(*task.submission->exercise, file.contents);
        !text.empty()) {
      task.note = fmt::format("{}: {} {}", one_line(task.student->name),
                              short_name(*task.submission->exercise), text);
    }
    const std::string key = key_of(*task.student, *task.submission, file.contents);
    if (const auto known = journal_.find(key)) return *known;
    Mark mark = mark_of_contents(*task.submission->exercise, file.contents);
    const int points = mark.points.total();
    if (points > 0 && points <= of_exercises_.at(task.submission->exercise).points_of_handout) {
      mark = no_better_than_handed_out(std::move(mark));
    }
    journal_.add(key, mark);
    return mark;
  }

  // Each has its own folder, so that submissions cannot influence each other.
  Mark mark_of_contents(const Exercise& exercise, const std::string& contents) {
    const fs::path own = folder_.path() / std::to_string(folders_++);
    fs::create_directory(own);
    const auto stop = [&] { return or_unwatched(options_.activity).stopping(); };
    const auto mark = grade_in_child(exercise, contents, of_exercises_.at(&exercise).counts,
                                     options_.conditions, own.string(), stop);
    std::error_code ignored;
    fs::remove_all(own, ignored);
    if (!mark) throw Interrupted();
    return *mark;
  }

  const Submissions& submissions_;
  const GradingOptions& options_;
  Journal& journal_;
  TemporaryFolder folder_;
  std::atomic<int> folders_ = 0;
  std::vector<Task> tasks_;
  std::map<const Exercise*, OfExercise> of_exercises_;
  Gradebook book_;
};

}  // namespace

std::uint64_t random_seed() {
  constexpr std::uint64_t fewer_than = 1'000'000'000;  // to be typed on another machine
  return std::random_device()() % fewer_than;
}

int Gradebook::total(std::size_t student) const {
  int points = 0;
  for (std::size_t i = 0; i < exercises.size(); ++i)
    points += grade(student, i).mark.points.total();
  return points;
}

Gradebook grade(const fs::path& directory, GradingOptions options) {
  const Submissions submissions = find_submissions(directory, options.exercises);
  check_machine(options.conditions.backend);
  if (!options.conditions.seed) options.conditions.seed = class_seed(directory);
  Journal journal(journal_path(directory, submissions, options), options.fresh);
  Gradebook book = Grading(submissions, options, journal).run();
  journal.remove();
  return book;
}

Gradebook grade_student(const fs::path& path, GradingOptions options) {
  const Submissions submission = find_submission(path, options.exercises);
  check_machine(options.conditions.backend);
  if (!options.conditions.seed) options.conditions.seed = check_seed;
  Journal journal({}, false);
  Gradebook book = Grading(submission, options, journal).run();
  book.notes = submission.notes;  // what is like the solution is for the teacher
  return book;
}

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Journal::Journal(fs::path path, bool fresh) : path_(std::move(path)) {
  if (path_.empty()) return;
  open();
  if (file_ < 0) return;
  read();
  if (!fresh) return;
  marks_.clear();
  if (ftruncate(file_, 0) != 0) remove();
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::open() {
  std::error_code ignored;
  fs::create_directories(path_.parent_path(), ignored);
  constexpr mode_t ours_alone = 0600;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, ours_alone);
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(std::exchange(file_, -1));
  throw Error(ExitStatus::unavailable, "these submissions are being graded already",
              "Wait until that is done, or stop it: its results are kept.");
}

void Journal::read() {
  const std::string text = read_file(path_).value_or("");
  for (const std::string& line : split_lines(text)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("folder") && json["folder"].is_string()) folders_.push_back(json["folder"]);
    if (!json.contains("key") || !json["key"].is_string() || !json.contains("mark")) continue;
    if (const auto mark = mark_of_json(json["mark"].dump())) marks_[json["key"]] = *mark;
  }
  // The last line may lack its end.
  if (!text.empty() && text.back() != '\n') append("");
}

void Journal::append(const std::string& line) {
  const std::string text = line + "\n";
  if (file_ >= 0 && ::write(file_, text.data(), text.size()) < 0) close(std::exchange(file_, -1));
}

std::optional<Mark> Journal::find(const std::string& key) const {
  const auto found = marks_.find(key);
  return found == marks_.end() ? std::nullopt : std::optional(found->second);
}

void Journal::add(const std::string& key, const Mark& mark) {
  const std::lock_guard lock(mutex_);
  append(Json{{"key", key}, {"mark", Json::parse(mark_json(mark))}}.dump());
}

void Journal::note_folder(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  append(Json{{"folder", folder.string()}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::remove() {
  if (file_ < 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);  // still locked, so that a waiting process opens a new file
  close(std::exchange(file_, -1));
}

namespace {

constexpr std::size_t words_of_piece = 8, fewest_pieces = 40;
constexpr double least_share = 0.95;
constexpr int fewest_lines = 5;
constexpr double most_lines = 0.8, few_lines = 0.25;

// The token's text, with one word for all names.
std::string word_of(const source::Token& token) {
  return token.is_name() ? "name" : std::string(trimmed(token.text));
}

// Runs of words.
std::set<std::string> pieces_of(const std::string& source) {
  std::vector<std::string> words;
  for (const source::Token& token : source::tokens_of(source)) {
    if (token.kind == source::Token::Kind::comment) continue;
    words.push_back(word_of(token));
  }
  std::set<std::string> pieces;
  for (std::size_t i = 0; i + words_of_piece <= words.size(); ++i) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    pieces.insert(join({begin, begin + words_of_piece}, " "));
  }
  return pieces;
}

// How often each line occurs, in such words.
using Lines = std::map<std::string, int>;
Lines lines_of(const std::string& source, bool with_comments) {
  std::map<int, std::string> texts;
  for (const source::Token& token : source::tokens_of(source)) {
    if (token.kind == source::Token::Kind::comment && !with_comments) continue;
    texts[token.line] += word_of(token) + ' ';
  }
  Lines lines;
  constexpr std::size_t shortest = 12;  // not "} ", which any text has
  for (const auto& [line, text] : texts) {
    if (text.size() >= shortest) ++lines[text];
  }
  return lines;
}

// The share of the lines that `some` has and `others` do not that are in `text`, and their number.
std::pair<double, int> share_of_own(const Lines& some, const Lines& others, const Lines& text) {
  const auto times = [](const Lines& lines, const std::string& line) {
    const auto found = lines.find(line);
    return found == lines.end() ? 0 : found->second;
  };
  int own = 0, found = 0;
  for (const auto& [line, count] : some) {
    const int more = std::max(0, count - times(others, line));
    own += more;
    found += std::clamp(times(text, line) - times(others, line), 0, more);
  }
  return {own == 0 ? 0 : static_cast<double>(found) / own, own};
}

}  // namespace

std::string likeness_text(const Exercise& exercise, const std::string& source) {
  std::string text = source;
  std::erase(text, '\r');
  if (trimmed(text) == trimmed(exercise.solution)) return "is the text of the solution";
  if (exercise.terms.kind == ExerciseKind::gaps) {
    for (const bool with_comments : {true, false}) {
      const Lines lines = lines_of(text, with_comments),
                  solved = lines_of(exercise.solution, with_comments),
                  handed = lines_of(exercise.handout, with_comments);
      const auto [kept, of_handout] = share_of_own(handed, solved, lines);
      if (of_handout >= fewest_lines && kept <= few_lines &&
          share_of_own(solved, handed, lines).first >= most_lines) {
        return "has the lines of the solution, and not those of the handout";
      }
    }
    return "";
  }
  const std::set<std::string> known = pieces_of(exercise.handout),
                              solved = pieces_of(exercise.solution);
  std::size_t added = 0, alike = 0;
  for (const std::string& piece : pieces_of(source)) {
    if (known.contains(piece)) continue;
    ++added;
    alike += solved.contains(piece) ? 1 : 0;
  }
  const double share = added == 0 ? 0 : static_cast<double>(alike) / static_cast<double>(added);
  if (added < fewest_pieces || share < least_share) return "";
  return fmt::format("has the structure of the solution in {:.0f} % of what it adds", 100 * share);
}

}  // namespace gemm_tutor
