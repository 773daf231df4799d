#include "exercise/correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "exercise/code_words.hpp"
#include "exercise/small_changes.hpp"
#include "source/definitions.hpp"
#include "support/difference.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_words = 5000;        // of a function, to be compared with another
constexpr std::size_t most_changes = 8;         // that are tried one by one
constexpr std::size_t most_small_changes = 40;  // that are tried of one statement
constexpr std::size_t most_told = 3;            // more say little about the mistake
constexpr int most_shown_tokens = 18;           // more would be the solution itself
constexpr std::size_t longest_quoted = 40;      // words of an expression

// A part of a file whose words are compared with the same part of the solution.
struct Part {
  std::string name;  // of a function, and which of that name; empty for all outside of functions
  CodeWords words;
};

std::vector<Part> parts_of(const source::File& file) {
  std::vector<Part> parts = {{}};
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
                     words_of({file.code.data() + first, i - first})});
  }
  outside.insert(outside.end(), file.code.begin() + static_cast<std::ptrdiff_t>(i),
                 file.code.end());
  parts.front().words = words_of(outside);
  return parts;
}

// Words of the file from `begin` to `end`, and those that the solution has in their place.
struct Hunk {
  std::size_t begin = 0, end = 0;
  std::size_t solution_begin = 0, solution_end = 0;

  bool adds_only() const { return begin == end; }
  bool removes_only() const { return solution_begin == solution_end; }
};

// What is added, or removed, may begin at several places: "; f()" before a semicolon is "f();"
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

// Takes statements whole, where that is one of its places.
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

// The hunks of one statement, which are tried together.
struct Group {
  const CodeWords* words = nullptr;
  const CodeWords* solution = nullptr;
  std::vector<Hunk> hunks;

  std::size_t begin() const { return hunks.front().begin; }
  std::size_t end() const { return hunks.back().end; }

  // Whole statements, and nothing besides.
  bool is_of_statements() const {
    const Hunk& hunk = hunks.front();
    if (hunks.size() > 1 || hunk.adds_only() == hunk.removes_only()) return false;
    const bool adds = hunk.adds_only();
    return (hunk.begin == 0 || ends_statement((*words)[hunk.begin - 1])) &&
           ends_statement(adds ? (*solution)[hunk.solution_end - 1] : (*words)[hunk.end - 1]);
  }
};

std::vector<Group> groups_of(const CodeWords& words, const CodeWords& solution, bool outside) {
  std::vector<Group> groups;
  std::size_t last_statement = 0;
  for (const Hunk& hunk : hunks_between(words, solution)) {
    if (outside && hunk.adds_only()) continue;  // what the learner's file does without
    const auto statement = static_cast<std::size_t>(std::count_if(
        words.begin(), words.begin() + static_cast<std::ptrdiff_t>(hunk.begin), ends_statement));
    Group group{&words, &solution, {hunk}};
    const bool joins = !groups.empty() && statement == last_statement &&
                       !group.is_of_statements() && !groups.back().is_of_statements();
    if (joins) {
      groups.back().hunks.push_back(hunk);
    } else {
      groups.push_back(group);
    }
    const bool is_several =
        std::any_of(words.begin() + static_cast<std::ptrdiff_t>(hunk.begin),
                    words.begin() + static_cast<std::ptrdiff_t>(hunk.end), ends_statement);
    last_statement = is_several ? words.size() + groups.size() : statement;
  }
  return groups;
}

