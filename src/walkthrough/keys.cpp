#include "walkthrough/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gemm_tutor {
namespace {

struct KeyMeaning {
  char key;
  std::string_view word, text, where;
};

constexpr std::array meanings = {
    KeyMeaning{'n', "next", "the next step", "where nothing is asked"},
    KeyMeaning{'x', "skip", "go on without an answer, or put the exercise off",
               "at a question, and at an exercise"},
    KeyMeaning{'p', "back", "the step before; also Esc", "on every page"},
    KeyMeaning{'r', "run again", "run the kernel, or check the exercise, once more",
               "at a run, and at an exercise"},
    KeyMeaning{'d', "details", "pages about the run: limits, occupancy, costs of each line, …",
               "at a run"},
    KeyMeaning{'s', "size", "another size of the matrices, or another tile", "in a lesson"},
    KeyMeaning{'k', "kernel", "another kernel of the lesson", "in a lesson with several kernels"},
    KeyMeaning{'e', "exercise", "the lesson's exercise; at an exercise the other ones",
               "in a lesson with an exercise"},
    KeyMeaning{'c', "code", "the kernel's code, all of it", "in a lesson"},
    KeyMeaning{'t', "trace", "the memory accesses of one warp, drawn: its lanes in sectors, banks",
               "from a lesson's run on, after its questions"},
    KeyMeaning{'m', "machine", "the machine code of the hot loop, below the lines of its source",
               "from a lesson's run on, after its questions"},
    KeyMeaning{'o', "open", "open the exercise in your editor",
               "at an exercise, if EDITOR names an editor"},
    KeyMeaning{'h', "hint", "the exercise's next hint", "at an exercise"},
    KeyMeaning{'v', "solution", "a solution", "at an exercise"},
    KeyMeaning{'i', "task", "what the exercise asks for", "at an exercise"},
    KeyMeaning{'l', "lessons", "the lessons, and where you are", "in a lesson, and at an exercise"},
    KeyMeaning{'g', "words", "what a word means", "on every page"},
    KeyMeaning{'?', "keys", "this page", "on every page"},
    KeyMeaning{'q', "quit",
               "leave this page; from a lesson, the course: it goes on there next time",
               "on every page"},
};

const KeyMeaning* meaning_of(char key) {
  const auto found = std::ranges::find(meanings, key, &KeyMeaning::key);
  return found == meanings.end() ? nullptr : &*found;
}

}  // namespace

KeyHelp key_help(char key, int minor) {
  const KeyMeaning* meaning = meaning_of(key);
  if (!meaning) throw std::logic_error(fmt::format("no key '{}'", key));
  return {key, std::string(meaning->word), minor};
}

Parts key_parts(const std::vector<KeyHelp>& keys) {
  const auto is_here = [&](const KeyMeaning& meaning) {
    return std::ranges::find(keys, meaning.key, &KeyHelp::key) != keys.end();
  };
  Definitions here, elsewhere;
  const auto add = [](Definitions& rows, const std::string& key, const std::string& text) {
    rows.definitions.push_back({{{key, Style::code}}, {{text}}});
  };
  add(here, "Enter, Space", "further down the page; at its end the next step");
  add(here, "arrows", "up and down the page; also Page Up, Page Down, Home, End");
  for (const KeyMeaning& meaning : meanings) {
    if (is_here(meaning)) {
      add(here, {meaning.key}, std::string(meaning.text));
    } else {
      add(elsewhere, {meaning.key}, fmt::format("{} ({})", meaning.text, meaning.where));
    }
  }
  add(here, "Ctrl-C", "quit at once; while something runs, it stops that, as Esc and q do");
  Parts parts = {std::move(here)};
  if (!elsewhere.definitions.empty()) {
    parts.add(Paragraph{{{"Elsewhere", Style::heading}}});
    parts.add(std::move(elsewhere));
  }
  parts.add(
      Paragraph{{{"Where a number is asked for, all that you type goes into the field, and Enter "
                  "submits it. The up arrow brings back what you typed before. Esc leaves the "
                  "field, and then the keys work; Enter returns to it."}}});
  return parts;
}

std::string elsewhere_text(char key) {
  const KeyMeaning* meaning = meaning_of(key);
  return meaning ? fmt::format("{} ({}) works {}.", key, meaning->word, meaning->where) : "";
}

}  // namespace gemm_tutor
