#include "classroom/submissions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "course/progress.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 80;  // in a note

// A file that may be a submission.
struct Candidate {
  fs::path file;
  std::string name;  // the file's
  const Exercise* exercise = nullptr;
  bool is_certain = false;  // its name ends in ".cu"
};

struct Folder {
  std::string student, id;
  std::vector<Candidate> candidates = {};
  std::string trouble = {};  // why none of its files counts
  std::optional<std::set<std::string>> solutions_taken = {};
  std::string note = {};  // on files that are not used
};

std::string extension_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : lower_case(name.substr(dot));
}

bool may_be_submission(const std::string& name) {
  constexpr std::array extensions = {".cu", ".cuh", ".txt", ".cpp"};
  return std::ranges::count(extensions, extension_of(name)) > 0;
}

bool is_archive(const std::string& name) {
  constexpr std::array extensions = {".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar"};
  return std::ranges::count(extensions, extension_of(name)) > 0;
}

constexpr const char* not_unpacked = "an archive, which is not unpacked";

std::string stem_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

// "3", "03", "exercise3", "exercise-3" for lesson 3's; or an exercise's name.
const Exercise* exercise_of_stem(std::string stem) {
  stem = lower_case(stem);
  for (const Exercise& exercise : exercises()) {
    if (stem == exercise.slug) return &exercise;
  }
  constexpr std::string_view word = "exercise";
  if (stem.starts_with(word)) stem.erase(0, word.size());
  stem.erase(0, stem.find_first_not_of("-_ "));
  const auto number = number_in<int>(stem);
  if (!number) return nullptr;
  const auto found = std::ranges::find(exercises(), number, &Exercise::lesson);
  return found == exercises().end() ? nullptr : &*found;
}

// Of a file that cannot be read, by its name alone.
const Exercise* exercise_of_file(const fs::path& file, const std::string& name, bool stem_counts) {
  const std::string contents = read_submission(file).contents;
  if (const Exercise* exercise = exercise_of(contents, name)) return exercise;
  return stem_counts && extension_of(name) == ".cu" ? exercise_of_stem(stem_of(name)) : nullptr;
}

// Names in the order of their bytes; no more than one over `most`.
std::vector<std::string> names_in(const fs::path& directory, std::size_t most,
                                  std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    const bool is_of_an_archiver = name == "__MACOSX";
    if (!name.starts_with('.') && !is_of_an_archiver) names.push_back(std::move(name));
    if (names.size() > most) break;
  }
  std::ranges::sort(names);
  return names;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

void add_note(Folder& folder, const std::string& note) {
  folder.note += (folder.note.empty() || note.empty() ? "" : "; ") + note;
}

// Other files may end with .json, too. Only the name that the help gives tells that one is meant.
void read_progress_of(const fs::path& file, Folder& folder) {
  const ReadFile read = read_submission(file);
  const StoredProgress stored = progress_in(read.contents);
  if (stored.state != StoredProgress::State::good) {
    const std::string what = stored.state == StoredProgress::State::newer
                                 ? "from a newer gemm-tutor"
                                 : "damaged, or holds no progress";
    if (file.filename() == "progress.json") {
      add_note(folder, fmt::format("{}: {}", file.filename().string(),
                                   read.trouble.empty() ? what : read.trouble));
    }
    return;
  }
  if (!folder.solutions_taken) folder.solutions_taken.emplace();
  for (const auto& [slug, exercise] : stored.progress.exercises) {
    if (exercise.solution_taken) folder.solutions_taken->insert(slug);
  }
}