// What the words from `begin` to `end` are with the group's hunks as in the solution.
std::string corrected_text(const Group& group, std::size_t begin, std::size_t end) {
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

CodeChange change_of(const Group& group) {
  const CodeWords& words = *group.words;
  CodeChange change;
  for (const Hunk& hunk : group.hunks)
    change.added_tokens += static_cast<int>(hunk.solution_end - hunk.solution_begin);
  change.is_of_statements = group.is_of_statements();
  WordRange range{group.begin(), group.end()};
  if (!change.is_of_statements) range = quoted_around(words, range);
  change.is_long = range.size() > longest_quoted;
  change.code = text_of(words, range);
  change.replacement = corrected_text(group, range.begin, range.end);
  const std::size_t before = range.begin == 0 ? 0 : range.begin - 1;
  const bool has_code = range.size() > 0;
  change.first_line = words[has_code ? range.begin : before].line;
  change.last_line = words[has_code ? range.end - 1 : before].line;
  return change;
}

std::string with(std::string source, const std::vector<const Group*>& groups) {
  struct Replacement {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Replacement> replacements;
  for (const Group* group : groups) {
    for (const Hunk& hunk : group->hunks) {
      const CodeWords& words = *group->words;
      const std::string text =
          ' ' + text_of(*group->solution, {hunk.solution_begin, hunk.solution_end}) + ' ';
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

// Of the parts that both files have. Those of the solution alone are not missing here: it compiles.
std::vector<Group> differences(const std::vector<Part>& parts, const std::vector<Part>& solution) {
  std::vector<Group> groups;
  for (const Part& part : parts) {
    const auto same = std::ranges::find(solution, part.name, &Part::name);
    if (same == solution.end() || part.words.empty() || part.words.size() > most_words) continue;
    for (Group& group : groups_of(part.words, same->words, part.name.empty()))
      groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    const CodeWords& words = *group.words;
    return words[std::min(group.begin(), words.size() - 1)].begin;
  });
  return groups;
}

int first_line(const Group& group) {
  return (*group.words)[std::min(group.begin(), group.words->size() - 1)].line;
}

int last_line(const Group& group) {
  return (*group.words)[std::max<std::size_t>(group.end(), 1) - 1].line;
}

// Whether it may be of one of those lines.
bool touches(const Group& group, const std::set<int>& lines) {
  const CodeWords& words = *group.words;
  const auto is_in = [&](std::size_t i) {
    return i < words.size() && lines.contains(words[i].line);
  };
  bool result = false;
  for (const Hunk& hunk : group.hunks) {
    for (std::size_t i = hunk.begin; i < hunk.end; ++i) result = result || is_in(i);
    if (!hunk.adds_only()) continue;
    for_each_place(hunk, words, *group.solution, [&](const Hunk& place) {
      result = result || is_in(place.begin) || (place.begin > 0 && is_in(place.begin - 1));
    });
  }
  return result;
}

std::string lines_text(const CodeChange& change) {
  return change.first_line == change.last_line
             ? fmt::format("line {}", change.first_line)
             : fmt::format("lines {} to {}", change.first_line, change.last_line);
}

// Else what is shown would be the solution itself.
bool may_be_shown(const CodeChange& change) {
  return !change.is_long && change.added_tokens <= most_shown_tokens;
}

std::string text_of(const CodeChange& change) {
  const std::string lines = lines_text(change);
  if (change.is_long) return fmt::format("the code in {} is wrong", lines);
  if (change.code.empty()) {
    return may_be_shown(change) ? fmt::format("after {} `{}` is missing", lines, change.replacement)
                                : fmt::format("after {} code is missing", lines);
  }
  if (change.replacement.empty()) return fmt::format("in {} `{}` is too much", lines, change.code);
  if (!may_be_shown(change)) return fmt::format("in {} `{}` is wrong", lines, change.code);
  return fmt::format("in {} `{}` should be `{}`", lines, change.code, change.replacement);
}

std::vector<std::string> texts_of(const source::Token* begin, const source::Token* end) {
  std::vector<std::string> texts;
  std::transform(begin, end, std::back_inserter(texts),
                 [](const source::Token& token) { return std::string(token.text); });
  return texts;
}

std::vector<std::string> code_of(std::string_view source) {
  const source::File file(source);
  auto code = texts_of(file.code.data(), file.code.data() + file.code.size());
  const auto directives = texts_of(file.directive_tokens.data(),
                                   file.directive_tokens.data() + file.directive_tokens.size());
  code.insert(code.end(), directives.begin(), directives.end());
  return code;
}

// The search for a correction of one file.
class Search {
 public:
  Search(const Exercise& exercise, std::string_view source, const RightFile& reference)
      : reference_(reference),
        source_(source),
        file_(source_),
        solution_file_(reference.source),
        parts_(parts_of(file_)),
        solution_(parts_of(solution_file_)),
        groups_(differences(parts_, solution_)) {
    const std::vector<int> lines = lines_of_untouched_gaps(exercise, source);
    const std::set<int> in_gaps(lines.begin(), lines.end());
    for (const Group& group : groups_)
      (touches(group, in_gaps) ? gaps_ : others_).push_back(&group);
  }

  std::optional<Correction> correction(bool has_race) {
    const std::optional<Units> needed = needed_units();
    if (!needed) return has_race ? added_barrier() : std::nullopt;
    const bool is_rewritten = is_in_own_words(flat(*needed));
    if (is_rewritten && has_race) {
      if (auto barrier = added_barrier()) return barrier;
    }
    if (is_rewritten) {
      if (auto small = small_correction(*needed)) return small;
    }
    const Groups groups = flat(*needed);
    if (groups.size() == 1 || (!is_rewritten && groups.size() <= most_told)) return of(groups);
    if (needed->size() > 1) return {};
    return place_of(needed->front());
  }

 private:
  using Groups = std::vector<const Group*>;
  using Units = std::vector<Groups>;  // that are tried together

  static Groups flat(const Units& units) {
    Groups groups;
    for (const Groups& unit : units) groups.insert(groups.end(), unit.begin(), unit.end());
    return groups;
  }

  bool is_solved_with(Groups changes) const {
    changes.insert(changes.end(), gaps_.begin(), gaps_.end());
    const std::string changed = with(source_, changes);
    return code_of(changed) == code_of(reference_.source) || reference_.is_enough(changed);
  }

  // Each alone; where they are many, those together that no line of the file divides.
  Units units() const {
    Units units;
    for (const Group* group : others_) {
      const bool joins = others_.size() > most_changes && !units.empty() &&
                         group->words == units.back().back()->words &&
                         first_line(*group) <= last_line(*units.back().back()) + 1;
      if (joins) {
        units.back().push_back(group);
      } else {
        units.push_back({group});
      }
    }
    return units;
  }

  // The differences from the solution that must go; nothing where they are too many.
  std::optional<Units> needed_units() const {
    Units needed = units();
    if (needed.empty() && gaps_.empty()) return {};
    if (needed.size() > most_changes || !is_solved_with(others_)) return {};
    if (!gaps_.empty() && is_solved_with({})) return Units{};
    if (needed.size() == 1) return needed;
    for (const Groups& unit : needed) {
      if (is_solved_with(unit)) return Units{unit};
    }
    for (std::size_t i = needed.size(); i-- > 0;) {
      Units fewer = needed;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (is_solved_with(flat(fewer))) needed = fewer;
    }
    return needed;
  }

  // Code with names that the solution does not have is another way to do it, which may be right
  // but for a slip.
  bool is_in_own_words(const Groups& groups) const {
    std::set<std::string> names;
    for (const Part& part : solution_) {
      for (const CodeWord& word : part.words) names.insert(word.text);
    }
    const auto is_own = [&](const CodeWord& word) {
      return source::begins_name(word.text.front()) && !names.contains(word.text);
    };
    return std::ranges::any_of(groups, [&](const Group* group) {
      const CodeWords& words = *group->words;
      return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(group->begin()),
                         words.begin() + static_cast<std::ptrdiff_t>(group->end()), is_own);
    });
  }

  Correction of(const Groups& groups) const {
    Correction correction{{}, !gaps_.empty()};
    for (const Group* group : groups) correction.changes.push_back(change_of(*group));
    return correction;
  }

  // The first of these changes that is enough.
  std::optional<Correction> first_enough(const CodeWords& words,
                                         const std::vector<SmallChange>& changes) const {
    for (const SmallChange& change : changes) {
      CodeWords changed = words;
      changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(change.begin),
                    changed.begin() + static_cast<std::ptrdiff_t>(change.end));
      changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(change.begin),
                     change.replacement.begin(), change.replacement.end());
      const Hunk hunk{change.begin, change.end, change.begin,
                      change.begin + change.replacement.size()};
      const Group group{&words, &changed, {hunk}};
      if (is_solved_with({&group})) return of({&group});
    }
    return {};
  }

  // That what is wrong is there.
  Correction place_of(const Groups& unit) const {
    CodeChange change = change_of(*unit.front());
    change.is_long = true;
    change.last_line = std::max(change.last_line, last_line(*unit.back()));
    return {{change}, !gaps_.empty()};
  }

  // One in the statements of those groups.
  std::optional<Correction> small_correction(const Units& units) const {
    for (const Groups& unit : units) {
      const CodeWords& words = *unit.front()->words;
      const WordRange range = statement_around(words, {unit.front()->begin(), unit.back()->end()});
      const auto changes = small_changes(words, range.begin, range.end, most_small_changes);
      if (auto correction = first_enough(words, changes)) return correction;
    }
    return {};
  }

  std::optional<Correction> added_barrier() const {
    for (const Part& part : parts_) {
      const auto same = std::ranges::find(solution_, part.name, &Part::name);
      const auto is_barrier = [](const CodeWord& word) { return word.is("__syncthreads"); };
      if (same == solution_.end() || std::ranges::none_of(same->words, is_barrier)) continue;
      const auto body =
          std::ranges::find_if(part.words, [](const CodeWord& word) { return word.is("{"); });
      const auto begin = static_cast<std::size_t>(body - part.words.begin()) + 1;
      if (auto correction =
              first_enough(part.words, barriers_added(part.words, begin, part.words.size() - 1)))
        return correction;
    }
    return {};
  }

  const RightFile& reference_;
  std::string source_;
  source::File file_, solution_file_;
  std::vector<Part> parts_, solution_;
  std::vector<Group> groups_;
  Groups gaps_, others_;
};

}  // namespace

std::optional<Correction> find_correction(const Exercise& exercise, std::string_view source,
                                          bool has_race, const RightFile& reference) {
  return Search(exercise, source, reference).correction(has_race);
}

std::string text_of(const Correction& correction, std::string_view result) {
  if (correction.changes.empty())
    return "What you have written is right: only the gaps that are as handed out are left.";
  std::vector<std::string> changes;
  for (const CodeChange& change : correction.changes) changes.push_back(text_of(change));
  std::string text = join(changes, "; ");
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  const bool are_shown = std::ranges::all_of(correction.changes, may_be_shown);
  return fmt::format("{}. {}, {}.", text, are_shown ? "So changed" : "With other code there",
                     correction.leaves_gaps ? "only the gaps are left" : result);
}

bool is_as_handed_out(const Exercise& exercise, std::string_view source) {
  return code_of(source) == code_of(exercise.handout);
}

}  // namespace gemm_tutor
