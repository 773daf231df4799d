#include "exercise/code_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "source/definitions.hpp"
#include "support/difference.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_words = 5000;  // of a function, to be compared with another

// An addition or removal may have several equivalent places: "; f()" before a semicolon is "f();"
// after it. Calls `visit` with each, from the first.
template <typename Visit>
void for_each_place(Hunk hunk, const CodeWords& words, const CodeWords& solution,
                    const Visit& visit) {
  const bool adds = hunk.adds_only();
  const CodeWords& longer = adds ? solution : words;
  std::size_t& begin = adds ? hunk.solution_begin : hunk.begin;
  std::size_t& end = adds ? hunk.solution_end : hunk.end;
  const auto move = [&](std::size_t by) {
    hunk.begin += by, hunk.end += by, hunk.solution_begin += by, hunk.solution_end += by;
  };
  const auto is_before_first = [&] { return hunk.begin == 0 || hunk.solution_begin == 0; };
  while (!is_before_first() && longer[begin - 1].text == longer[end - 1].text &&
         words[hunk.begin - 1].text == solution[hunk.solution_begin - 1].text)
    move(std::size_t(-1));
  for (;;) {
    visit(hunk);
    if (hunk.end >= words.size() || hunk.solution_end >= solution.size()) return;
    if (longer[begin].text != longer[end].text) return;
    if (words[hunk.end].text != solution[hunk.solution_end].text) return;
    move(1);
  }
}

// Moves the hunk to a place where it consists of whole statements, if there is one.
void move_to_statement(Hunk& hunk, const CodeWords& words, const CodeWords& solution) {
  if (hunk.adds_only() == hunk.removes_only()) return;
  const bool adds = hunk.adds_only();
  const CodeWords& longer = adds ? solution : words;
  bool is_found = false, is_whole = false;
  Hunk best = hunk;
  for_each_place(hunk, words, solution, [&](const Hunk& place) {
    const std::size_t begin = adds ? place.solution_begin : place.begin;
    const std::size_t end = adds ? place.solution_end : place.end;
    if (begin == 0 || !ends_statement(longer[begin - 1]) || !ends_statement(longer[end - 1]))
      return;
    const bool is_better = !is_found || (!is_whole && is_balanced(longer, {begin, end}));
    if (!is_better) return;
    is_found = true;
    is_whole = is_balanced(longer, {begin, end});
    best = place;
  });
  hunk = best;
}

// The same difference with all that is added, or removed, in one place; nothing where it is not.
std::optional<Hunk> joined(const Hunk& first, const Hunk& last, const CodeWords& words,
                           const CodeWords& solution) {
  Hunk all{first.begin, last.end, first.solution_begin, last.solution_end};
  while (all.begin < all.end && all.solution_begin < all.solution_end &&
         words[all.begin].text == solution[all.solution_begin].text)
    ++all.begin, ++all.solution_begin;
  while (all.begin < all.end && all.solution_begin < all.solution_end &&
         words[all.end - 1].text == solution[all.solution_end - 1].text)
    --all.end, --all.solution_end;
  if (all.adds_only() || all.removes_only()) return all;
  return {};
}

std::vector<Hunk> hunks_between(const CodeWords& words, const CodeWords& solution) {
  const auto worth = [&](std::size_t i, std::size_t j) {
    if (words[i].text != solution[j].text) return 0;
    return source::is_of_name(words[i].text.front()) ? 4 : ends_statement(words[i]) ? 3 : 2;
  };
  std::vector<Match> matches = best_alignment(words.size(), solution.size(), worth);
  matches.push_back({words.size(), solution.size()});
  std::vector<Hunk> hunks;
  std::size_t i = 0, j = 0;
  for (const Match& match : matches) {
    if (match.before > i || match.now > j) hunks.push_back({i, match.before, j, match.now});
    i = match.before + 1;
    j = match.now + 1;
  }
  constexpr std::size_t most_joined = 6;
  std::vector<Hunk> result;
  for (std::size_t first = 0; first < hunks.size();) {
    std::size_t count = std::min(most_joined, hunks.size() - first);
    std::optional<Hunk> one;
    for (; count > 1 && !one; count -= !one)
      one = joined(hunks[first], hunks[first + count - 1], words, solution);
    result.push_back(one.value_or(hunks[first]));
    move_to_statement(result.back(), words, solution);
    first += count;
  }
  return result;
}

