#include "course/lesson.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include "course_checks.hpp"
#include "course_of_environment.hpp"
#include "source/excerpt.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string source_on_disk(const Lesson& lesson) {
  const auto source = read_file(std::string(PROJECT_SOURCE_DIR "/") + lesson.source_file);
  REQUIRE(source);
  return *source;
}

// The lines of the paragraph that follows the heading.
std::string idea(const Lesson& lesson) {
  const std::vector<std::string> lines = split_lines(lesson_text(lesson));
  std::string paragraph;
  for (std::size_t i = 2; i < lines.size() && !lines[i].empty(); ++i) paragraph += lines[i] + "\n";
  return paragraph;
}

}  // namespace

TEST_CASE("the first four lessons have their numbers and slugs") {
  REQUIRE(lessons().size() >= 4);
  const std::vector<std::string> slugs = {"cpu-loop", "naive-uncoalesced", "naive-coalesced",
                                          "shared-memory-tile"};
  for (int number = 0; number < 4; ++number) {
    CHECK(lessons()[number].number == number);
    CHECK(lessons()[number].slug == slugs[number]);
  }
}

TEST_CASE("lessons are in the order of their numbers, each of which is there once") {
  REQUIRE(numbered_lessons().size() == 20);
  for (std::size_t i = 1; i < numbered_lessons().size(); ++i) {
    INFO(lessons()[i].slug);
    CHECK(lessons()[i].number == static_cast<int>(i));
    CHECK(lesson_before(lessons()[i]) == &lessons()[i - 1]);
    CHECK(lesson_after(lessons()[i - 1]) == &lessons()[i]);
  }
  CHECK(lesson_before(lessons().front()) == nullptr);
  CHECK(lesson_after(numbered_lessons().back()) == nullptr);
}

TEST_CASE("the chapters follow, each between the lesson that it changes and the next") {
  std::string chapters;
  for (const Lesson& chapter : lessons()) {
    if (chapter.number) continue;
    const Lesson* before = lesson_before(chapter);
    CHECK(before == changed_lesson(chapter));
    CHECK(lesson_after(chapter) == before + 1);
    CHECK(chapter.name() == "chapter " + chapter.slug);
    chapters += chapter.key() + " ";
  }
  CHECK(chapters == "order-of-sums bulk-copies edges ");
}

TEST_CASE("a number with a letter, which lessons had once, leads to where its kernel is") {
  for (const auto& [name, slug] :
       std::vector<std::pair<std::string, std::string>>{{"7b", "chapter order-of-sums"},
                                                        {"12B", "lesson 13"},
                                                        {"12f", "chapter edges"},
                                                        {"longer-ring", "lesson 13"},
                                                        {"9b", "lesson 9"}}) {
    INFO(name);
    CHECK(contains(error_of([&, number = name] { find_lesson(number); }).help(),
                   "The nearest is " + slug + " ("));
  }
}

TEST_CASE("the numbered lessons have an exercise each, and no more words than two evenings read") {
  std::size_t words = 0;
  for (const Lesson& lesson : numbered_lessons()) {
    INFO(lesson.slug);
    CHECK_FALSE(lesson.exercise.empty());
    std::istringstream text(lesson_text(lesson));
    words += std::distance(std::istream_iterator<std::string>(text), {});
  }
  CHECK(words <= 18'000);
}

TEST_CASE("each numbered lesson says near its beginning how far it can lead at most") {
  for (const Lesson& lesson : numbered_lessons()) {
    constexpr std::size_t words = 100;
    std::istringstream text(lesson_text(lesson));
    std::string opening, word;
    for (std::size_t i = 0; i < words && text >> word; ++i) opening += word + " ";
    INFO(opening);
    CHECK((contains(opening, "at most ") || contains(opening, "At most ")));
    if (lesson.number > 0) CHECK(contains(opening, "**At most "));
  }
}

TEST_CASE("every lesson is whole") {
  std::set<std::string> names;
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    CHECK_FALSE(lesson.title.empty());
    CHECK(lesson.text.starts_with("# " + lesson.title + "\n\n"));
    CHECK(idea(lesson).size() > 40);
    CHECK((lesson.number == 0 || !lesson.change.empty()));
    REQUIRE_FALSE(lesson.kernels.empty());
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.from_library) continue;
      INFO(kernel.name);
      CHECK(names.insert(kernel.name).second);  // recorded results are found by it
      CHECK(kernel.title.empty() == (lesson.kernels.size() == 1));
      CHECK(kernel.is_cuda() == (kernel.shape != nullptr));
      CHECK(kernel.is_cuda() == (kernel.cpu_counted == nullptr));
      CHECK_FALSE(kernel.traffic.loads.empty());
      CHECK_FALSE(kernel.traffic.stores.empty());
    }
  }
}

