#include "course/glossary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "course_checks.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;

namespace {

constexpr const char* minimal = "## a\n\nText\nmore.\n\nNext.\n\nExample: Lesson 1: x\ny.\n\n";

// What a lesson emphasises without introducing a word.
const std::set<std::string> only_stressed = {
    "more", "which",  "row of threads", "computes", "copy",
    "all",  "before", "floats",         "other",    "the values of its own rows and columns"};

// Without code, in which "*" is a product.
std::string prose(const std::string& markdown) {
  std::string text;
  for (const std::string& line : split_lines(markdown)) {
    if (!line.starts_with("    ")) text += line + " ";
  }
  std::string result;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (!in_code && c != '`') result += c;
  }
  return result;
}

std::vector<std::string> emphasised(const std::string& markdown) {
  GlossaryTerm term;
  term.text = std::regex_replace(prose(markdown), std::regex("[*][*]"), "");  // a whole sentence
  return terms_within(term);
}

std::string glossary_error(std::string_view word) {
  INFO(word);
  const Error error = error_of([&] { find_term(word); });
  CHECK(error.status() == ExitStatus::usage);
  return std::string(error.what()) + "\n" + error.help();
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

TEST_CASE("an entry of the glossary") {
  const auto terms = parse_glossary(std::string("# Title\n\n") + minimal +
                                    "See lesson 1.\n\n## b\nalso: c, d e\n\nT.\n\nExample: E.\n"
                                    "\nSee chapter edges.\n");
  REQUIRE(terms.size() == 2);
  CHECK(terms[0].name == "a");
  CHECK(terms[0].also.empty());
  CHECK(terms[0].text == "Text more.\n\nNext.");
  CHECK(terms[0].example == "Lesson 1: x y.");
  CHECK(terms[0].lesson == "1");
  CHECK(terms[1].also == std::vector<std::string>{"c", "d e"});
  CHECK(terms[1].lesson == "edges");
  CHECK_THROWS_AS(parse_glossary(minimal), std::logic_error);
  CHECK_THROWS_AS(parse_glossary("## a\n\nSee lesson 1.\n"), std::logic_error);
  CHECK(parse_glossary("").empty());
}

TEST_CASE("every entry of the glossary is whole, and in its place") {
  REQUIRE(glossary().size() >= 32);
  for (std::size_t i = 0; i < glossary().size(); ++i) {
    const GlossaryTerm& term = glossary()[i];
    INFO(term.name);
    CHECK((term.text.ends_with('.') || term.text.ends_with(".)")));
    CHECK(term.text.size() > 100);
    CHECK(std::ranges::count(term.text, '*') % 2 == 0);
    CHECK(term.example.ends_with('.'));
    CHECK((i == 0 || lower_case(glossary()[i - 1].name) < lower_case(term.name)));

    CHECK_NOTHROW(find_lesson(term.lesson));
    const std::size_t begin = term.example.find(' ') + 1;
    const std::string name =
        term.example.substr(begin, term.example.find_first_of(": ", begin) - begin);
    CHECK(term.example.starts_with(capitalised(find_lesson(name).name())));
  }
}

TEST_CASE("every word that the glossary emphasises is in it, and is another") {
  for (const GlossaryTerm& term : glossary()) {
    for (const std::string& word : terms_within(term)) {
      INFO(term.name << ": " << word);
      REQUIRE(look_up(word));
      CHECK(look_up(word)->name != term.name);
    }
  }
}

TEST_CASE("no word is in the glossary twice") {
  for (const GlossaryTerm& term : glossary()) {
    std::vector<std::string> names = term.also;
    names.push_back(term.name);
    for (const std::string& name : names) {
      INFO(term.name << ": " << name);
      REQUIRE(look_up(name));
      CHECK(look_up(name)->name == term.name);
      // Not even as another spelling or the plural of itself.
      CHECK(std::ranges::count_if(names, [&](const std::string& other) {
              return lower_case(other) == lower_case(name) ||
                     lower_case(other) == lower_case(name) + "s";
            }) == 1);
    }
  }
}

TEST_CASE("every word that a lesson introduces is in the glossary") {
  std::size_t introduced = 0;
  std::set<std::string> stressed;
  for (const Lesson& lesson : lessons()) {
    for (const std::string& word : emphasised(lesson_text(lesson))) {
      INFO(lesson.name() << ": " << word);
      if (only_stressed.contains(word)) {
        stressed.insert(word);
      } else {
        CHECK(look_up(word));
        ++introduced;
      }
    }
  }
  CHECK(introduced >= 20);
  CHECK(stressed == only_stressed);  // the list has no unneeded words
}

TEST_CASE("a word is found in any form") {
  for (const char* word : {"warp", "warps", "WARP", "Warps", " warp "}) {
    INFO(word);
    CHECK(find_term(word).name == "warp");
  }
  for (const char* word : {"bank conflict", "Bank  Conflicts", "bank-conflicts", "bank_conflict"}) {
    INFO(word);
    CHECK(find_term(word).name == "bank conflict");
  }
  CHECK(find_term("SM").name == "streaming multiprocessor");
  CHECK(find_term("latencies").name == "latency");
  CHECK(find_term("coalesced accesses").name == "coalescing");
  CHECK(find_term("__syncthreads()").name == "barrier");
  CHECK(find_term("TFLOP/s").name == "FLOP");
  CHECK(find_term("row major").name == "row-major");
  CHECK(find_term("launch_bounds").name == "launch bounds");
}

TEST_CASE("every unit and sign that is printed is found, also by how it begins") {
  for (const char* word :
       {"sec/req", "wf/req",  "≈",         "✓",         "✗",         "!",       "→",       "×",
        "L1",      "L2",      "DRAM",      "SM",        "issue",     "waiting", "FP32",    "FFMA",
        "FLOP",    "TFLOP/s", "GFLOP/s",   "MFLOP/s",   "KiB",       "MiB",     "GiB",     "ms",
        "TB/s",    "GB/s",    "FLOP/byte", "occupancy", "registers", "PTX",     "SASS",    "NVRTC",
        "launch",  "BM",      "TM",        "WM",        "M",         "N",       "K",       "wave",
        "sec",     "wf",      "coal",      "roof",      "unroll",    "vectori", "estimate"}) {
    INFO(word);
    CHECK_NOTHROW(find_term(word));
  }
}

TEST_CASE("an unknown word is an error that names the nearest") {
  CHECK(contains(glossary_error("wrap"), "'wrap'"));
  CHECK(contains(glossary_error("wavefornt"), "Did you mean 'wavefront'?"));
  CHECK(contains(glossary_error("ban"), "bandwidth, bank"));
  CHECK_FALSE(contains(glossary_error("sourdough"), "Did you mean"));
  for (const char* word : {"", " ", "()"}) {
    INFO(word);
    CHECK_FALSE(contains(glossary_error(word), "Did you mean"));
    CHECK(contains(glossary_error(word), "'gemm-tutor explain' lists"));
  }
}

TEST_CASE("a text's terms are compared with the lesson that introduces them") {
  const auto name = [](const char* text, int lesson) {
    const GlossaryTerm* term = later_term(text, lesson);
    return term ? term->name : "";
  };
  CHECK(name("Warps wait at the barrier", 2) == "barrier");
  CHECK(name("Warps wait at the barriers", 3).empty());
  CHECK(name("a__syncthreads", 1).empty());
  CHECK(name("bank\x1f"
             "conflicts",
             4) == "bank conflict");
  CHECK(name("a conflict of interests, in which sm and ptx are no words", 0).empty());
  CHECK(name("The SM", 0) == "streaming multiprocessor");
}