std::vector<HunkGroup> groups_of(const CodeWords& words, const CodeWords& solution, bool outside) {
  std::vector<HunkGroup> groups;
  std::size_t last_statement = 0;
  for (const Hunk& hunk : hunks_between(words, solution)) {
    if (outside && hunk.adds_only()) continue;  // the learner's file works without it
    const auto statement = static_cast<std::size_t>(
        std::ranges::count_if(words_in(words, {0, hunk.begin}), ends_statement));
    HunkGroup group{&words, &solution, {hunk}};
    const bool joins = !groups.empty() && statement == last_statement &&
                       !group.is_of_statements() && !groups.back().is_of_statements();
    if (joins) {
      groups.back().hunks.push_back(hunk);
    } else {
      groups.push_back(group);
    }
    const bool is_several =
        std::ranges::any_of(words_in(words, {hunk.begin, hunk.end}), ends_statement);
    last_statement = is_several ? words.size() + groups.size() : statement;
  }
  return groups;
}

bool has_name(const CodeWords& words, const std::string& name) {
  return std::ranges::find(words, name, &CodeWord::text) != words.end();
}

}  // namespace

bool is_declaration(const CodeWords& words, std::size_t at) {
  return at > 0 && is_any_of(words[at - 1], {"int", "unsigned", "float", "float2", "float4", "bool",
                                             "auto", "size_t", "const", "*", ","});
}

bool declares(const CodeWords& words, const std::string& name) {
  const auto first = std::ranges::find(words, name, &CodeWord::text);
  return first != words.end() &&
         is_declaration(words, static_cast<std::size_t>(first - words.begin()));
}

void take_names(const std::vector<CodePart>& parts, std::vector<CodePart>& solution) {
  for (const CodePart& part : parts) {
    const auto same = std::ranges::find(solution, part.name, &CodePart::name);
    if (same == solution.end() || part.words.size() > most_words) continue;
    std::map<std::pair<std::string, std::string>, int> votes;  // of its name, and the learner's
    for (const Hunk& hunk : hunks_between(part.words, same->words)) {
      if (hunk.end - hunk.begin != hunk.solution_end - hunk.solution_begin) continue;
      for (std::size_t i = 0; i < hunk.end - hunk.begin; ++i) {
        const std::string& own = part.words[hunk.begin + i].text;
        const std::string& other = same->words[hunk.solution_begin + i].text;
        const bool are_names =
            source::begins_name(own.front()) && source::begins_name(other.front());
        if (are_names && !has_name(same->words, own) && !has_name(part.words, other) &&
            declares(part.words, own) && declares(same->words, other))
          ++votes[{other, own}];
      }
    }
    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    while (!votes.empty()) {
      const auto best =
          std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
      if (!names.contains(best->first.first) && taken.insert(best->first.second).second)
        names.insert(best->first);
      votes.erase(best);
    }
    for (CodeWord& word : same->words) {  // "values.x" begins with one
      const std::size_t end = std::min(word.text.find('.'), word.text.size());
      const auto name = names.find(word.text.substr(0, end));
      if (name != names.end()) word.text.replace(0, end, name->second);
    }
  }
}

int HunkGroup::first_line() const { return (*words)[std::min(begin(), words->size() - 1)].line; }

int HunkGroup::last_line() const { return (*words)[std::max<std::size_t>(end(), 1) - 1].line; }

