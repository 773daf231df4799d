#include <algorithm>
#include <map>
#include <set>

#include "source/syntax.hpp"

namespace gemm_tutor::source {
namespace {

constexpr std::size_t most_tokens = 200'000;  // added by macros
constexpr int deepest_expansion = 30;         // of macros in macros, or in their arguments

class Expander {
 public:
  explicit Expander(const std::vector<Macro>& macros) {
    for (const Macro& macro : macros) {
      if (macro.takes_arguments) macros_.emplace(macro.name, &macro);
    }
  }

  std::vector<Token> expanded(Tokens tokens) {
    const std::vector<std::size_t> closings = closings_of(tokens);
    std::vector<Token> result;
    ++depth_;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const auto macro = macros_.find(tokens[at].text);
      const bool is_template = macro != macros_.end() && macro->second->is_template;
      const bool is_call = macro != macros_.end() && !active_.contains(macro->first) &&
                           at + 1 < tokens.size() && tokens[at + 1].is(is_template ? "<" : "(");
      std::size_t close = tokens.size();
      if (is_call) close = is_template ? closing_angle(tokens, at + 1) : closings[at + 1];
      if (close == tokens.size() || depth_ == deepest_expansion) {
        result.push_back(tokens[at]);
        continue;
      }
      Token name = tokens[at];
      while (is_template && !result.empty() && result.back().is("::")) {  // "ns::" before it
        name.after_blank = result.back().after_blank;
        result.pop_back();
        if (result.empty() || !result.back().is_name()) continue;
        name.after_blank = result.back().after_blank;
        result.pop_back();
      }
      const Tokens arguments = tokens.subspan(at + 2, close - at - 2);
      if (!append_call(result, *macro->second, name, arguments)) {
        const Tokens call = tokens.subspan(at, close + 1 - at);
        result.insert(result.end(), call.begin(), call.end());
      }
      at = close;
    }
    --depth_;
    return result;
  }

 private:
  // A template's values are no text, and so operators beside them do not change them.
  static void parenthesise(std::vector<Token>& value, const Token& call) {
    if (value.size() < 2) return;
    Token bracket = call;
    bracket.kind = Token::Kind::punctuation;
    bracket.text = "(";
    value.front().after_blank = false;
    value.insert(value.begin(), bracket);
    bracket.text = ")";
    bracket.after_blank = false;
    value.push_back(bracket);
  }

  // False if the result becomes too long.
  bool append_call(std::vector<Token>& result, const Macro& macro, const Token& call,
                   Tokens arguments) {
    std::vector<std::vector<Token>> values;
    for (const Tokens one : split(arguments, ",")) {
      values.push_back(expanded(one));
      if (macro.is_template) parenthesise(values.back(), call);
    }
    std::vector<Token> substituted;
    for (Token token : macro.text) {
      const auto parameter = std::ranges::find(macro.parameters, token.text);
      const auto place = static_cast<std::size_t>(parameter - macro.parameters.begin());
      const std::size_t begin = substituted.size();
      if (parameter != macro.parameters.end() && place < values.size()) {
        substituted.insert(substituted.end(), values[place].begin(), values[place].end());
      } else {
        token.line = call.line;
        token.at = call.at;
        token.directive = 0;
        substituted.push_back(token);
      }
      if (begin < substituted.size()) substituted[begin].after_blank = token.after_blank;
      if (added_ + substituted.size() > most_tokens) return false;
    }
    if (macro.is_template) parenthesise(substituted, call);
    if (!substituted.empty()) substituted.front().after_blank = call.after_blank;
    added_ += substituted.size();
    active_.insert(macro.name);
    const std::vector<Token> all = expanded(substituted);
    active_.erase(macro.name);
    result.insert(result.end(), all.begin(), all.end());
    return true;
  }

  std::map<std::string_view, const Macro*> macros_;
  std::set<std::string_view> active_;
  std::size_t added_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<Token> expanded(Tokens tokens, const std::vector<Macro>& macros) {
  return Expander(macros).expanded(tokens);
}

}  // namespace gemm_tutor::source
