#include "course/shown_code.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "sample.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;

namespace {

constexpr const char* two_functions = R"(// Adds.
__device__ float add(float a, float b) { return a + b; }
__device__ float unused(float a) { return a; }

// Twice as much.
__device__ float twice(float a) { return add(a, a); }

// excerpt: doubled
__global__ void doubled(float* C) { C[threadIdx.x] = twice(C[threadIdx.x]); }
// end excerpt
)";

std::string text_of(const std::vector<SourceLine>& lines) {
  std::string text;
  for (const SourceLine& line : lines) text += line.text + "\n";
  return text;
}

Lesson lesson_of(const std::string& source, const std::string& kernel) {
  Lesson lesson;
  lesson.number = lesson.place = 50;
  lesson.source = source;
  lesson.kernels.emplace_back();
  lesson.kernels.back().name = lesson.kernels.back().function = kernel;
  return lesson;
}

ShownCode own_code(const Lesson& lesson) { return shown_code(lesson, lesson.kernels.front()); }

std::set<std::string> names_of(const std::vector<EarlierFunction>& functions) {
  std::set<std::string> names;
  for (const EarlierFunction& function : functions) names.insert(function.name);
  return names;
}

// Lesson 14's file as that of a lesson which changes it, and what is said of it then.
ShownCode after_lesson_14(const std::string& from, const std::string& to) {
  Lesson lesson = find_lesson("14");
  lesson.source = replaced(lesson.source, from, to);
  lesson.changes = lesson.slug;
  return own_code(lesson);
}

}  // namespace

TEST_CASE("a kernel's functions are shown with their comments, also those that they use") {
  const ShownCode code = own_code(lesson_of(two_functions, "doubled"));
  CHECK(text_of(code.functions) ==
        "// Adds.\n"
        "__device__ float add(float a, float b) { return a + b; }\n"
        "// Twice as much.\n"
        "__device__ float twice(float a) { return add(a, a); }\n");
  CHECK(code.earlier.empty());
}

TEST_CASE("lesson 14 shows its schedule, its tiles, its sums and its second launch") {
  const ShownCode code = own_code(find_lesson("14"));
  const std::string text = text_of(code.functions);
  for (const std::string name : {"Piece piece_of(", "Tile tile_with(", "void multiply_add(",
                                 "void add_partial_tiles(", "struct Piece", "struct Tile"}) {
    INFO(name);
    CHECK(text.find(name) != text.npos);
  }
  CHECK(names_of(code.earlier).contains("as_float4"));
  CHECK(text.find("as_float4(float& first)") == text.npos);
}

TEST_CASE("only a function in the same words was shown before, blanks apart") {
  const std::string head = "__device__ int ceil_div(int a, int b) {";
  const ShownCode same = after_lesson_14(head, head);
  CHECK(same.functions.empty());
  CHECK(names_of(same.earlier).contains("piece_of"));
  const ShownCode spaced = after_lesson_14(head, "__device__ int ceil_div(int a,  int b)\n{");
  CHECK(spaced.functions.empty());
  const ShownCode other = after_lesson_14(head, "__device__ int ceil_div(int a, const int b) {");
  CHECK_FALSE(names_of(other.earlier).contains("ceil_div"));
  REQUIRE(other.functions.size() == 1);
  CHECK(other.functions.front().text.find("const int b") != std::string::npos);
}

TEST_CASE("no function is shown twice on the way to a lesson, and none is left out") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    std::set<std::string> on_the_way;
    for (const Lesson* at = changed_lesson(lesson); at; at = changed_lesson(*at)) {
      for (const Kernel& kernel : at->kernels) {
        for (const SourceLine& line : shown_code(*at, kernel).functions) {
          if (line.text.starts_with("__device__")) on_the_way.insert(line.text);
        }
      }
    }
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      const ShownCode code = shown_code(lesson, kernel);
      for (const EarlierFunction& function : code.earlier) {
        CHECK(std::ranges::any_of(on_the_way, [&](const std::string& head) {
          return head.find(" " + function.name + "(") != head.npos ||
                 head.find("& " + function.name + "(") != head.npos;
        }));
      }
      for (const SourceLine& line : code.functions) {
        if (line.text.find("{ return") == line.text.npos) continue;  // a whole function
        CHECK_FALSE(on_the_way.contains(line.text));
      }
    }
  }
}

TEST_CASE("a lesson's further kernel is compared with the one that is most alike") {
  const Lesson& lesson = find_lesson("9");
  for (const Kernel& kernel : lesson.kernels) {
    const Predecessor before = predecessor(lesson, kernel);
    INFO(kernel.name);
    REQUIRE(before.kernel);
    CHECK(before.kernel != &kernel);
    if (kernel.name == "double_buffer_padded") {
      CHECK(before.kernel->name == "double_buffer_in_shared");
    }
  }
  const Predecessor own = predecessor(lesson, lesson.kernels.front());
  CHECK(own.lesson == changed_lesson(lesson));
}