bool HunkGroup::is_of_statements() const {
  const Hunk& hunk = hunks.front();
  if (hunks.size() > 1 || hunk.adds_only() == hunk.removes_only()) return false;
  const bool adds = hunk.adds_only();
  return (hunk.begin == 0 || ends_statement((*words)[hunk.begin - 1])) &&
         ends_statement(adds ? (*solution)[hunk.solution_end - 1] : (*words)[hunk.end - 1]);
}

bool HunkGroup::is_rewriting() const {
  return std::ranges::any_of(hunks, [&](const Hunk& hunk) {
    if (hunk.adds_only()) return false;
    const WordRange own = {hunk.begin, hunk.end};
    int ends = 0, brackets = 0;  // a loop's head is no statement
    for (std::size_t i = own.begin; i < own.end; ++i) {
      brackets += (*words)[i].is("(") - (*words)[i].is(")");
      ends += brackets == 0 && (*words)[i].is(";");
    }
    return ends > 1 || (ends == 1 && !is_any_of((*words)[own.end - 1], {";", "}"}));
  });
}

bool HunkGroup::touches(const std::set<int>& lines) const {
  const auto is_in = [&](std::size_t i) {
    return i < words->size() && lines.contains((*words)[i].line);
  };
  bool result = false;
  for (const Hunk& hunk : hunks) {
    for (std::size_t i = hunk.begin; i < hunk.end; ++i) result = result || is_in(i);
    if (!hunk.adds_only()) continue;
    for_each_place(hunk, *words, *solution, [&](const Hunk& place) {
      result = result || is_in(place.begin) || (place.begin > 0 && is_in(place.begin - 1));
    });
  }
  return result;
}

std::vector<CodePart> parts_of(const source::File& file, const std::set<std::size_t>& inserted) {
  std::vector<CodePart> parts = {{}};
  std::vector<source::Token> outside;
  std::map<std::string, int> number;
  std::size_t end = 0;
  std::size_t i = 0;
  for (const source::Function& function : file.functions) {
    if (function.begin < end) continue;
    for (; i < file.code.size() && file.code[i].at < function.begin; ++i)
      outside.push_back(file.code[i]);
    const std::size_t first = i;
    while (i < file.code.size() && file.code[i].at < function.end) ++i;
    end = function.end;
    parts.push_back({fmt::format("{}#{}", function.name, number[function.name]++),
                     words_of({file.code.data() + first, i - first}, inserted)});
  }
  outside.insert(outside.end(), file.code.begin() + i, file.code.end());
  parts.front().words = words_of(outside, inserted);
  return parts;
}

std::vector<HunkGroup> differences(const std::vector<CodePart>& parts,
                                   const std::vector<CodePart>& solution) {
  std::vector<HunkGroup> groups;
  for (const CodePart& part : parts) {
    const auto same = std::ranges::find(solution, part.name, &CodePart::name);
    if (same == solution.end() || part.words.empty() || part.words.size() > most_words) continue;
    for (HunkGroup& group : groups_of(part.words, same->words, part.name.empty()))
      groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, {}, [](const HunkGroup& group) {
    const CodeWords& words = *group.words;
    return words[std::min(group.begin(), words.size() - 1)].begin;
  });
  return groups;
}

std::string corrected_text(const HunkGroup& group, std::size_t begin, std::size_t end) {
  CodeWords words;
  const auto add = [&](const CodeWords& from, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) words.push_back(from[i]);
  };
  std::size_t at = begin;
  for (const Hunk& hunk : group.hunks) {
    add(*group.words, at, hunk.begin);
    add(*group.solution, hunk.solution_begin, hunk.solution_end);
    at = hunk.end;
    if (at >= end) continue;
    words.push_back((*group.words)[at++]);  // with the blank that it has in the solution
    words.back().after_blank = (*group.solution)[hunk.solution_end].after_blank;
  }
  add(*group.words, at, end);
  return text_of(words, {0, words.size()});
}

