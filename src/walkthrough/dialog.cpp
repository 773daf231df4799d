#include "walkthrough/dialog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "course/glossary.hpp"
#include "report/glossary_view.hpp"
#include "support/error.hpp"

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

namespace {

// Without what only helps on the command line.
std::string text_of(const Error& error) {
  constexpr std::string_view option = "--set ";
  const std::string_view text = error.what();
  return fmt::format("Not taken: {}.",
                     text.starts_with(option) ? text.substr(option.size()) : text);
}

}  // namespace

void Dialog::show(const std::string& title, const Parts& body, const std::string& place) {
  View view{.title = title,
            .place = place,
            .body = body,
            .enter = "back",
            .keys = {key_help('p'), key_help('g'), key_help('?'), {'q', "back"}},
            .about = elsewhere_text};
  while (!left_) {
    const Input input = screen_.show(view);
    left_ = input.kind == Input::Kind::end;
    if (input.key == 'g') {
      explain(input.line);
    } else if (input.key == '?') {
      show_keys(view.keys);
    } else {
      return;
    }
  }
}

void Dialog::show_keys(const std::vector<KeyHelp>& keys) {
  View view{.title = "The keys",
            .body = key_parts(keys),
            .enter = "back",
            .keys = {key_help('p'), key_help('g'), {'q', "back"}},
            .about = elsewhere_text};
  const Input input = screen_.show(view);
  left_ = input.kind == Input::Kind::end;
  if (input.key == 'g') explain(input.line);
}

void Dialog::explain(const std::string& given) {
  ask({"Words", "Word", {term_definitions(glossary())}}, given, [this](const std::string& typed) {
    const GlossaryTerm& term = find_term(typed);
    show(term.name, term_parts(term));
  });
}

std::optional<std::size_t> Dialog::choose(const std::string& title,
                                          const std::vector<std::string>& names) {
  if (left_) return {};
  View view;
  view.title = title;
  view.enter = "back";
  view.about = elsewhere_text;
  std::vector<Line> rows;
  for (const std::string& name : names) {
    rows.push_back({{name}});
    view.keys.push_back({static_cast<char>('0' + rows.size()), ""});
  }
  if (!names.empty()) view.keys.back().meaning = "page";
  view.keys.insert(view.keys.end(), {key_help('p'), {'q', "back"}});
  view.body = {numbered(rows)};
  const Input input = screen_.show(view);
  left_ = input.kind == Input::Kind::end;
  const bool is_number = input.key >= '1' && input.key <= '9';
  if (!is_number) return {};
  return static_cast<std::size_t>(input.key - '1');
}

void Dialog::ask(const Question& question, const std::string& given,
                 const std::function<void(const std::string&)>& use) {
  std::string notice;
  std::optional<std::string> typed = given;
  if (given.empty()) typed = typed_at(question, "", notice);
  for (; typed; typed = typed_at(question, *typed, notice)) try {
      return use(*typed);
    } catch (const Error& error) {
      notice = text_of(error);
    }
}

std::optional<std::string> Dialog::typed_at(const Question& question, const std::string& before,
                                            const std::string& notice) {
  const Input input = screen_.show({.title = question.title,
                                    .body = question.body,
                                    .notice = notice,
                                    .enter = "take it",
                                    .keys = {key_help('p')},
                                    .prompt = question.prompt,
                                    .typed = before,
                                    .typed_at = before.size(),
                                    .ends_with_field = true});
  left_ = input.kind == Input::Kind::end;
  if (input.kind != Input::Kind::line) return {};
  return input.line;
}

}  // namespace gemm_tutor