// `inside` is the path from the student's folder. Stops where there is trouble.
void look_into(const fs::path& directory, const fs::path& inside, int level, std::size_t& entries,
               Folder& folder) {
  std::error_code error;
  for (const std::string& name : names_in(directory, most_entries, error)) {
    if (++entries > most_entries) {
      folder.trouble =
          fmt::format("the folder holds more than {} entries", with_thousands(most_entries));
    }
    if (!folder.trouble.empty()) return;
    const fs::path path = directory / name;
    const std::string shown = one_line((inside / name).string(), longest_name);
    if (may_be_submission(name)) {
      folder.candidates.push_back(
          {path, name, exercise_of_file(path, name, true), extension_of(name) == ".cu"});
    } else if (extension_of(name) == ".json") {
      read_progress_of(path, folder);
    } else if (is_folder(path) && level < most_levels) {
      look_into(path, inside / name, level + 1, entries, folder);
    } else if (is_folder(path)) {
      add_note(folder, fmt::format("{}: more than {} folders deep, and not looked into", shown,
                                   most_levels));
    } else if (is_archive(name)) {
      add_note(folder, fmt::format("{}: {}", shown, not_unpacked));
    }
  }
  if (error) folder.trouble = "the folder cannot be read: " + error.message();
}

// What an entry's name says. `file` is the name that the student gave the file.
struct Owner {
  std::string student, id, file;
};

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// "Ada Lovelace_123_assignsubmission_file_" of Moodle, for a folder or with a file's name behind
// it.
Owner owner_in_moodle(const std::string& name) {
  constexpr std::string_view mark = "_assignsubmission_";
  const std::size_t found = name.find(mark);
  const std::size_t before =
      found == name.npos || found == 0 ? name.npos : name.rfind('_', found - 1);
  if (before == name.npos || !is_number(name.substr(before + 1, found - before - 1))) {
    return {name, "", ""};
  }
  const std::size_t file = name.find('_', found + mark.size());
  return {name.substr(0, before), name.substr(before + 1, found - before - 1),
          file == name.npos ? "" : name.substr(file + 1)};
}

// "lovelaceada_123_456_tile.cu" of Canvas, perhaps with "LATE_" before the numbers: the words, or
// none for another name.
std::vector<std::string> canvas_words(const std::string& name) {
  std::vector<std::string> words = split(name, '_');
  if (words.size() > 1 && words[1] == "LATE") words.erase(words.begin() + 1);
  const bool is_canvas =
      words.size() > 3 && !words[0].empty() && is_number(words[1]) && is_number(words[2]);
  return is_canvas ? words : std::vector<std::string>();
}

// "3.cu", "03-shared-memory-tile.cu".
const Exercise* exercise_of_name(const std::string& name) {
  if (extension_of(name) != ".cu") return nullptr;
  if (const Exercise* exercise = exercise_of_stem(stem_of(name))) return exercise;
  return exercise_of("", name);
}

// What the names in a folder mean, which one of them alone does not tell.
struct Naming {
  // Canvas gives each file a number of its own, the second one. It makes no folders.
  bool is_canvas = true;
  // Files that are named like exercises are those of one student, each for the exercise of its
  // name. Else they are students whose names are numbers.
  bool is_of_one = true;
};

Naming naming_in(const fs::path& directory, const std::vector<std::string>& names) {
  Naming naming;
  std::set<std::string> numbers;
  std::set<const Exercise*> named;
  for (const std::string& name : names) {
    if (is_folder(directory / name)) continue;
    if (const auto words = canvas_words(name); !words.empty()) {
      naming.is_canvas = naming.is_canvas && numbers.insert(words[2]).second;
    }
    const Exercise* exercise = exercise_of_name(name);
    if (!exercise) continue;
    const Exercise* said = exercise_of_file(directory / name, name, true);
    const bool is_as_named = !said || said == exercise;
    naming.is_of_one = naming.is_of_one && is_as_named && named.insert(exercise).second;
  }
  return naming;
}

// Canvas's names first: what a student calls a file may look like one of Moodle's.
Owner owner_of_file(const std::string& name, const Naming& naming) {
  const std::vector<std::string> words = canvas_words(name);
  if (words.empty() || !naming.is_canvas) return owner_in_moodle(name);
  return {words[0], words[1], join({words.begin() + 3, words.end()}, "_")};
}

Folder folder_of(const fs::path& path, const std::string& name) {
  const Owner owner = owner_in_moodle(name);
  Folder folder{owner.student, owner.id};
  std::size_t entries = 0;
  look_into(path, {}, 1, entries, folder);
  if (!folder.trouble.empty()) folder.candidates.clear();
  return folder;
}

