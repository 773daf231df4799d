// docs/lessons says what the lessons are and what their kernels do now.
#include <filesystem>
#include <map>
#include <regex>
#include <string>

#include "catch.hpp"
#include "program.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

const fs::path kept = fs::path(PROJECT_SOURCE_DIR) / "docs/lessons";

// By their names in the folder.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), folder).string()] = read_file(entry.path()).value();
  }
  return files;
}

// That an index names: "NVRTC 13.0".
std::string compiler_of(const std::string& index) {
  std::smatch found;
  const bool named = std::regex_search(index, found, std::regex("from the PTX of ([^;]+?)[;.]\\s"));
  return named ? found[1].str() : "";
}

std::string names_of(const std::map<std::string, std::string>& files) {
  std::string names;
  for (const auto& [name, text] : files) names += name + "\n";
  return names;
}

}  // namespace

TEST_CASE("the pages of docs/lessons are those that scripts/write-lessons writes", "[nightly]") {
  const TemporaryDirectory directory;
  const ProgramResult result = run_program("write-lessons '" + directory.path().string() + "'");
  if (result.status == 3) SKIP_BECAUSE("this machine cannot compile the kernels: " + result.error);
  INFO(result.error);
  REQUIRE(result.status == 0);
  const auto written = files_of(directory.path()), known = files_of(kept);
  REQUIRE(known.count("README.md") == 1);
  const std::string compiler = compiler_of(written.at("README.md"));
  const std::string of_pages = compiler_of(known.at("README.md"));
  REQUIRE(compiler != "");
  if (compiler != of_pages) {
    SKIP_BECAUSE("the pages hold the counts of " + of_pages + ", and the compiler here is " +
                 compiler);
  }
  INFO("'scripts/write-lessons' writes docs/lessons anew");
  CHECK(names_of(written) == names_of(known));
  for (const auto& [name, text] : written) {
    INFO("docs/lessons/" << name);
    CHECK(control_character(text) == "");
    const auto page = known.find(name);
    if (page != known.end()) CHECK(page->second == text);
  }
}

TEST_CASE("write-lessons says where it cannot write, and is hidden") {
  CHECK(run_program("write-lessons").status == 2);
  const ProgramResult nowhere = run_program("write-lessons /proc/none");
  CHECK(nowhere.status == 3);
  CHECK(contains(nowhere.error, "/proc/none"));
  CHECK_FALSE(contains(run_program("--help").output, "write-lessons"));
}
