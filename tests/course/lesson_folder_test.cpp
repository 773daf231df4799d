// A lesson read from the texts of its folder's files.
#include "course/lesson_folder.hpp"

#include <fmt/format.h>

#include "course/declaration.hpp"
#include "course/embedded_lessons.hpp"
#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

const LessonFiles good = {
    .folder = "course/50-plain",
    .kernel_name = "kernel.cu",
    .kernel = "__global__ void plain(const float* A) {\n}\n",
    .text = "# Plain\n\nA lesson.\n",
    .declaration = R"toml(changes = 2
[kernel]
entry = "plain"
block = [16]
tile = [1, 16]
loads = "M"
stores = "N"
)toml",
    .exercise = "__global__ void plain(const float* A) {\n}\n",
    .exercise_terms = "[exercise]\ntask = \"Do.\"\nsizes = [\"64\"]\n",
};

// A variant of the kernel of lesson `changes`, whose folder has no kernel.cu and no exercise.
LessonFiles variant_of(const std::string& changes, const std::string& kernel) {
  LessonFiles files = good;
  files.folder = "course/51-variant";
  files.kernel.clear();
  files.exercise.clear();
  files.exercise_terms.clear();
  files.declaration =
      fmt::format("changes = {}\n[kernel]\nname = \"variant\"\nof = \"{}\"\n", changes, kernel);
  return files;
}

std::string question_that_recalls(const std::string& number) {
  return R"toml([[kernel.questions]]
id = "before"
ask = "Why?"
after_run = true
choices = [ { text = "So.", holds = "1" }, { text = "Else.", holds = "0" } ]
why = "So."
recalls = )toml" +
         number + "\n";
}

struct Mistake {
  std::string said;
  void (*make)(LessonFiles&);
};

}  // namespace

TEST_CASE("a lesson is read from its folder's files") {
  const Lesson lesson = read_lesson(good, lessons());
  CHECK(lesson.number == 50);
  CHECK(lesson.slug == "plain");
  CHECK(lesson.title == "Plain");
  CHECK(lesson.text == good.text);
  CHECK(lesson.source_file == "course/50-plain/kernel.cu");
  CHECK(lesson.changes == "naive-coalesced");
  CHECK(lesson.kernels.size() == 1);
  REQUIRE(lesson.exercise_terms);
  CHECK(lesson.exercise_terms->task == "Do.");
}

TEST_CASE("a folder without a number is a chapter, and 'changes' and 'recalls' may name one") {
  LessonFiles files = good;
  files.folder = "course/plain";
  std::vector<Lesson> earlier = lessons();
  earlier.push_back(read_lesson(files, earlier));
  CHECK_FALSE(earlier.back().number);
  CHECK(earlier.back().place == 2);
  CHECK(earlier.back().key() == "plain");

  files.folder = "course/plainer";
  files.declaration.replace(10, 1, "\"plain\"");
  files.declaration += question_that_recalls("\"plain\"");
  const Lesson lesson = read_lesson(files, earlier);
  CHECK(lesson.changes == "plain");
  CHECK(lesson.place == 2);
  CHECK(lesson.kernels.front().questions.at(0).recalls == "plain");
}

TEST_CASE("a lesson's title is that of lesson.toml, or lesson.md's heading") {
  LessonFiles files = good;
  files.declaration = "title = \"Another\"\n" + files.declaration;
  const Lesson lesson = read_lesson(files, lessons());
  CHECK(lesson.title == "Another");
  CHECK(lesson.text == "# Another\n\n" + good.text);
  files.text = "# Another\n\nA lesson.\n";
  CHECK(read_lesson(files, lessons()).text == files.text);
}

TEST_CASE("an exercise's terms may be in lesson.toml") {
  LessonFiles files = good;
  files.declaration += files.exercise_terms;
  files.exercise_terms.clear();
  CHECK(read_lesson(files, lessons()).exercise_terms->task == "Do.");
}

TEST_CASE("a lesson may be without an exercise, and may change no other") {
  LessonFiles files = good;
  files.exercise.clear();
  files.exercise_terms.clear();
  files.declaration.erase(0, files.declaration.find('['));
  const Lesson lesson = read_lesson(files, lessons());
  CHECK_FALSE(lesson.exercise_terms);
  CHECK(changed_lesson(lesson) == nullptr);
}

TEST_CASE("a lesson without a kernel file has the source of the lesson that it changes") {
  LessonFiles files = variant_of("3", "shared_memory_tile");
  files.declaration += "values = { BM = 16, BN = 16, BK = 16 }\n";
  const Lesson lesson = read_lesson(files, lessons()), &changed = find_lesson("3");
  CHECK(lesson.source == changed.source);
  CHECK(lesson.source_file == changed.source_file);
  const Kernel& kernel = lesson.kernels.at(0);
  CHECK(kernel.name == "variant");
  CHECK(kernel.function == "shared_memory_tile");
  CHECK_FALSE(excerpt(lesson, kernel).empty());
  const Problem size{40, 33, 21};
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator(size));
  CHECK(run.verification.passed);
  CHECK(run.launch->block == simt::Dim3{16, 16});

  // A variant of the variant is the same function.
  std::vector<Lesson> earlier = lessons();
  earlier.push_back(lesson);
  files = variant_of("51", "variant");
  files.folder = "course/52-other";
  files.declaration.replace(files.declaration.find("\"variant\""), 9, "\"other\"");
  const Lesson other = read_lesson(files, earlier);
  CHECK(other.source_file == changed.source_file);
  CHECK(other.kernels.at(0).function == "shared_memory_tile");
  CHECK(other.kernels.at(0).settings == kernel.settings);
}

