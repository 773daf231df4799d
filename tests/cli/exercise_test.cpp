// gemm-tutor exercise, check, hint, solution and watch, by running the program.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compile/compiler.hpp"
#include "documents/json.hpp"
#include "errors.hpp"
#include "exercise/exercise.hpp"
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

TEST_CASE("an exercise from its start to its solution") {
  const Learner learner;
  const ProgramResult started = learner.run("exercise start 3");
  CHECK(started.status == 0);
  CHECK(contains(started.output, "gemm-tutor watch"));
  CHECK(contains(learner.text("03-shared-memory-tile.cu"), "// GAP 1"));

  const ProgramResult tried_too_early = learner.run("solution");
  check_error(tried_too_early, 1, {"shared-memory-tile", "--anyway"});

  for (int i = 0; i < 3; ++i) learner.run("hint 2");
  CHECK(contains(learner.run("hint 2").output, "once a check has failed"));

  const ProgramResult failed = learner.run("check");
  CHECK(failed.status == 1);
  CHECK(failed.error == "");
  CHECK(contains(failed.output, "still as handed out: 1, 2, 3"));
  CHECK(widest(failed.output) <= 80);

  for (const int hints : {1, 2, 3, 3}) {
    const ProgramResult hint = learner.run("hint");
    CHECK(hint.status == 0);
    CHECK(contains(hint.output, fmt::format("Hint {}", hints)));
    CHECK_FALSE(contains(hint.output, fmt::format("Hint {}", hints + 1)));
    CHECK(contains(hint.output, "gemm-tutor solution shows how") == (hints == 3));
    CHECK_FALSE(contains(hint.output, "once a check has failed"));  // one has
  }

  const ProgramResult solution = learner.run("solution");
  CHECK(solution.status == 0);
  learner.write("03-shared-memory-tile.cu", solution.output);
  const ProgramResult solved = learner.run("check 03-shared-memory-tile.cu");
  CHECK(solved.status == 0);
  CHECK(contains(solved.output, "Well done"));

  const ProgramResult list = learner.run("exercise list");
  CHECK(contains(list.output, "✓"));
  CHECK(contains(list.output, "1 failed check, 3 hints"));
}

TEST_CASE("what is wrong in a kernel to mend is a hint, once it is no longer as handed out") {
  const Learner learner;
  learner.run("exercise start small-k-only");
  CHECK_FALSE(contains(learner.run("check").output, "Likely"));
  for (int i = 0; i < 4; ++i) learner.run("hint");
  CHECK_FALSE(contains(learner.run("hint").output, "Hint 4"));

  std::string mine = learner.text("small-k-only.cu");
  const std::string sum = "[threadIdx.x];\n";
  REQUIRE(contains(mine, sum));
  mine.insert(mine.find(sum) + sum.size(), "      // not yet\n      __syncwarp();\n");
  learner.write("small-k-only.cu", mine);
  const ProgramResult failed = learner.run("check");
  CHECK(failed.status == 1);
  CHECK_FALSE(contains(failed.output, "Likely"));
  CHECK_FALSE(contains(failed.output, "is missing"));
  CHECK(contains(failed.output, "race"));
  const ProgramResult hint = learner.run("hint");
  CHECK(contains(hint.output, "Hint 4"));
  CHECK(contains(hint.output, "After line 31 __syncthreads(); is missing."));
}

TEST_CASE("a check names the place and what is there, and the last hint what is right") {
  const Learner learner;
  learner.run("exercise start 3");
  std::string mine = learner.run("solution --anyway").output;
  const std::string right = "row < M && a_column < K", wrong = "row < M && a_column < K - 1";
  REQUIRE(contains(mine, right));
  learner.write("03-shared-memory-tile.cu", mine.replace(mine.find(right), right.size(), wrong));
  const ProgramResult failed = learner.run("check");
  INFO(failed.output);
  CHECK(contains(failed.output, "Likely   Look at line "));
  CHECK(contains(failed.output, "a_column < K - 1"));
  CHECK_FALSE(contains(failed.output, "should be"));
  CHECK(contains(failed.output, "gemm-tutor trace 03-shared-memory-tile.cu --size 64 --block"));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(contains(learner.run("hint").output, "should be"));
  CHECK(contains(learner.run("hint").output, "should be"));
}

TEST_CASE("what comes after a solved exercise is not solved") {
  const Learner learner;
  for (const char* name : {"2", "1"}) {
    learner.write("mine.cu", learner.run(fmt::format("solution {} --anyway", name)).output);
    const ProgramResult solved = learner.run("check mine.cu");
    CHECK(solved.status == 0);
    CHECK(contains(solved.output, "gemm-tutor exercise start 3"));
  }
}

TEST_CASE("exercise start never loses what is there") {
  const Learner learner;
  learner.write("03-shared-memory-tile.cu", "mine");
  check_error(learner.run("exercise start 3"), 2, {"03-shared-memory-tile.cu", "--force"});
  CHECK(learner.text("03-shared-memory-tile.cu") == "mine");
  CHECK(learner.run("exercise start 3 --dir other/folder").status == 0);
  CHECK(contains(learner.text("other/folder/03-shared-memory-tile.cu"), "GAP"));
  CHECK(learner.run("exercise start 3 --force").status == 0);
  CHECK(contains(learner.text("03-shared-memory-tile.cu"), "GAP"));

  learner.shell("ln -s nowhere 04-global-block-tile.cu");
  check_error(learner.run("exercise start 4"), 2, {"is there already"});
  learner.write("a-file", "");
  check_error(learner.run("exercise start 4 --dir a-file"), 3, {"cannot be written", "--dir"});
}