std::string own_name(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).filename().string();
}

// Nothing for an entry that is no student.
std::optional<Folder> student_of(const fs::path& path, const std::string& name,
                                 const Naming& naming) {
  if (is_folder(path) && extension_of(name) != ".cu") return folder_of(path, name);
  std::error_code error;
  const bool is_link = fs::is_symlink(path, error);
  if (is_link && extension_of(name).empty()) {
    return Folder{name, "", {}, "a link, which is not followed"};
  }
  if (!may_be_submission(name)) return {};
  const bool is_certain = extension_of(name) == ".cu";
  const Owner owner = owner_of_file(name, naming);
  const bool is_named = !owner.file.empty();
  const std::string& file = is_named ? owner.file : name;
  const Exercise* exercise = exercise_of_file(path, file, is_named);
  if (!is_certain && !exercise) return {};
  if (is_named) return Folder{owner.student, owner.id, {{path, file, exercise, is_certain}}};
  const Exercise* of_name = exercise_of_name(name);
  if (of_name && naming.is_of_one) {
    return Folder{own_name(path.parent_path()), "", {{path, name, of_name, true}}};
  }
  Folder folder{is_certain ? stem_of(name) : name, "", {{path, name, exercise, is_certain}}};
  fs::path beside = path;
  read_progress_of(beside.replace_extension(".json"), folder);
  return folder;
}

// Several entries may be of one student.
void merge(Folder& one, Folder other) {
  std::ranges::move(other.candidates, std::back_inserter(one.candidates));
  if (one.trouble.empty()) one.trouble = std::move(other.trouble);
  add_note(one, other.note);
  if (!other.solutions_taken) return;
  if (!one.solutions_taken) one.solutions_taken.emplace();
  one.solutions_taken->merge(*other.solutions_taken);
}

std::vector<Folder> folders_in(const fs::path& directory, std::vector<std::string>& notes) {
  std::vector<Folder> folders;
  const std::string own = own_name(directory);
  std::error_code ignored;  // find_submissions() has looked
  const std::vector<std::string> names = names_in(directory, std::size_t(-1) - 1, ignored);
  const Naming naming = naming_in(directory, names);
  for (const std::string& name : names) {
    if (is_archive(name) && !is_folder(directory / name))
      notes.push_back(fmt::format("{}: {}", one_line(name, longest_name), not_unpacked));
    auto folder = student_of(directory / name, name, naming);
    if (!folder) continue;
    const auto same = std::ranges::find_if(folders, [&](const Folder& other) {
      const bool has_own_name = folder->id.empty() && folder->student != own;
      return !has_own_name && other.student == folder->student && other.id == folder->id;
    });
    if (same == folders.end()) {
      folders.push_back(std::move(*folder));
    } else {
      merge(*same, std::move(*folder));
    }
  }
  std::ranges::stable_sort(folders, {}, &Folder::student);
  return folders;
}

// In the order of all exercises.
std::vector<const Exercise*> handed_in(const std::vector<Folder>& folders) {
  std::vector<const Exercise*> found;
  for (const Exercise& exercise : exercises()) {
    const auto is_for = [&](const Candidate& candidate) { return candidate.exercise == &exercise; };
    const auto has = [&](const Folder& folder) {
      return std::ranges::any_of(folder.candidates, is_for);
    };
    if (std::ranges::any_of(folders, has)) found.push_back(&exercise);
  }
  return found;
}

// The one with the handout's own name, where there are several.
Submission chosen(const Exercise& exercise, const std::vector<const Candidate*>& candidates) {
  if (candidates.size() == 1) return {&exercise, candidates[0]->file, ""};
  std::vector<const Candidate*> named;
  for (const Candidate* candidate : candidates) {
    if (candidate->name == exercise.file_name) named.push_back(candidate);
  }
  if (named.size() == 1) return {&exercise, named[0]->file, ""};
  // From where their paths differ: both may be called 3.cu.
  const fs::path &first = candidates[0]->file, &second = candidates[1]->file;
  auto [one, other] = std::ranges::mismatch(first, second);
  const auto shown = [](auto from, const fs::path& path) {
    fs::path rest;
    for (; from != path.end(); ++from) rest /= *from;
    return one_line(rest.string(), 40);
  };
  return {&exercise, "",
          fmt::format("{} files are for this exercise, such as {} and {}", candidates.size(),
                      shown(one, first), shown(other, second))};
}

