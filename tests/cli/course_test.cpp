// A teacher's course: the example of docs/teaching.md, and what is wrong with others.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <regex>

#include "errors.hpp"
#include "report/json.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

// The files that docs/teaching.md shows: "### `PATH`", then a block of code.
std::map<std::string, std::string> documented_files() {
  std::map<std::string, std::string> files;
  std::string path;
  bool in_code = false;
  for (const std::string& line :
       split_lines(read_file(PROJECT_SOURCE_DIR "/docs/teaching.md").value())) {
    if (in_code && line == "```") {
      in_code = false;
      path.clear();
    } else if (in_code) {
      files[path] += line + "\n";
    } else if (line.starts_with("### `")) {
      path = line.substr(5, line.rfind('`') - 5);
    } else if (line.starts_with("```") && !path.empty()) {
      in_code = true;
    }
  }
  return files;
}

class Course {
 public:
  Course() {
    for (const auto& [path, contents] : documented_files()) write(path, contents);
  }

  ProgramResult run(const std::string& arguments) const {
    return run_program(arguments + fmt::format(" --course '{}'", path("my-course").string()));
  }
  fs::path path(const std::string& name) const { return directory_.path() / name; }
  std::string text(const std::string& name) const { return read_file(path(name)).value(); }
  void write(const std::string& name, const std::string& contents) const {
    REQUIRE(write_file_atomically(path(name), contents));
  }
  // A further lesson that is 60-strip by another name, with these first lines of lesson.toml.
  void add_copy(const std::string& folder, const std::string& keys) const {
    const std::string slug = folder.substr(folder.find('-') + 1);
    for (const auto& [name, contents] : documented_files()) {
      const std::string file = fs::path(name).filename().string();
      const std::string copy = std::regex_replace(contents, std::regex("strip"), slug);
      write("my-course/" + folder + "/" + file, (file == "lesson.toml" ? keys : "") + copy);
    }
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("the documented course has its four files") { CHECK(documented_files().size() == 4); }

TEST_CASE("a shell completes the lessons of the documented course") {
  const Course course;
  const std::string folder = course.path("my-course").string();
  CHECK(contains(completions(fmt::format("--course '{}' lesson ''", folder)), "\n60\t\n"));
  CHECK(contains(completions("lesson ''", fmt::format("GEMM_TUTOR_COURSE='{}'", folder)),
                 "\n60\t\n"));
  CHECK_FALSE(contains(completions("lesson ''"), "\n60\t\n"));
}

TEST_CASE("the documented course is counted") {
  const Course course;
  const Json json =
      Json::parse(course.run("lesson 60 --size 64 --backend emulator --format json").output);
  CHECK(json["traffic"]["predicted"] == json["traffic"]["counted"]);
  CHECK(json["traffic"]["counted"]["load_floats"] == 64 * 64 * 64 * 5 / 4);
  CHECK_FALSE(json.contains("comparison"));
}

TEST_CASE("a lesson may vary the settings of another, without code of its own") {
  const Course course;
  course.write("my-course/61-wide/lesson.md", "# A wider strip\n\nA thread has eight elements.\n");
  course.write("my-course/61-wide/lesson.toml", R"toml(changes = 60
change = "A thread computes eight elements."

[kernel]
name = "wide_strip"
of = "strip"
values = { TN = 8 }
)toml");
  const std::string options = " --size 64 --backend emulator";
  const Json json = Json::parse(course.run("lesson 61 --format json" + options).output);
  CHECK(json["lesson"]["kernel"] == "wide_strip");
  CHECK(json["lesson"]["function"] == "strip");
  CHECK(json["traffic"]["counted"]["load_floats"] == 64 * 64 * 64 * 9 / 8);

  const std::string terms = course.text("my-course/60-strip/lesson.toml");
  course.write("my-course/61-wide/exercise.toml", terms.substr(terms.find("[exercise]")));
  course.write("my-course/61-wide/exercise.cu", course.text("my-course/60-strip/exercise.cu"));
  const std::string folder = course.path("").string();
  CHECK(course.run(fmt::format("exercise start 61 --dir '{}'", folder)).status == 0);
  const std::string mine = course.path("61-wide.cu").string();
  CHECK(course.run(fmt::format("check '{}'", mine)).status == 1);
  course.write("61-wide.cu", course.text("my-course/60-strip/kernel.cu"));
  const ProgramResult solved = course.run(fmt::format("check '{}'", mine));
  INFO(solved.output << solved.error);
  CHECK(solved.status == 0);
}

TEST_CASE("a chapter of a course comes after the lessons, and is found by name") {
  const Course course;
  course.add_copy("wider", "changes = 60\nchange = \"It is wider.\"\n");
  course.add_copy("61-last", "changes = \"60\"\nchange = \"It is the last.\"\n");
  const Json list = Json::parse(course.run("list --format json").output)["lessons"];
  CHECK(list.back()["slug"] == "wider");
  CHECK_FALSE(list.back().contains("number"));
  const Json json =
      Json::parse(course.run("lesson wider --format json --size 64 --backend emulator").output);
  CHECK_FALSE(json["lesson"].contains("number"));
  CHECK(json["lesson"]["slug"] == "wider");
}

TEST_CASE("the exercise of a chapter is found by its name, and is graded") {
  const Course course;
  course.add_copy("wider", "changes = 60\nchange = \"It is wider.\"\n");
  const std::string folder = course.path("").string();
  const ProgramResult started = course.run(fmt::format("exercise start wider --dir '{}'", folder));
  CHECK(started.status == 0);
  CHECK(contains(started.output, "Exercise · "));
  CHECK(course.run(fmt::format("check '{}'", course.path("wider.cu").string())).status == 1);
  CHECK(contains(course.run("hint wider").output, "Exercise"));
  CHECK(contains(course.run("exercise list").output, " wider "));
  course.write("submissions/anna/wider.cu", course.run("solution wider --anyway").output);
  course.write("submissions/bob/Wider.cu", course.text("my-course/wider/kernel.cu"));
  const ProgramResult grades = course.run(fmt::format("grade '{}' --exercises wider --json '{}'",
                                                      course.path("submissions").string(),
                                                      course.path("grades.json").string()));
  INFO(grades.output << grades.error);
  CHECK(contains(grades.output, "2 students · 2 of 2 solved"));
  CHECK(Json::parse(course.text("grades.json"))["exercises"][0]["slug"] == "wider");
}

TEST_CASE("the page of a course's lesson names the course, and not where it lies") {
  const Course course;
  const std::string page = course.path("60.html").string();
  REQUIRE(course.run("lesson 60 --size 64 --backend emulator --html '" + page + "'").status == 0);
  const std::string html = read_file(page).value();
  CHECK(contains(html, "<code>gemm-tutor --course DIR trace 60 --size 64</code>"));
  CHECK_FALSE(contains(html, course.path("").string()));
}

TEST_CASE("a heading that is not the title stays in a lesson's text") {
  const Course course;
  const std::string page = course.path("60.html").string(), file = "my-course/60-strip/lesson.md";
  const std::string text = course.text(file);
  const auto heading_shown = [&](const std::string& heading) {
    course.write(file, "# " + heading + "\n\n" + text);
    REQUIRE(course.run("lesson 60 --size 64 --backend emulator --html '" + page + "'").status == 0);
    return contains(read_file(page).value(), "<h2>" + heading + "</h2>");
  };
  CHECK(heading_shown("Another heading"));
  CHECK_FALSE(heading_shown("A strip for each thread"));
}

TEST_CASE("the documented goal is missed by the mistake that it names") {
  const Course course;
  std::string source = course.run("solution 60 --anyway").output;
  const std::string good = "sum[j] += a * B", bad = "sum[j] += __ldcv(&A[row * K + k]) * B";
  const std::size_t at = source.find(good);
  REQUIRE(at != source.npos);
  course.write("mine.cu", source.replace(at, good.size(), bad));
  const ProgramResult result =
      course.run(fmt::format("check '{}'", course.path("mine.cu").string()));
  INFO(result.output);
  CHECK(result.status == 1);
  CHECK_FALSE(contains(result.output, "So changed"));  // a hint
  const std::string json =
      course.run(fmt::format("check '{}' --format json", course.path("mine.cu").string())).output;
  CHECK(contains(json, "`a * B[k * N + column + j]`. So changed, the kernel solves"));
}

TEST_CASE("no report takes the place of a file of the course") {
  const Course course;
  for (const char* file : {"kernel.cu", "lesson.md", "lesson.toml", "exercise.cu"}) {
    const std::string name = "my-course/60-strip/" + std::string(file);
    const std::string before = course.text(name), path = course.path(name).string();
    for (const std::string command : {"lesson 3 --html", "trace 3 --svg", "compare 3 --csv"}) {
      INFO(command << ' ' << name);
      check_error(course.run(fmt::format("{} '{}'", command, path)), 2,
                  {file, "a file that is read"});
    }
    check_error(course.run(fmt::format("grade '{}' --json '{}'", course.path("").string(), path)),
                2, {file});
    CHECK(course.text(name) == before);
  }
}

TEST_CASE("a bundle with a course has what is not hidden in it, and tries the course's exercise") {
  Course course;
  course.write("my-course/.git/config", "");
  course.write("my-course/60-strip/.swp", "");
  const fs::path bundle = course.path("bundle");
  const auto result =
      course.run(fmt::format("classroom gradescope '{}' --exercises strip", bundle.string()));
  INFO(result.error);
  REQUIRE(result.status == 0);
  CHECK(fs::exists(bundle / "course/60-strip/lesson.toml"));
  CHECK_FALSE(fs::exists(bundle / "course/.git"));
  CHECK_FALSE(fs::exists(bundle / "course/60-strip/.swp"));
  const std::string setup = course.text("bundle/setup.sh");
  CHECK(contains(setup, "solution 60 --course /opt/gemm-tutor/course --anyway"));
  CHECK_FALSE(contains(setup, "COURSE@"));
}
