#include "walkthrough/dialog.hpp"

#include <fmt/format.h>

#include "support/error.hpp"

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
  View view;
  view.title = title;
  view.place = place;
  view.body = body;
  view.keys = {{'p', "back"}, {'q', "quit"}};
  const Input input = screen_.show(view);
  left_ = input.kind == Input::Kind::end || input.key == 'q';
}

void Dialog::ask(const Question& question, const std::string& given,
                 const std::function<void(const std::string&)>& use) {
  std::string notice;
  std::optional<std::string> typed = given;
  if (given.empty()) typed = typed_at(question, notice);
  for (; typed; typed = typed_at(question, notice)) try {
      return use(*typed);
    } catch (const Error& error) {
      notice = text_of(error);
    }
}

std::optional<std::string> Dialog::typed_at(const Question& question, const std::string& notice) {
  View view;
  view.title = question.title;
  view.body = question.body;
  view.prompt = question.prompt;
  view.takes_words = question.takes_words;
  view.keys = {{'p', "back"}};
  view.notice = notice;
  const Input input = screen_.show(view);
  left_ = input.kind == Input::Kind::end;
  if (input.kind != Input::Kind::line) return {};
  return input.line;
}

}  // namespace gemm_tutor
