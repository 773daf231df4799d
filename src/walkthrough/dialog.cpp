#include "walkthrough/dialog.hpp"

#include <fmt/format.h>

#include "course/glossary.hpp"
#include "documents/glossary_view.hpp"
#include "support/error.hpp"
#include "walkthrough/keys.hpp"

namespace gemm_tutor {
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
