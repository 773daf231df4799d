// gemm-tutor exercise, check, hint, solution and watch, by running the program.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "errors.hpp"
#include "exercise/exercise.hpp"
#include "report/json.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

// A learner's folder, with what they have done before.
class Learner {
 public:
  ProgramResult run(const std::string& arguments, const std::string& environment = "") const {
    return shell("\"$PROGRAM\" " + arguments, environment);
  }
  ProgramResult shell(const std::string& command, const std::string& environment = "") const {
    return run_shell(fmt::format("cd '{}' && {}", folder().string(), command),
                     fmt::format("XDG_STATE_HOME='{}' {}", state().string(), environment));
  }

  fs::path folder() const { return directory_.path(); }
  fs::path state() const { return state_.path(); }
  std::string text(const std::string& name) const {
    return read_file(folder() / name).value_or("");
  }
  void write(const std::string& name, const std::string& contents) const {
    REQUIRE(write_file_atomically(folder() / name, contents));
  }

 private:
  TemporaryDirectory directory_, state_;
};

}  // namespace

TEST_CASE("what comes after a solved exercise is not solved") {
  const Learner learner;
  for (const char* name : {"2", "1"}) {
    learner.write("mine.cu", learner.run(fmt::format("solution {} --anyway", name)).output);
    const ProgramResult solved = learner.run("check mine.cu");
    CHECK(solved.status == 0);
    CHECK(contains(solved.output, "gemm-tutor exercise start 3"));
  }
}

TEST_CASE("clangd reads each exercise without the CUDA Toolkit, as handed out and solved",
          "[long]") {
  if (!is_installed("clangd")) SKIP_BECAUSE("there is no clangd");
  const Learner learner;
  // The diagnostics, without the names of the tools that it tries at each token of a line.
  const auto complaints = [&](const std::string& file) {
    const ProgramResult result =
        learner.shell(fmt::format("clangd --check={} --check-lines=1-1", file));
    CHECK(contains(result.error, "All checks completed"));
    CHECK(contains(result.error, "Loaded compilation database from " + learner.folder().string()));
    std::string found;
    for (const std::string& line : split_lines(result.error)) {
      const bool is_of_interest = !line.starts_with("I[") || contains(line, "config warning");
      if (is_of_interest) found += line + "\n";
    }
    return found;
  };
  const Json all = Json::parse(learner.run("exercise list --format json").output);
  for (const std::size_t place : sampled_places(all["exercises"].size(), 4)) {
    const Json& exercise = all["exercises"][place];
    const std::string slug = exercise["slug"], file = exercise["file"];
    INFO(slug);
    REQUIRE(learner.run("exercise start " + slug).status == 0);
    CHECK(complaints(file) == "");
    learner.write(file, learner.run("solution --anyway " + slug).output);
    CHECK(complaints(file) == "");
  }
  learner.write("wrong.cu", "__global__ void wrong() { __syncthread(); }\n");
  CHECK(contains(complaints("wrong.cu"), "use of undeclared identifier '__syncthread'"));
}

TEST_CASE("a check as JSON") {
  const Learner learner;
  learner.run("exercise start 3");
  const Json json = Json::parse(learner.run("check --format json").output);
  CHECK(json["exercise"] == "shared-memory-tile");
  CHECK(json["solved"] == false);
  CHECK(json["failed"] == "result");
  CHECK(json["sizes"].size() == 4);
  CHECK(json["diagnosis"]["map"].size() == 16);
  CHECK(json["diagnosis"]["first_wrong"]["row"] == 0);
  CHECK(json["untouched_gaps"] == Json({1, 2, 3}));
  CHECK_FALSE(json.contains("goals"));

  learner.write("solved.cu", learner.run("solution 3").output);
  const Json solved = Json::parse(learner.run("check solved.cu --format json").output);
  CHECK(solved["solved"] == true);
  CHECK_FALSE(solved.contains("failed"));
  CHECK(solved["findings"].empty());
  CHECK(solved["goals"].size() >= 2);
  CHECK(solved["goals"][0]["met"] == true);
}