TEST_CASE("a lesson with a kernel file has its variant in it") {
  LessonFiles files = variant_of("2", "naive_coalesced");
  files.kernel = find_lesson("2").source;
  CHECK(contains(error_of([&] { read_lesson(files, lessons()); }).what(),
                 "51-variant/kernel.cu: has no kernel 'variant'"));
  for (const char* before : {"excerpt: ", "void "}) {
    const std::string text = before;
    files.kernel.replace(files.kernel.find(text + "naive_coalesced") + text.size(), 15, "variant");
  }
  const Lesson lesson = read_lesson(files, lessons());
  CHECK(lesson.source == files.kernel);
  CHECK(lesson.source_file == "course/51-variant/kernel.cu");
  CHECK(lesson.kernels.at(0).function == "variant");
}

TEST_CASE("a lesson without a kernel file may have an exercise with the other lesson's function") {
  LessonFiles files = variant_of("2", "naive_coalesced");
  files.exercise_terms = good.exercise_terms;
  files.exercise = "__global__ void variant(const float* A) {\n}\n";
  CHECK(contains(error_of([&] { read_lesson(files, lessons()); }).what(),
                 "exercise.cu: has no kernel 'naive_coalesced'"));
  files.exercise = "__global__ void naive_coalesced(const float* A) {\n}\n";
  CHECK(read_lesson(files, lessons()).exercise == files.exercise);
}

TEST_CASE("a lesson without a kernel file has nothing but variants") {
  const auto said = [](const LessonFiles& files) {
    const Error error = error_of([&] { read_lesson(files, lessons()); });
    CHECK(error.status() == ExitStatus::usage);
    return std::string(error.what());
  };
  LessonFiles files = good;
  files.kernel.clear();
  CHECK(said(files) == "course/50-plain/kernel.cu: is missing");
  files.declaration.replace(files.declaration.find("plain"), 5, "naive_coalesced");
  CHECK(said(files) == "course/50-plain/kernel.cu: is missing");
  files.declaration.replace(0, 11, "changes = 0");
  files.declaration.replace(files.declaration.find("naive_coalesced"), 15, "cpu_loop");
  CHECK(said(files) == "course/50-plain/kernel.cu: is missing");
  files = variant_of("2", "naive_coalesced");
  files.declaration.erase(0, files.declaration.find('['));
  CHECK(said(files) ==
        "course/51-variant/lesson.toml:3: 'of' needs 'changes', the lesson of that kernel");
}

TEST_CASE("a variant of a kernel on the CPU or of the library has no other code") {
  const Lesson of_cpu = read_lesson(variant_of("0", "cpu_loop"), lessons());
  const auto on_cpu = run_kernel(of_cpu, of_cpu.kernels.at(0), {}, on_emulator({2, 3, 5}));
  CHECK(on_cpu.traffic.counted_loads == 60);
  LessonFiles with_code = variant_of("0", "cpu_loop");
  with_code.kernel = "// excerpt: variant\nvoid variant(int M) {}\n// end excerpt\n";
  const Lesson other = read_lesson(with_code, lessons());
  CHECK(contains(error_of([&] { add_lesson(other); }).what(), "'variant' runs on the CPU"));

  const Lesson of_library = read_lesson(variant_of("10", "cublas"), lessons());
  CHECK(of_library.kernels.at(0).from_library);
  CHECK(of_library.source == find_lesson("10").source);
}

