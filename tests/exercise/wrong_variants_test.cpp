// Wrong variants of the exercises' kernels, each checked like a learner's file: what is said of the
// cause must be right, or nothing. They are in wrong_variants.txt, which says how to add one.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checks.hpp"
#include "exercise/check.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

struct Edit {
  std::string text, replacement;
};

struct Variant {
  std::string exercise, name;
  bool of_handout = false;  // else of the solution
  bool needs_machine_code = false;
  std::vector<Edit> edits = {};
  std::vector<std::string> says = {};  // parts of right causes; if it is empty, no cause is right
};

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_line_end = text.substr(i).starts_with("\\n");
    result += is_line_end ? '\n' : text[i];
    i += is_line_end;
  }
  return result;
}

std::vector<Variant> variants() {
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/exercise/wrong_variants.txt");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Variant> result;
  for (const std::string& line : split_lines(text.str())) {
    const std::string_view view = line;
    if (view.starts_with("[")) {
      const std::size_t end = view.find(']');
      result.push_back({line.substr(1, end - 1), line.substr(end + 2)});
    } else if (view == "of handout") {
      result.back().of_handout = true;
    } else if (view == "needs machine code") {
      result.back().needs_machine_code = true;
    } else if (view.starts_with("- ")) {
      result.back().edits.push_back({unescaped(view.substr(2)), ""});
    } else if (view.starts_with("+ ")) {
      result.back().edits.back().replacement = unescaped(view.substr(2));
    } else if (view.starts_with("says ")) {
      result.back().says.push_back(line.substr(5));
    }
  }
  return result;
}

std::string source_of(const Variant& variant) {
  const Exercise& exercise = find_exercise(variant.exercise);
  std::string source = variant.of_handout ? exercise.handout : exercise.solution;
  INFO(variant.exercise << ", " << variant.name);
  for (const Edit& edit : variant.edits) source = replaced(source, edit.text, edit.replacement);
  return source;
}

// Those that fail on this machine.
std::vector<Variant> wrong_variants() {
  std::vector<Variant> result = variants();
  if (!simt::compiler_status().has_assembler)
    std::erase_if(result, std::mem_fn(&Variant::needs_machine_code));
  return result;
}

// What the check of each says.
std::vector<CheckReport> reports_of(const std::vector<Variant>& variants) {
  std::vector<std::string> sources;
  for (const Variant& variant : variants) sources.push_back(source_of(variant));
  std::vector<CheckReport> reports(variants.size());
  parallel_for(std::ssize(variants), core_count(), [&](std::int64_t i, int) {
    const Exercise& exercise = find_exercise(variants[i].exercise);
    CheckOptions options;
    options.threads = 1;
    reports[i] = check_exercise(exercise, sources[i], exercise.file_name, options);
  });
  return reports;
}

// Each is right or not said, and most are said.
void check_causes(const std::vector<Variant>& variants) {
  const std::vector<CheckReport> reports = reports_of(variants);
  std::size_t right = 0, silent = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& variant = variants[i];
    const std::string& cause = reports[i].cause;
    INFO("exercise " << variant.exercise << ", " << variant.name << ": " << cause);
    CHECK(reports[i].failed.has_value());
    CHECK(reports[i].failed != Stage::compile);
    const bool is_right = std::ranges::any_of(
        variant.says, [&](const std::string& part) { return cause.find(part) != cause.npos; });
    right += is_right;
    silent += cause.empty();
    CHECK((is_right || cause.empty()));
  }
  const std::size_t wrong = variants.size() - right - silent;
  fmt::print("causes of {} wrong kernels: {} right ({} %), {} silent, {} wrong\n", variants.size(),
             right, 100 * right / variants.size(), silent, wrong);
  CHECK(wrong == 0);
  CHECK(10 * right >= 8 * variants.size());
}

}  // namespace

TEST_CASE("what is said of the cause is right of every wrong kernel", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE(simt::compiler_status().problem);
  std::vector<Variant> all = wrong_variants();
  REQUIRE(all.size() >= 120);
  check_causes(sample_of(std::move(all), 36));
}

TEST_CASE("there are wrong kernels of every exercise") {
  std::set<std::string> tried;
  for (const Variant& variant : variants()) tried.insert(find_exercise(variant.exercise).slug);
  CHECK(tried.size() == exercises().size());
}

}  // namespace gemm_tutor