std::string with(std::string source, const std::vector<const HunkGroup*>& groups) {
  struct Replacement {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Replacement> replacements;
  for (const HunkGroup* group : groups) {
    for (const Hunk& hunk : group->hunks) {
      const CodeWords& words = *group->words;
      const std::string text =
          ' ' + whole_text_of(*group->solution, {hunk.solution_begin, hunk.solution_end}) + ' ';
      const std::size_t after = hunk.begin == 0 ? words[0].begin : words[hunk.begin - 1].end;
      if (hunk.adds_only()) {
        replacements.push_back({after, after, text});
      } else {
        replacements.push_back({words[hunk.begin].begin, words[hunk.end - 1].end, text});
      }
    }
  }
  std::ranges::stable_sort(replacements, std::greater(), &Replacement::begin);
  for (const Replacement& replacement : replacements) {
    source.replace(replacement.begin, replacement.end - replacement.begin, replacement.text);
  }
  return source;
}

namespace {

// Finds where the bodies of a function's statements have no braces.
class Bodies {
 public:
  explicit Bodies(source::Tokens code) : code_(code), closing_(source::closings_of(code)) {
    block(0, code_.size());
  }

  // The offsets behind which a brace is missing, with that brace.
  std::vector<std::pair<std::size_t, char>> missing;

 private:
  bool is(std::size_t at, std::string_view text) const {
    return at < code_.size() && code_[at].is(text);
  }

  void block(std::size_t begin, std::size_t end) {
    while (begin < end) begin = std::max(begin + 1, after_statement(begin));
  }

  std::size_t after_statement(std::size_t at) {
    if (is(at, "{")) return after_block(at);
    if (is(at, "do")) return after_simple(after_body(at));
    if (!is(at, "if") && !is(at, "for") && !is(at, "while") && !is(at, "switch"))
      return after_simple(at);
    const std::size_t open = at + (is(at + 1, "constexpr") ? 2 : 1);
    if (!is(open, "(") || closing_[open] >= code_.size()) return after_simple(at);
    std::size_t end = after_body(closing_[open]);
    if (is(at, "if") && is(end, "else"))
      end = is(end + 1, "if") ? after_statement(end + 1) : after_body(end);
    return end;
  }

  std::size_t after_block(std::size_t open) {
    block(open + 1, closing_[open]);
    return std::min(closing_[open] + 1, code_.size());
  }

  // Of the body behind the head that ends there.
  std::size_t after_body(std::size_t head_end) {
    const std::size_t begin = head_end + 1;
    if (begin >= code_.size() || is(begin, "{") || is(begin, ";")) return after_statement(begin);
    missing.emplace_back(code_[head_end].end(), '{');
    const std::size_t end = after_statement(begin);
    missing.emplace_back(code_[end - 1].end(), '}');
    return end;
  }

  // A lambda in it has statements of its own.
  std::size_t after_simple(std::size_t at) {
    for (; at < code_.size() && !is(at, ";"); ++at) {
      if (is(at, "{")) at = std::min(after_block(at), code_.size()) - 1;
    }
    return std::min(at + 1, code_.size());
  }

  source::Tokens code_;
  std::vector<std::size_t> closing_;
};

// Words that end an expression outside of brackets.
bool ends_expression(const CodeWord& word) {
  return ends_statement(word) ||
         is_any_of(word, {",", "=", "+=", "-=", "*=", "/=", "?", ":", "&&", "||", "return"});
}

bool opens(const CodeWord& word) { return is_any_of(word, {"(", "[", "{"}); }
bool closes(const CodeWord& word) { return is_any_of(word, {")", "]", "}"}); }

// How many brackets open among them and do not close, and the other way round.
struct Unmatched {
  int opened = 0, closed = 0;
};

Unmatched unmatched(const CodeWords& words, std::size_t begin, std::size_t end) {
  Unmatched result;
  for (std::size_t i = begin; i < end; ++i) {
    if (opens(words[i])) ++result.opened;
    if (!closes(words[i])) continue;
    if (result.opened > 0) {
      --result.opened;
    } else {
      ++result.closed;
    }
  }
  return result;
}

// True if the expression continues with this word. `enters` is true for a bracket that is skipped
// as a whole. `level` is the current nesting of brackets, and `wanted` the number that must be
// left.
bool goes_on(const CodeWord& word, bool enters, bool leaves, int& level, int& wanted) {
  if (ends_statement(word)) return false;
  if (enters) return ++level, true;
  if (!leaves) return level > 0 || wanted > 0 || !ends_expression(word);
  if (level > 0) return --level, true;
  return wanted-- > 0;
}

WordRange expression_around(const CodeWords& words, WordRange range) {
  Unmatched wanted = unmatched(words, range.begin, range.end);
  int level = 0;
  for (std::size_t at = range.begin; at > 0; --at) {
    const CodeWord& word = words[at - 1];
    if (!goes_on(word, closes(word), opens(word), level, wanted.closed)) break;
    if (level == 0) range.begin = at - 1;
  }
  level = 0;
  for (std::size_t at = range.end; at < words.size(); ++at) {
    const CodeWord& word = words[at];
    if (!goes_on(word, opens(word), closes(word), level, wanted.opened)) break;
    if (level == 0) range.end = at + 1;
  }
  return range;
}

}  // namespace

BracedSource with_braces(std::string_view source) {
  BracedSource result;
  std::vector<std::pair<std::size_t, char>> missing;
  const source::File file(source);
  for (const source::Function& function : file.functions) {
    const Bodies bodies(function.body);
    missing.insert(missing.end(), bodies.missing.begin(), bodies.missing.end());
  }
  std::ranges::stable_sort(missing, {}, &std::pair<std::size_t, char>::first);
  std::size_t from = 0;
  for (const auto& [at, brace] : missing) {
    result.text += source.substr(from, at - from);
    result.inserted.insert(result.text.size());
    result.text += brace;
    from = at;
  }
  result.text += source.substr(from);
  return result;
}

CodeWords words_of(source::Tokens tokens, const std::set<std::size_t>& inserted) {
  CodeWords words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const source::Token& token = tokens[i];
    const bool is_member = i >= 2 && token.is_name() && tokens[i - 1].is(".") &&
                           tokens[i - 2].is_name() && words.size() >= 2;
    if (is_member) {
      words.pop_back();
      words.back().text += "." + std::string(token.text);
      words.back().end = token.end();
    } else {
      words.push_back({std::string(token.text), token.at, token.end(), token.line,
                       token.after_blank, inserted.contains(token.at)});
    }
  }
  return words;
}

