// The kernels of tests/findings/kernels.txt, by running the program: it says what each one's
// comments ask for.
//
// A kernel's comments in the files that the build writes:
//   // run: OPTIONS         of 'gemm-tutor run'; the kernel's lines go from here to the next one
//   // wrong: TEXT          or // right: TEXT, for a kernel without findings
//   … // finds: KINDS       at a line: these are found there
//   // finds: KINDS         alone: these are found, without a line
//   // also: KINDS          these may be found anywhere, as the fault may show in several ways
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "program.hpp"
#include "report/json.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

const fs::path suite = FINDINGS_FOLDER;

constexpr const char* without_python = "the build had no Python to write the kernels";

using KindAndLine = std::pair<std::string, int>;

struct MarkedKernel {
  std::string file;  // within the suite
  std::string entry, options;
  bool is_right = false;
  std::set<KindAndLine> found = {};  // line 0 for none
  std::set<std::string> kinds = {};  // all that may be found
};

// What follows `mark` in the line.
std::optional<std::string> after(const std::string& line, const std::string& mark) {
  const std::size_t at = line.find(mark);
  if (at == line.npos) return std::nullopt;
  return line.substr(at + mark.size());
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> result;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) result.push_back(word);
  }
  return result;
}

std::string entry_of(const std::string& options) {
  const std::string name = after(options, "--entry ").value();
  return name.starts_with('\'') ? name.substr(1, name.find('\'', 1) - 1)
                                : name.substr(0, name.find(' '));
}

std::vector<MarkedKernel> kernels_of(const std::string& file) {
  std::vector<MarkedKernel> kernels;
  int number = 0;
  for (const std::string& line : split_lines(read_file(suite / file).value())) {
    ++number;
    if (const auto options = after(line, "// run: ")) {
      kernels.push_back({file, entry_of(*options), *options});
    }
    if (kernels.empty()) continue;
    MarkedKernel& kernel = kernels.back();
    if (line.starts_with("// right: ")) kernel.is_right = true;
    const bool alone = line.starts_with("// ");
    for (const std::string& kind : words(after(line, "// finds: ").value_or(""))) {
      kernel.found.insert({kind, alone ? 0 : number});
      kernel.kinds.insert(kind);
    }
    for (const std::string& kind : words(after(line, "// also: ").value_or(""))) {
      kernel.kinds.insert(kind);
    }
  }
  return kernels;
}

std::vector<MarkedKernel> kernels_of_family(const std::string& family) {
  std::vector<std::string> files;
  for (const fs::directory_entry& file : fs::directory_iterator(suite / family)) {
    if (file.path().extension() == ".cu")
      files.push_back(family + "/" + file.path().filename().string());
  }
  std::ranges::sort(files);
  std::vector<MarkedKernel> kernels;
  for (const std::string& file : files) {
    std::ranges::move(kernels_of(file), std::back_inserter(kernels));
  }
  return kernels;
}

// "FILE ENTRY" of each kernel with wrong findings of the emulator, and the reason.
std::map<std::string, std::string> expected_failures() {
  std::map<std::string, std::string> reasons;
  std::string reason;
  const fs::path file = fs::path(PROJECT_SOURCE_DIR) / "tests/findings/expected_failures.txt";
  for (const std::string& line : split_lines(read_file(file).value())) {
    if (line.starts_with("  ")) {
      reasons[line.substr(2)] = reason;
    } else {
      reason = line;
    }
  }
  return reasons;
}

// A race has two lines, and a fault in a function also that of its call.
std::set<int> lines_of(const Json& finding) {
  std::set<int> lines = {finding.value("line", 0)};
  if (finding.contains("other_line")) lines.insert(finding["other_line"].get<int>());
  for (const Json& call : finding.value("calls", Json::array())) lines.insert(call.get<int>());
  return lines;
}

// What the program should have said otherwise; empty where it is as the marks say.
std::string disagreement(const MarkedKernel& kernel) {
  const ProgramResult result = run_program(
      fmt::format("run '{}' {} --backend emulator --gpu h200 --blocks all --format json",
                  (suite / kernel.file).string(), kernel.options));
  if (result.status > 1) return result.error;
  const Json json = Json::parse(result.output);
  std::string text;
  std::set<KindAndLine> found;
  for (const Json& finding : json.at("findings")) {
    const auto kind = finding.at("kind").get<std::string>();
    for (const int line : lines_of(finding)) found.insert({kind, line});
    if (!kernel.kinds.count(kind)) text += fmt::format("found: {}\n", finding.dump());
  }
  for (const auto& [kind, line] : kernel.found) {
    if (!found.count({kind, line})) text += fmt::format("not found: {} at line {}\n", kind, line);
  }
  if (kernel.is_right && result.status != 0) text += "the result is wrong\n";
  return text;
}

struct Family {
  const char* name;
  bool is_right = false;
  std::size_t least = 40;  // kernels
};

constexpr Family families[] = {
    {"barriers"}, {"guards"}, {"pipelines"}, {"indices"}, {"correct", true, 80}};

// Its kernels. Each has what its kind needs.
std::vector<MarkedKernel> checked_family(const Family& family) {
  std::vector<MarkedKernel> kernels = kernels_of_family(family.name);
  CHECK(kernels.size() >= family.least);
  for (const MarkedKernel& kernel : kernels) {
    INFO(kernel.file << " " << kernel.entry);
    CHECK(kernel.is_right == family.is_right);
    CHECK(kernel.found.empty() == family.is_right);
  }
  return kernels;
}

void check_kernel(const MarkedKernel& kernel, const std::map<std::string, std::string>& reasons) {
  const std::string name = kernel.file + " " + kernel.entry;
  INFO(name);
  const std::string disagrees = disagreement(kernel);
  const auto reason = reasons.find(name);
  if (reason == reasons.end()) {
    CHECK(disagrees == "");
  } else if (disagrees.empty()) {
    FAIL_CHECK(
        "It is as it should be: take it from tests/findings/expected_failures.txt, where it is "
        "as '"
        << reason->second << "'.");
  }
}

void check_kernels(bool right) {
  if (!fs::exists(suite)) SKIP_BECAUSE(without_python);
  if (!simt::nvrtc_status().available) SKIP_BECAUSE("only NVRTC compiles all of these kernels");
  const std::map<std::string, std::string> reasons = expected_failures();
  for (const Family& family : families) {
    if (family.is_right != right) continue;
    for (const MarkedKernel& kernel : sample_of(checked_family(family), 68)) {
      check_kernel(kernel, reasons);
    }
  }
}

}  // namespace

TEST_CASE("what is wrong is found") { check_kernels(false); }

TEST_CASE("nothing is found in right kernels") { check_kernels(true); }

TEST_CASE("each expected failure is a kernel of the suite") {
  if (!fs::exists(suite)) SKIP_BECAUSE(without_python);
  std::set<std::string> names;
  for (const Family& family : families) {
    for (const MarkedKernel& kernel : kernels_of_family(family.name)) {
      CHECK(names.insert(kernel.file + " " + kernel.entry).second);
    }
  }
  for (const auto& [name, reason] : expected_failures()) {
    INFO(name);
    CHECK(names.count(name) == 1);
    CHECK(reason != "");
  }
}