TEST_CASE("each thing wrong in a folder is named with its file") {
  const auto mistake = GENERATE(values<Mistake>({
      {"course/Plain: a lesson's folder is called NN-name",
       [](LessonFiles& f) { f.folder = "course/Plain"; }},
      {"course/5-plain: a lesson's folder", [](LessonFiles& f) { f.folder = "course/5-plain"; }},
      {"course/5b-plain: a lesson's folder", [](LessonFiles& f) { f.folder = "course/5b-plain"; }},
      {"course/50bb-plain: a", [](LessonFiles& f) { f.folder = "course/50bb-plain"; }},
      {"course/50B-plain: a", [](LessonFiles& f) { f.folder = "course/50B-plain"; }},
      {"course/b50_plain: a", [](LessonFiles& f) { f.folder = "course/b50_plain"; }},
      {"course/150-plain: a", [](LessonFiles& f) { f.folder = "course/150-plain"; }},
      {"course/50b: a", [](LessonFiles& f) { f.folder = "course/50b"; }},
      {"50-plain/kernel.cu: is missing", [](LessonFiles& f) { f.kernel.clear(); }},
      {"50-plain/lesson.md: is missing", [](LessonFiles& f) { f.text.clear(); }},
      {"50-plain/lesson.toml: is missing", [](LessonFiles& f) { f.declaration.clear(); }},
      {"50-plain/exercise.cu: is missing", [](LessonFiles& f) { f.exercise.clear(); }},
      {"lesson.toml: [exercise] is missing", [](LessonFiles& f) { f.exercise_terms.clear(); }},
      {"exercise.toml: [exercise] is missing",
       [](LessonFiles& f) { f.exercise_terms = "title = \"T\"\n"; }},
      {"exercise.toml:1: no TOML", [](LessonFiles& f) { f.exercise_terms = "[exercise"; }},
      {"has an [exercise], and so has exercise.toml",
       [](LessonFiles& f) { f.declaration += f.exercise_terms; }},
      {"exercise.cu: has no kernel 'plain'",
       [](LessonFiles& f) { f.exercise = "__global__ void simple() {\n}\n"; }},
      {"kernel.cu: has no kernel 'plain'",
       [](LessonFiles& f) { f.kernel = "__global__ void simple() {\n}\n"; }},
      {"'title' is missing", [](LessonFiles& f) { f.text = "A lesson.\n"; }},
      {"[kernel] is missing",
       [](LessonFiles& f) {
         f.declaration = "changes = 2\n";
         f.exercise_terms.clear();
         f.exercise.clear();
       }},
      {"'loads' and 'stores' are missing",
       [](LessonFiles& f) { f.declaration.erase(f.declaration.find("loads")); }},
      {"lesson.toml:1: 'changes' is 49, which is no lesson before 50",
       [](LessonFiles& f) { f.declaration.replace(10, 1, "49"); }},
      {"lesson.toml:1: 'changes' is 50",
       [](LessonFiles& f) { f.declaration.replace(10, 1, "50"); }},
      {"lesson.toml:1: 'changes' is 50b, which is no lesson before 50",
       [](LessonFiles& f) { f.declaration.replace(10, 1, "\"50b\""); }},
      {"lesson.toml:1: 'changes' is 13, which is no lesson before 9",
       [](LessonFiles& f) {
         f.folder = "course/09-plain";
         f.declaration.replace(10, 1, "13");
       }},
      {"'// excerpt: plain' has no end",
       [](LessonFiles& f) { f.kernel = "// excerpt: plain\n" + f.kernel; }},
  }));
  LessonFiles files = good;
  mistake.make(files);
  const Error error = error_of([&] { read_lesson(files, lessons()); });
  INFO(mistake.said << "\n" << error.what());
  CHECK(error.status() == ExitStatus::usage);
  CHECK(contains(error.what(), mistake.said));
  CHECK_FALSE(error.help().empty());
}

TEST_CASE("a question recalls a lesson that is there, and before its own") {
  const auto [folder, recalled, said] = GENERATE(table<const char*, const char*, const char*>({
      {"course/50-plain", "49", "49, which is no lesson before 50"},
      {"course/50-plain", "50", "50, which is no lesson before 50"},
      {"course/07-plain", "\"7b\"", "7b, which is no lesson before 7"},
      {"course/07-plain", "13", "13, which is no lesson before 7"},
      {"course/plain", "\"none\"", "none, which is no lesson before plain"},
  }));
  LessonFiles files = good;
  files.folder = folder;
  files.declaration += question_that_recalls(recalled);
  const Error error = error_of([&] { read_lesson(files, lessons()); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(error.what() == fmt::format("{}/lesson.toml:14: 'recalls' is {}", folder, said));
  CHECK(error.help() == "Give the number of an earlier lesson, or leave 'recalls' out.");

  files.folder = "course/09-plain";
  files.declaration = good.declaration + question_that_recalls("8");
  CHECK_NOTHROW(read_lesson(files, lessons()));
}

TEST_CASE("the build embeds every file of a lesson's folder, and none has a mistake") {
  REQUIRE(embedded_lessons().size() >= 15);
  for (const EmbeddedLesson& embedded : embedded_lessons()) {
    INFO(embedded.files.folder);
    CHECK(embedded.files.is_checked);
    LessonFiles files = embedded.files;
    files.is_checked = false;
    const Lesson lesson = read_lesson(files, lessons());
    CHECK(find_lesson(lesson.slug).number == lesson.number);
    if (lesson.number) CHECK_FALSE(embedded.files.exercise.empty());
  }
  for (const EmbeddedExercise& embedded : embedded_exercises()) {
    CHECK_NOTHROW(read_declaration(embedded.terms, embedded.terms_file));
  }
}

TEST_CASE("a kernel that runs on the CPU needs a function of the program") {
  LessonFiles files = good;
  files.exercise.clear();
  files.exercise_terms.clear();
  files.declaration =
      "[kernel]\nentry = \"plain\"\nruns_on = \"cpu\"\nloads = \"M\"\nstores = \"N\"\n";
  const Lesson lesson = read_lesson(files, lessons());
  CHECK(contains(error_of([&] { add_lesson(lesson); }).what(), "'plain' runs on the CPU"));
}

}  // namespace gemm_tutor