std::string text_of(const CodeWords& words, WordRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words[i].is_inserted) continue;
    if (words[i].after_blank && !text.empty()) text += ' ';
    text += words[i].text;
  }
  return text;
}

std::string whole_text_of(const CodeWords& words, WordRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words[i].after_blank && i > range.begin) text += ' ';
    text += words[i].text;
  }
  return text;
}

bool is_balanced(const CodeWords& words, WordRange range) {
  const Unmatched brackets = unmatched(words, range.begin, range.end);
  return brackets.opened == 0 && brackets.closed == 0;
}

WordRange statement_around(const CodeWords& words, WordRange range) {
  while (range.begin > 0 && !ends_statement(words[range.begin - 1])) --range.begin;
  while (range.end < words.size() && !ends_statement(words[range.end])) ++range.end;
  return range;
}

WordRange quoted_around(const CodeWords& words, WordRange range) {
  constexpr std::size_t enough = 4;
  range = expression_around(words, range);
  while (range.size() < enough) {
    WordRange wider = range;
    if (wider.begin > 0 && !ends_statement(words[wider.begin - 1])) --wider.begin;
    const bool has_bracket = wider.begin < range.begin && opens(words[wider.begin]);
    const bool has_next = range.end < words.size() && !ends_statement(words[range.end]);
    if (has_next && (has_bracket || (wider.begin == range.begin && !closes(words[range.end]))))
      ++wider.end;
    if (wider.size() == range.size()) break;
    range = expression_around(words, wider);
  }
  return range;
}

}  // namespace gemm_tutor