TEST_CASE("a check knows its file by what it says, by its name or by --exercise") {
  const Learner learner;
  const std::string solution = learner.run("solution 2 --anyway").output;
  learner.write("any name.cu", solution);
  CHECK(learner.run("check 'any name.cu'").status == 0);
  const std::string bare = solution.substr(solution.find("\n\n"));
  learner.write("bare.cu", bare);
  check_error(learner.run("check bare.cu"), 2, {"bare.cu", "--exercise"});
  CHECK(learner.run("check bare.cu --exercise 2").status == 0);
  learner.write("02-naive-coalesced.cu", bare);
  CHECK(learner.run("check 02-naive-coalesced.cu").status == 0);
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
  for (const Json& exercise : all["exercises"]) {
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

TEST_CASE("files for an editor are the learner's own once they have changed them") {
  const Learner learner;
  const ProgramResult first = learner.run("exercise start 1");
  CHECK(first.error == "");
  CHECK(contains(learner.text(".clangd"), "PathMatch: .*\\.cu"));
  CHECK(contains(learner.text("compile_flags.txt"), "-nocudainc"));
  CHECK(learner.run("exercise start 2").error == "");

  learner.write(".clangd", "mine\n");
  learner.write("compile_flags.txt", "-Wall\n");
  const ProgramResult again = learner.run("exercise start 3");
  CHECK(again.status == 0);
  CHECK(contains(again.error, "note: Your own .clangd and compile_flags.txt"));
  CHECK(learner.text(".clangd") == "mine\n");
  CHECK(learner.text("compile_flags.txt") == "-Wall\n");
}

TEST_CASE("the file that was started is checked from any folder") {
  const Learner learner;
  CHECK(learner.run("exercise start 2 --dir mine").status == 0);
  CHECK(contains(learner.run("check").output, "mine/02-naive-coalesced.cu"));
  CHECK(learner.shell("cd / && \"$PROGRAM\" check").status == 1);
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

TEST_CASE("a kernel that does not compile has the status of that") {
  const Learner learner;
  learner.run("exercise start 1");
  learner.write("01-naive-uncoalesced.cu", learner.text("01-naive-uncoalesced.cu") + "oops");
  const ProgramResult result = learner.run("check");
  CHECK(result.status == 4);
  CHECK(contains(result.output, "01-naive-uncoalesced.cu("));
  CHECK(contains(result.output, "oops"));
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

TEST_CASE("exercise, check, hint and solution: what is wrong is said, and how it is done") {
  const Learner learner;
  learner.write("empty.cu", "");
  const auto bad = GENERATE(values<BadCommand>({
      {"exercise start", {"which exercise"}},
      {"exercise start 77", {"'77'", "exercise list"}},
      {"exercise start shared-memory-tle", {"Did you mean 'shared-memory-tile'"}},
      {"exercise strat 3", {"unknown command 'strat'", "gemm-tutor exercise start"}},
      {"exercise list 3", {"'3' is one argument too many for gemm-tutor exercise list"}},
      {"exercise start 3 --forc", {"unknown option '--forc'", "--force"}},
      {"exercise start 3 --dir", {"--dir"}},
      {"check", {"check: which exercise?"}},
      {"hint", {"hint: which exercise?"}},
      {"solution", {"solution: which exercise?"}},
      {"watch", {"watch: which exercise?"}},
      {"check missing.cu", {"missing.cu", "does not exist"}},
      {"check empty.cu --exercise 3", {"empty.cu", "is empty"}},
      {"check . --exercise 3", {"is a directory"}},
      {"check empty.cu --exercise 0", {"there is no exercise '0'"}},
      {"check --backend cpu", {"--backend", "emulator, gpu"}},
      {"watch missing.cu --exercise 3", {"does not exist"}},
      {"hint 99", {"'99'"}},
  }));
  INFO(bad.arguments);
  check_error(learner.run(bad.arguments), 2, bad.named);
}

TEST_CASE("exercise alone is its list") {
  const Learner learner;
  CHECK(learner.run("exercise").output == learner.run("exercise list").output);
  const Json json = Json::parse(learner.run("exercise list --format json").output);
  CHECK(json["exercises"].size() == exercises().size());
  CHECK(json["exercises"][2]["slug"] == "shared-memory-tile");
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

TEST_CASE("a goal that needs machine code is not judged where there is none") {
  if (!clang_status().available) SKIP_BECAUSE(clang_status().problem);
  const Learner learner;
  learner.write("sums.cu", find_exercise("7b").solution);
  const std::string clang = "GEMM_TUTOR_COMPILER=clang";
  const ProgramResult result = learner.run("check sums.cu", clang);
  CHECK(result.status == 0);
  CHECK(contains(result.output, "not judged"));
  CHECK(contains(result.output, "2 of 3 goals met"));
  CHECK(contains(result.output, "'gemm-tutor device'"));
  const Json json = Json::parse(learner.run("check sums.cu --format json", clang).output);
  CHECK(json["solved"] == true);
  CHECK_FALSE(json["goals"][0].contains("met"));
  CHECK(contains(json["goals"][0]["not_counted"].get<std::string>(), "machine code"));
  CHECK(json["goals"][1]["met"] == true);
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