// How a note calls a file.
std::string shown_name(const Folder& folder, const Candidate& candidate) {
  const bool is_whole_student = candidate.is_certain && stem_of(candidate.name) == folder.student;
  return one_line(is_whole_student ? candidate.name : folder.student + "/" + candidate.name,
                  longest_name);
}

Student student_in(const Folder& folder, Submissions& all) {
  Student student{folder.student, folder.id, {}, folder.solutions_taken};
  if (!folder.note.empty()) {
    all.notes.push_back(one_line(folder.student, longest_name) + "/" + folder.note);
  }
  if (!folder.trouble.empty()) {
    for (const Exercise* exercise : all.exercises) {
      student.submissions.push_back({exercise, "", folder.trouble});
    }
    return student;
  }
  std::map<const Exercise*, std::vector<const Candidate*>> of_exercise;
  for (const Candidate& candidate : folder.candidates) {
    if (std::ranges::count(all.exercises, candidate.exercise)) {
      of_exercise[candidate.exercise].push_back(&candidate);
    } else if (candidate.is_certain) {
      all.notes.push_back(shown_name(folder, candidate) + ": for no exercise that is graded");
    }
  }
  for (const Exercise* exercise : all.exercises) {
    const auto found = of_exercise.find(exercise);
    if (found != of_exercise.end()) {
      student.submissions.push_back(chosen(*exercise, found->second));
    }
  }
  return student;
}

// "anna" and "anna.cu"; and numbers that a platform gives once.
void note_namesakes(Submissions& all) {
  std::map<std::string, std::string> names;  // by number
  for (std::size_t i = 0; i < all.students.size(); ++i) {
    const Student& student = all.students[i];
    const std::string name = one_line(student.name, longest_name);
    if (i > 0 && student.name == all.students[i - 1].name) {
      all.notes.push_back(name + ": two entries have this name, and each is graded");
    }
    if (student.id.empty()) continue;
    const auto [known, is_new] = names.emplace(student.id, name);
    if (is_new) continue;
    all.notes.push_back(fmt::format("{} and {} have the same number, {}, and each is graded",
                                    known->second, name, student.id));
  }
}

Submissions submissions_in(std::vector<Folder> folders, const fs::path& directory,
                           const std::vector<const Exercise*>& exercises_to_grade,
                           const char* option, std::vector<std::string> notes = {}) {
  Submissions all;
  all.notes = std::move(notes);
  all.exercises = exercises_to_grade.empty() ? handed_in(folders) : exercises_to_grade;
  const auto has_archives = [](const Folder& folder) {
    return folder.note.find(not_unpacked) != std::string::npos;
  };
  const bool is_empty = folders.empty() || all.exercises.empty();
  if (is_empty && (!all.notes.empty() || std::ranges::any_of(folders, has_archives))) {
    throw Error(
        ExitStatus::usage,
        fmt::format("'{}' has archives, and no file that says its exercise", directory.string()),
        "Unpack the archives first: grade does not.");
  }
  if (is_empty) {
    throw Error(ExitStatus::usage,
                folders.empty() ? fmt::format("'{}' holds no submission", directory.string())
                                : fmt::format("no file in '{}' says which exercise it is for",
                                              directory.string()),
                folders.empty() ? "Put a folder or a .cu file for each student into it."
                                : fmt::format("Name the exercise, as in {} 3.", option));
  }
  if (all.exercises.size() == 1) {
    for (Folder& folder : folders) {
      for (Candidate& candidate : folder.candidates) {
        if (candidate.is_certain && !candidate.exercise) candidate.exercise = all.exercises[0];
      }
    }
  }
  for (const Folder& folder : folders) all.students.push_back(student_in(folder, all));
  note_namesakes(all);
  return all;
}