TEST_CASE("the files of a folder as JSON, in the order of their exercises") {
  const Learner learner;
  learner.run("exercise start 3");
  learner.write("a.cu", learner.run("solution 2 --anyway").output);
  learner.write("b.cu", learner.run("solution 1 --anyway").output);
  learner.write("small-k-only.cu", "");
  const ProgramResult result = learner.run("check --format json");
  CHECK(result.status == 1);
  const Json json = Json::parse(result.output);
  CHECK(json["solved"] == false);
  std::vector<std::string> found;
  for (const Json& check : json["checks"]) {
    found.push_back(fmt::format("{} {} {}", check["file"].get<std::string>(),
                                check["exercise"].get<std::string>(),
                                check["solved"].get<bool>() ? "solved" : "not solved"));
  }
  CHECK(found == std::vector<std::string>{"b.cu naive-uncoalesced solved",
                                          "a.cu naive-coalesced solved",
                                          "03-shared-memory-tile.cu shared-memory-tile not solved",
                                          "small-k-only.cu small-k-only not solved"});
  CHECK(json["checks"][2]["failed"] == "result");
  CHECK(json["checks"][3]["error"] == "'small-k-only.cu' is empty");
  // The one that was started is the current one still.
  CHECK(contains(learner.run("hint").output, "Exercise 3"));
}

TEST_CASE("check and its like in ASCII, for terminals that show no more") {
  const Learner learner;
  learner.run("exercise start 3");
  for (const char* command : {"check", "hint", "exercise list", "exercise start 5"}) {
    const ProgramResult result = learner.run(command, "LANG=C");
    INFO(command << "\n" << result.output);
    CHECK(is_ascii(result.output));
    CHECK(widest(result.output) <= 80);
  }
}

TEST_CASE("exercise alone is its list") {
  const Learner learner;
  CHECK(learner.run("exercise").output == learner.run("exercise list").output);
  const Json json = Json::parse(learner.run("exercise list --format json").output);
  CHECK(json["exercises"].size() == exercises().size());
  CHECK(json["exercises"][3]["slug"] == "shared-memory-tile");
}

TEST_CASE("progress that cannot be kept stops nobody") {
  const Learner learner;
  const std::string nowhere = "XDG_STATE_HOME=/dev/null";
  const ProgramResult started = learner.run("exercise start 3", nowhere);
  CHECK(started.status == 0);
  CHECK(contains(started.error, "note: "));
  const ProgramResult checked = learner.run("check 03-shared-memory-tile.cu", nowhere);
  CHECK(checked.status == 1);
  CHECK(contains(checked.output, "Result"));
}

TEST_CASE("watch does not begin where no check can be made") {
  const Learner learner;
  learner.run("exercise start 3");
  check_error(learner.run("watch --backend gpu", "CUDA_VISIBLE_DEVICES="), 3, {});
  check_error(learner.run("watch", "GEMM_TUTOR_COMPILER=clang GEMM_TUTOR_CLANG=/nowhere"), 3,
              {"clang"});
}

TEST_CASE("watch checks at each save, and says what got better") {
  const Learner learner;
  learner.run("exercise start 3");
  const std::string solution = learner.run("solution 3 --anyway").output;
  learner.write("solution", solution);
  // Editors write in place, or rename over; the second save changes nothing.
  const ProgramResult result = learner.shell(R"sh(true
    "$PROGRAM" watch > output 2>&1 & watch=$!
    until_said() { for i in $(seq 300); do grep -q "$1" output && return; sleep 0.1; done; }
    until_said 'still as handed out'
    cat solution > 03-shared-memory-tile.cu
    until_said 'Well done'
    touch 03-shared-memory-tile.cu
    echo broken > new && mv new 03-shared-memory-tile.cu
    until_said 'it compiled before'
    kill $watch; wait $watch; cat output)sh");
  const std::string& output = result.output;
  INFO(output);
  CHECK(contains(output, "right at 4 of 4 sizes, before at 0"));
  CHECK(contains(output, "it compiled before"));
  std::size_t checks = 0;
  for (std::size_t at = 0; (at = output.find("checked again at each save", at)) != output.npos;
       ++at) {
    ++checks;
  }
  CHECK(checks == 3);
}
