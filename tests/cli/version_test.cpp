// --version, and how the build finds what it says.
#include <fmt/format.h>

#include "catch.hpp"
#include "cli/version.hpp"
#include "program.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "temporary_directory.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// "1.0.0", from the one place where it is written.
std::string project_version() {
  const std::string text = read_file(PROJECT_SOURCE_DIR "/CMakeLists.txt").value();
  const std::string before = "project(gemm-tutor VERSION ";
  const std::size_t at = text.find(before);
  REQUIRE(at != text.npos);
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find(' ', begin) - begin);
}

// What cmake/GenerateVersion.cmake writes of the commit of `source`, a folder.
std::string commit_of(const std::filesystem::path& source, const std::filesystem::path& output) {
  const ProgramResult result = run_shell(
      fmt::format("cmake -DSOURCE='{}' -DGIT=git -DCOMPILER=any -DBUILD_TYPE=any -DOUTPUT='{}' -P "
                  "'{}/cmake/GenerateVersion.cmake'",
                  source.string(), output.string(), PROJECT_SOURCE_DIR));
  INFO(result.error);
  REQUIRE(result.status == 0);
  const std::string text = read_file(output).value();
  const std::string before = ".commit = \"";
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  REQUIRE(write_file_atomically(path, text));
}

bool is_commit(const std::string& text) {
  return text.size() == 12 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

TEST_CASE("the version, and a line for each fact of the build") {
  const ProgramResult result = run_program("--version");
  CHECK(result.status == 0);
  const std::vector<std::string> lines = split_lines(result.output);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "gemm-tutor " + project_version());
  const cli::BuildFacts facts = cli::build_facts();
  CHECK(lines[1] == "commit    " + facts.commit);
  CHECK(lines[2] == "compiler  " + facts.compiler + ", " + facts.build_type);
  const bool is_known = is_commit(facts.commit.substr(0, facts.commit.find(',')));
  CHECK((is_known || contains(facts.commit, "not known")));
}

TEST_CASE("the change log's newest release is this version") {
  const std::string text = read_file(PROJECT_SOURCE_DIR "/CHANGELOG.md").value();
  std::size_t heading = text.find("\n## ");
  REQUIRE(heading != text.npos);
  if (text.substr(heading).starts_with("\n## Unreleased\n"))
    heading = text.find("\n## ", heading + 1);
  REQUIRE(heading != text.npos);
  CHECK(text.substr(heading + 4).starts_with(project_version() + " (20"));
}

TEST_CASE("the commit is found in a clone and in a worktree, and is not made up elsewhere") {
  if (run_shell("git --version").status != 0) SKIP_BECAUSE("git is missing");
  const TemporaryDirectory directory;
  const std::filesystem::path clone = directory.path() / "clone", tree = directory.path() / "tree",
                              output = directory.path() / "version.cpp";
  const ProgramResult made = run_shell(
      fmt::format("cd '{0}' && git init -q clone && cd clone && echo 1 > file && git add file && "
                  "git -c user.name=a -c user.email=a@example.org commit -q -m one && git worktree "
                  "add -q ../tree",
                  directory.path().string()));
  INFO(made.error);
  REQUIRE(made.status == 0);

  const std::string commit = commit_of(clone, output);
  CHECK(is_commit(commit));
  CHECK(commit_of(tree, output) == commit);

  write_file(clone / "file", "2");
  CHECK(commit_of(clone, output) == commit + ", modified");
  // Nothing new, nothing written: nothing is compiled again.
  const auto written = std::filesystem::last_write_time(output);
  CHECK(commit_of(clone, output) == commit + ", modified");
  CHECK(std::filesystem::last_write_time(output) == written);

  // A tarball that was unpacked inside a clone.
  std::filesystem::create_directory(clone / "unpacked");
  CHECK(contains(commit_of(clone / "unpacked", output), "not known"));
  // A repository that git refuses, as it does one of another user.
  write_file(tree / ".git", "gitdir: /nowhere\n");
  CHECK(contains(commit_of(tree, output), "not known"));
}