std::string trouble_with(int file) {
  struct stat about {};
  if (fstat(file, &about) != 0) return std::strerror(errno);
  if (S_ISDIR(about.st_mode)) return "a folder";
  if (!S_ISREG(about.st_mode)) return "not an ordinary file";
  if (static_cast<std::uintmax_t>(about.st_size) > largest_submission) {
    return fmt::format("{} bytes, more than the {} that a submission may have",
                       with_thousands(about.st_size), with_thousands(largest_submission));
  }
  return "";
}

ReadFile contents_of(int file) {
  ReadFile result;
  std::array<char, 1 << 14> part;
  while (result.contents.size() <= largest_submission) {
    const ssize_t count = ::read(file, part.data(), part.size());
    if (count == 0) return result;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {"", fmt::format("cannot be read: {}", std::strerror(errno))};
    result.contents.append(part.data(), static_cast<std::size_t>(count));
  }
  return {"", "grows while it is read"};
}

}  // namespace

std::optional<bool> Student::has_taken(const Exercise& exercise) const {
  if (!solutions_taken) return {};
  return solutions_taken->contains(exercise.slug);
}

ReadFile read_submission(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) return {"", "a link, which is not followed"};
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENXIO) return {"", "not an ordinary file"};  // a socket
    return {"", fmt::format("cannot be read: {}", std::strerror(errno))};
  }
  const std::string trouble = trouble_with(file);
  ReadFile result = trouble.empty() ? contents_of(file) : ReadFile{"", trouble};
  close(file);
  return result;
}

Submissions find_submissions(const fs::path& directory,
                             const std::vector<const Exercise*>& exercises_to_grade) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw Error(ExitStatus::usage,
                fmt::format("'{}' {}", directory.string(),
                            fs::exists(directory, error) ? "is no folder" : "does not exist"),
                "Give the folder with the submissions: in it a folder or a file for each student.");
  }
  fs::directory_iterator readable(directory, error);
  if (error) {
    throw Error(ExitStatus::usage,
                fmt::format("'{}' cannot be read: {}", directory.string(), error.message()),
                "Give a folder that you may read.");
  }
  std::vector<std::string> notes;
  std::vector<Folder> folders = folders_in(directory, notes);
  return submissions_in(std::move(folders), directory, exercises_to_grade, "--exercises",
                        std::move(notes));
}

Submissions find_submission(const fs::path& path,
                            const std::vector<const Exercise*>& exercises_to_grade) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) {
    throw Error(ExitStatus::usage, fmt::format("'{}' does not exist", path.string()),
                "Give a file with a kernel, or a student's folder.");
  }
  if (fs::is_directory(path, error)) {
    return submissions_in({folder_of(path, own_name(path))}, path, exercises_to_grade,
                          "--exercise");
  }
  const std::string name = path.filename().string();
  Folder folder{stem_of(name), "", {{path, name, exercise_of_file(path, name, true), true}}};
  if (exercises_to_grade.size() == 1) folder.candidates[0].exercise = exercises_to_grade[0];
  return submissions_in({std::move(folder)}, path, exercises_to_grade, "--exercise");
}

namespace {

// Unicode's zero-width characters, line separators, characters that change the direction of text,
// and noncharacters, which XML does not allow.
bool is_invisible(char32_t value) {
  return (value >= 0x200b && value <= 0x200f) || (value >= 0x2028 && value <= 0x202e) ||
         (value >= 0x2060 && value <= 0x206f) || value == 0xfeff || value == 0x61c ||
         value == 0xad || (value & 0xfffe) == 0xfffe || (value >= 0xe0000 && value <= 0xe0fff);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t most) {
  // Only as much of the text is read as can be shown: a code point has four bytes at most.
  std::string visible;
  for (const CodePoint& point : code_points(text.substr(0, 4 * (most + 1)))) {
    visible += is_invisible(point.value) ? std::string_view("\ufffd") : point.bytes;
  }
  return shortened(visible, most);
}

}  // namespace gemm_tutor