TEST_CASE("the source is the file's, and an excerpt has the file's own line numbers") {
  for (const Lesson& lesson : lessons()) {
    const std::string source = source_on_disk(lesson);
    CHECK(lesson.source == source);
    const std::vector<std::string> lines = split_lines(source);
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      const std::vector<SourceLine> shown = excerpt(lesson, kernel);
      REQUIRE_FALSE(shown.empty());
      for (const SourceLine& line : shown) CHECK(line.text == lines.at(line.number - 1));
      CHECK(lines.at(shown.front().number - 2) == "// excerpt: " + kernel.function);
      CHECK(lines.at(shown.back().number) == "// end excerpt");
    }
  }
}

TEST_CASE("an excerpt is what stands between its marks") {
  const std::string source =
      "one\n// excerpt: a\n  two\n// end excerpt\nthree\n// excerpt: b\nfour\nfive\n// end "
      "excerpt\n";
  const std::vector<SourceLine> a = excerpt(source, "a");
  REQUIRE(a.size() == 1);
  CHECK(a[0].number == 3);
  CHECK(a[0].text == "  two");
  const std::vector<SourceLine> b = excerpt(source, "b");
  REQUIRE(b.size() == 2);
  CHECK(b[0].number == 7);
  CHECK(b[1].text == "five");
  CHECK(excerpt(source, "c").empty());
  CHECK(contains(error_of([] { excerpt("// excerpt: a\nwithout an end\n", "a"); }).what(),
                 "'// excerpt: a' has no end"));
}

TEST_CASE("an excerpt of a file without marks is the kernel alone") {
  const std::string head = "__global__ void a(float* C) {";
  const std::vector<SourceLine> a = excerpt(std::string(100, '\n') + head + "\n  two();\n}\n", "a");
  REQUIRE(a.size() == 3);
  CHECK(a[0].number == 101);
  CHECK(a[0].text == head);
  CHECK(a[2].text == "}");
}

TEST_CASE("a lesson is found by number or slug") {
  CHECK(find_lesson("3").slug == "shared-memory-tile");
  CHECK(find_lesson("03").slug == "shared-memory-tile");
  CHECK(find_lesson("naive-coalesced").number == 2);
}

TEST_CASE("a lesson that does not exist: the nearest is named") {
  const Error mistyped = error_of([] { find_lesson("naive-coalesed"); });
  CHECK(mistyped.status() == ExitStatus::usage);
  CHECK(contains(mistyped.what(), "'naive-coalesed'"));
  CHECK(contains(mistyped.help(), "lesson 2 ("));

  const std::string last = numbered_lessons().back().name();
  CHECK(contains(error_of([] { find_lesson("99"); }).help(), last + " ("));
  CHECK(contains(error_of([] { find_lesson("-2147483648"); }).help(), "lesson 0 ("));
  for (const std::string text : {"3x", "3.5", "3 ", " 3", "3-warp-tile"}) {
    INFO(text);
    CHECK(contains(error_of([&] { find_lesson(text); }).help(), "lesson 3 ("));
  }
  for (const std::string text : {"", "99999999999", "3.0", "1e9", " 3"}) {
    INFO(text);
    CHECK(error_of([&] { find_lesson(text); }).status() == ExitStatus::usage);
  }
}

TEST_CASE("a kernel is found by name, the lesson's own without one") {
  const Lesson& lesson = find_lesson("cpu-loop");
  CHECK(find_kernel(lesson, "").name == "cpu_loop");
  CHECK(find_kernel(lesson, "cpu_loop_reordered").name == "cpu_loop_reordered");
  const Error error = error_of([&] { find_kernel(lesson, "gpu_loop"); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(contains(error.what(), "'gpu_loop'"));
  CHECK(contains(error.help(), "cpu_loop, cpu_loop_reordered"));
}

}  // namespace gemm_tutor
