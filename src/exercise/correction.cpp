#include "exercise/correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "exercise/code_difference.hpp"
#include "source/definitions.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_changes = 8;         // that are tried one by one
constexpr std::size_t most_small_changes = 40;  // that are tried of one statement
constexpr std::size_t most_told = 3;            // more do not explain the mistake
constexpr int most_shown_tokens = 18;           // more would show the solution
constexpr std::size_t longest_quoted = 40;      // words of an expression

// The group's words and those around them that are shown.
WordRange shown_range(const HunkGroup& group) {
  const WordRange range{group.begin(), group.end()};
  return group.is_of_statements() ? range : quoted_around(*group.words, range);
}

// True if its brackets are balanced. A brace alone may be missing or too much.
bool is_whole(const std::string& text) {
  const source::File file(text);
  const CodeWords words = words_of(file.code);
  const bool is_brace = words.size() == 1 && is_any_of(words.front(), {"{", "}"});
  return is_brace || is_balanced(words, {0, words.size()});
}

// The statement, or its part, that begins at `from` and is in that line.
std::string rest_of_line(const CodeWords& words, std::size_t from, int line) {
  std::size_t end = from;
  while (end < words.size() && words[end].line == line &&
         (end == from || !ends_statement(words[end - 1])))
    ++end;
  return text_of(words, {from, end});
}

CodeChange change_of(const HunkGroup& group) {
  const CodeWords& words = *group.words;
  CodeChange change;
  for (const Hunk& hunk : group.hunks) {
    for (std::size_t i = hunk.solution_begin; i < hunk.solution_end; ++i)
      change.added_tokens += !(*group.solution)[i].is_inserted;
  }
  change.is_of_statements = group.is_of_statements();
  const WordRange range = shown_range(group);
  change.is_long = range.size() > longest_quoted;
  change.code = text_of(words, range);
  change.replacement = corrected_text(group, range.begin, range.end);
  const std::size_t before = range.begin == 0 ? 0 : range.begin - 1;
  const bool has_code = range.size() > 0;
  change.first_line = words[has_code ? range.begin : before].line;
  change.last_line = words[has_code ? range.end - 1 : before].line;
  if (!has_code) change.next = rest_of_line(words, range.end, change.last_line);
  return change;
}

std::string lines_text(const CodeChange& change) {
  return change.first_line == change.last_line
             ? fmt::format("line {}", change.first_line)
             : fmt::format("lines {} to {}", change.first_line, change.last_line);
}

// Otherwise the text would show the solution.
bool may_be_shown(const CodeChange& change) {
  return !change.is_long && change.added_tokens <= most_shown_tokens;
}

std::string text_of(const CodeChange& change) {
  const std::string lines = lines_text(change);
  if (change.is_long) return fmt::format("the code in {} is wrong", lines);
  if (change.code.empty()) {
    const std::string missing =
        may_be_shown(change) ? fmt::format("`{}`", change.replacement) : "code";
    return change.next.empty()
               ? fmt::format("after {} {} is missing", lines, missing)
               : fmt::format("in {} {} is missing before `{}`", lines, missing, change.next);
  }
  if (change.replacement.empty()) return fmt::format("in {} `{}` is too much", lines, change.code);
  if (!may_be_shown(change)) return fmt::format("in {} `{}` is wrong", lines, change.code);
  return fmt::format("in {} `{}` should be `{}`", lines, change.code, change.replacement);
}

std::string place_of(const CodeChange& change) {
  const std::string lines = lines_text(change);
  if (change.is_long) return lines;
  if (change.code.empty() && change.next.empty())
    return lines + ", after which something is missing";
  if (change.code.empty())
    return fmt::format("{}, where something is missing before `{}`", lines, change.next);
  return fmt::format("{}, `{}`", lines, change.code);
}

constexpr const char* gaps_are_left =
    "What you have written is right: only the unchanged gaps are left.";

std::vector<std::string> code_of(std::string_view source) {
  const source::File file(source);
  std::vector<std::string> code;
  for (const source::Tokens tokens :
       {source::Tokens(file.code), source::Tokens(file.directive_tokens)}) {
    for (const source::Token& token : tokens) code.emplace_back(token.text);
  }
  return code;
}

// The search for a correction of one file.
class Search {
 public:
  // With braces, or as they are written.
  Search(const Exercise& exercise, std::string_view source, const RightFile& reference, bool braces)
      : reference_(reference),
        braced_(braces ? with_braces(source) : BracedSource{std::string(source), {}}),
        braced_solution_(braces ? with_braces(reference.source)
                                : BracedSource{reference.source, {}}),
        file_(braced_.text),
        solution_file_(braced_solution_.text),
        parts_(parts_of(file_, braced_.inserted)),
        solution_(parts_of(solution_file_, braced_solution_.inserted)) {
    take_names(parts_, solution_);
    groups_ = differences(parts_, solution_);
    const std::vector<int> lines = lines_of_untouched_gaps(exercise, source);
    const std::set<int> in_gaps(lines.begin(), lines.end());
    for (const HunkGroup& group : groups_)
      (group.touches(in_gaps) ? gaps_ : others_).push_back(&group);
  }

  std::optional<Correction> correction(bool has_race) {
    const std::optional<Units> needed = needed_units();
    if (!needed) return has_race ? added_barrier() : std::nullopt;
    const Groups groups = flat(*needed);
    const bool is_rewritten =
        is_in_own_words(groups) ||
        std::ranges::any_of(groups, [](const HunkGroup* group) { return group->is_rewriting(); });
    if (is_rewritten && has_race) {
      if (auto barrier = added_barrier()) return barrier;
    }
    if (is_rewritten) {
      if (auto small = small_correction(*needed)) return small;
    }
    if (are_in_one_head(groups)) {
      if (auto small = small_correction({groups})) return small;
    }
    const bool are_told = std::ranges::all_of(groups, [&](const HunkGroup* group) {
      const CodeChange change = change_of(*group);
      // Together with other changes, a long one is the same in other words.
      const bool is_other_way = change.is_long && groups.size() > 1;
      return !is_other_way && !group->is_rewriting() && is_whole(change.code) &&
             is_whole(change.replacement);
    });
    if (are_told && (groups.size() <= 1 || (!is_rewritten && groups.size() <= most_told)))
      return of(groups);
    if (needed->size() != 1 || !is_of_one_statement(needed->front())) return {};
    return place_of(needed->front());
  }

 private:
  using Groups = std::vector<const HunkGroup*>;
  using Units = std::vector<Groups>;  // each is tried as a whole

  static Groups flat(const Units& units) {
    Groups groups;
    for (const Groups& unit : units) groups.insert(groups.end(), unit.begin(), unit.end());
    return groups;
  }

  bool is_solved_with(Groups changes) const {
    changes.insert(changes.end(), gaps_.begin(), gaps_.end());
    const std::string changed = with(braced_.text, changes);
    if (code_of(changed) == code_of(braced_solution_.text)) return true;
    return !has_lost_value(changed) && reference_.is_enough(changed);
  }

  // The variables that are never read, and whether each is changed after its declaration.
  static std::map<std::string, bool> unread(const std::string& source) {
    std::map<std::string, bool> result;
    const source::File file(source);
    for (const CodePart& part : parts_of(file)) {
      const CodeWords& words = part.words;
      std::map<std::string, bool> declared;
      std::set<std::string> read;
      for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (!source::begins_name(words[i].text.front())) continue;
        const bool begins = ends_statement(words[i - 1]) || words[i - 1].is(")");
        const bool is_change = begins && is_any_of(words[i + 1], {"=", "+=", "-=", "*="});
        if (is_change && declared.contains(words[i].text)) declared[words[i].text] = true;
        if (is_declaration(words, i)) {
          if (declares(words, words[i].text)) declared.try_emplace(words[i].text, false);
        } else if (!is_change) {
          read.insert(words[i].text);
        }
      }
      std::erase_if(declared, [&](const auto& one) { return read.contains(one.first); });
      result.merge(declared);
    }
    return result;
  }

  // A correction would use a variable that is changed.
  static bool has_lost_value(const std::string& source) {
    return std::ranges::any_of(unread(source), [](const auto& one) { return one.second; });
  }

  // A small change does not make a variable useless.
  bool loses_a_value(const std::string& changed) const {
    return std::ranges::any_of(unread(changed), [&](const auto& one) {
      const auto before = unread_.find(one.first);
      return before == unread_.end() || before->second;
    });
  }

  // True if one is a statement that the other has in another place.
  static bool is_moved(const HunkGroup& added, const HunkGroup& removed) {
    if (!added.is_of_statements() || !removed.is_of_statements()) return false;
    const Hunk &to = added.hunks.front(), &from = removed.hunks.front();
    return added.words == removed.words && to.adds_only() && from.removes_only() &&
           text_of(*added.solution, {to.solution_begin, to.solution_end}) ==
               text_of(*removed.words, {from.begin, from.end});
  }

  // Else both places would have the statement after the change, or none.
  static void join_moves(Units& units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (std::size_t j = i + 1; j < units.size(); ++j) {
        if (units[i].size() != 1 || units[j].size() != 1) continue;
        const HunkGroup &one = *units[i].front(), &other = *units[j].front();
        if (!is_moved(one, other) && !is_moved(other, one)) continue;
        units[i].push_back(&other);
        units.erase(units.begin() + j);
      }
    }
  }

  // True if they are parts of one loop's `for (…)`: it may count in another way, with one slip.
  static bool are_in_one_head(const Groups& groups) {
    if (groups.size() < 2 || groups.front()->words != groups.back()->words) return false;
    const CodeWords& words = *groups.front()->words;
    int closed = 0;
    for (std::size_t i = groups.back()->begin(); i-- > 1;) {
      if (words[i].is("(") && closed == 0)
        return words[i - 1].is("for") && i < groups.front()->begin();
      closed += words[i].is(")") - words[i].is("(");
    }
    return false;
  }

  static bool is_of_one_statement(const Groups& unit) {
    const WordRange range{unit.front()->begin(), unit.back()->end()};
    return std::ranges::none_of(words_in(*unit.front()->words, range), ends_statement);
  }

  // Each group is a unit. If there are many, neighbours without lines between them form a unit.
  Units units() const {
    Units units;
    for (const HunkGroup* group : others_) {
      const bool joins = others_.size() > most_changes && !units.empty() &&
                         group->words == units.back().back()->words &&
                         group->first_line() <= units.back().back()->last_line() + 1;
      if (joins) {
        units.back().push_back(group);
      } else {
        units.push_back({group});
      }
    }
    join_moves(units);
    return units;
  }

  // Returns the differences from the solution that must be corrected; nothing if there are too
  // many.
  std::optional<Units> needed_units() const {
    Units needed = units();
    if (needed.empty() && gaps_.empty()) return {};
    if (needed.size() > most_changes || !is_solved_with(others_)) return {};
    if (!gaps_.empty() && is_solved_with({})) return Units{};
    const auto alone = std::ranges::find_if(
        needed, [&](const Groups& unit) { return needed.size() > 1 && is_solved_with(unit); });
    if (alone != needed.end()) return with_fewer_hunks({*alone});
    for (std::size_t i = needed.size(); needed.size() > 1 && i-- > 0;) {
      Units fewer = needed;
      fewer.erase(fewer.begin() + i);
      if (is_solved_with(flat(fewer))) needed = fewer;
    }
    return with_fewer_hunks(needed);
  }

  // In a statement with a mistake, what is right in other words stays.
  Units with_fewer_hunks(Units units) const {
    constexpr std::size_t most_hunks = 6;
    for (Groups& unit : units) {
      for (const HunkGroup*& group : unit) {
        for (std::size_t i = group->hunks.size(); i-- > 0 && group->hunks.size() > 1;) {
          if (group->hunks.size() > most_hunks) break;
          if (!is_in_own_words(*group, group->hunks[i])) continue;
          HunkGroup& fewer = reduced_.emplace_back(*group);
          fewer.hunks.erase(fewer.hunks.begin() + i);
          const HunkGroup* whole = std::exchange(group, &fewer);
          if (!is_solved_with(flat(units))) group = whole;
        }
      }
    }
    return units;
  }

  // Code with names that the solution does not have is another approach, which may be right except
  // for one slip.
  bool is_in_own_words(const Groups& groups) const {
    std::set<std::string> names;
    for (const CodePart& part : solution_) {
      for (const CodeWord& word : part.words) names.insert(word.text);
    }
    const auto is_own = [&](const CodeWord& word) {
      return source::begins_name(word.text.front()) && !names.contains(word.text);
    };
    return std::ranges::any_of(groups, [&](const HunkGroup* group) {
      return std::ranges::any_of(words_in(*group->words, {group->begin(), group->end()}), is_own);
    });
  }

  // The same of one difference. A number may stand for one of the solution's names.
  static bool is_in_own_words(const HunkGroup& group, const Hunk& hunk) {
    const CodeWords& solution = *group.solution;
    const auto is_number = [](const CodeWord& word) {
      return source::is_of_name(word.text.front()) && !source::begins_name(word.text.front());
    };
    const bool has_number = std::ranges::any_of(
        words_in(solution, {hunk.solution_begin, hunk.solution_end}), is_number);
    const auto is_own = [&](const CodeWord& word) {
      if (is_number(word)) return !has_number;
      return source::begins_name(word.text.front()) &&
             std::ranges::find(solution, word.text, &CodeWord::text) == solution.end();
    };
    return std::ranges::any_of(words_in(*group.words, {hunk.begin, hunk.end}), is_own);
  }

  Correction of(const Groups& groups) const {
    Correction correction{{}, !gaps_.empty()};
    for (const HunkGroup* group : groups) correction.changes.push_back(change_of(*group));
    return correction;
  }

  // Returns the first of these changes that makes the file right.
  std::optional<Correction> first_enough(const CodeWords& words,
                                         const std::vector<SmallChange>& changes) const {
    for (const SmallChange& change : changes) {
      CodeWords changed;
      for (const auto& part : {words_in(words, {0, change.begin}), std::span(change.replacement),
                               words_in(words, {change.end, words.size()})})
        changed.insert(changed.end(), part.begin(), part.end());
      const Hunk hunk{change.begin, change.end, change.begin,
                      change.begin + change.replacement.size()};
      const HunkGroup group{&words, &changed, {hunk}};
      if (loses_a_value(with(braced_.text, {&group}))) continue;
      if (is_solved_with({&group})) return of({&group});
    }
    return {};
  }

  // True if the error is there.
  Correction place_of(const Groups& unit) const {
    CodeChange change = change_of(*unit.front());
    change.is_long = true;
    change.last_line = std::max(change.last_line, unit.back()->last_line());
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
    for (const CodePart& part : parts_) {
      const auto same = std::ranges::find(solution_, part.name, &CodePart::name);
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
  BracedSource braced_, braced_solution_;
  source::File file_, solution_file_;
  std::vector<CodePart> parts_, solution_;
  std::vector<HunkGroup> groups_;
  Groups gaps_, others_;
  std::map<std::string, bool> unread_ = unread(braced_.text);
  mutable std::list<HunkGroup> reduced_;  // those that with_fewer_hunks() made
};

}  // namespace

std::optional<Correction> find_correction(const Exercise& exercise, std::string_view source,
                                          bool has_race, const RightFile& reference) {
  auto correction = Search(exercise, source, reference, true).correction(has_race);
  // The braces themselves may be the mistake: then a change would have no text.
  const auto is_of_braces = [](const CodeChange& change) {
    return change.code.empty() && change.replacement.empty();
  };
  if (correction && std::ranges::any_of(correction->changes, is_of_braces))
    return Search(exercise, source, reference, false).correction(has_race);
  return correction;
}

std::string text_of(const Correction& correction, std::string_view result) {
  if (correction.changes.empty()) return gaps_are_left;
  std::vector<std::string> changes;
  for (const CodeChange& change : correction.changes) changes.push_back(text_of(change));
  std::string text = join(changes, "; ");
  text = capitalised(std::move(text));
  const bool are_shown = std::ranges::all_of(correction.changes, may_be_shown);
  return fmt::format("{}. {}, {}.", text, are_shown ? "So changed" : "With other code there",
                     correction.leaves_gaps ? "only the gaps are left" : result);
}

std::string place_of(const Correction& correction) {
  if (correction.changes.empty()) return gaps_are_left;
  std::vector<std::string> places;
  for (const CodeChange& change : correction.changes) places.push_back(place_of(change));
  return fmt::format("Look at {}.", join(places, "; "));
}

bool is_as_handed_out(const Exercise& exercise, std::string_view source) {
  return code_of(source) == code_of(exercise.handout);
}

namespace {

// Names and operators that are taken for each other: first the extents of matrices and tiles, which
// are mistaken most often.
constexpr std::size_t extents = 4;
constexpr std::array<std::array<std::string_view, 3>, 16> families = {{
    {"M", "N", "K"},
    {"BM", "BN", "BK"},
    {"TM", "TN"},
    {"WM", "WN"},
    {"tx", "ty"},
    {"threadIdx.x", "threadIdx.y"},
    {"blockIdx.x", "blockIdx.y"},
    {"blockDim.x", "blockDim.y"},
    {"row", "column"},
    {"row0", "column0"},
    {"first_row", "first_column"},
    {"i", "j", "k"},
    {"<", "<="},
    {">", ">="},
    {"&&", "||"},
    {"+=", "="},
}};

CodeWord changed(CodeWord word, std::string_view text) {
  word.text = text;
  return word;
}

void add_other_names(const CodeWords& words, std::size_t i,
                     std::span<const std::array<std::string_view, 3>> of,
                     std::vector<SmallChange>& changes) {
  for (const auto& family : of) {
    if (std::ranges::find(family, std::string_view(words[i].text)) == family.end()) continue;
    for (const std::string_view other : family) {
      if (!other.empty() && !words[i].is(other))
        changes.push_back({i, i + 1, {changed(words[i], other)}});
    }
  }
}

// [a][b] for [b][a].
void add_exchanged_subscripts(const CodeWords& words, std::size_t i,
                              std::vector<SmallChange>& changes) {
  const auto close = [&](std::size_t at) {
    int depth = 0;
    for (; at < words.size(); ++at) {
      depth += words[at].is("[") - words[at].is("]");
      if (depth == 0) break;
    }
    return at;
  };
  if (!words[i].is("[")) return;
  const std::size_t middle = close(i) + 1;
  if (middle >= words.size() || !words[middle].is("[")) return;
  const std::size_t end = std::min(close(middle) + 1, words.size());
  CodeWords exchanged;
  for (const auto& part : {words_in(words, {middle, end}), words_in(words, {i, middle})})
    exchanged.insert(exchanged.end(), part.begin(), part.end());
  changes.push_back({i, end, exchanged});
}

// Nobody writes "+ 0".
bool is_behind_operator(const CodeWords& words, std::size_t i) {
  return i > 0 && is_any_of(words[i - 1], {"+", "-", "^", "*", "/", "%"});
}

// a1 for a0, .y for .z, 2 for 3: what else the same statements have.
void add_others_alike(const CodeWords& words, std::size_t i, WordRange range,
                      std::vector<SmallChange>& changes) {
  const auto is_number = [](const CodeWord& word) {
    return std::ranges::all_of(word.text, [](char c) { return c >= '0' && c <= '9'; });
  };
  const auto is_alike = [&](const CodeWord& other) {
    const std::string &a = words[i].text, &b = other.text;
    if (a == b) return false;
    if (is_number(words[i])) return is_number(other);
    return source::begins_name(a.front()) && a.size() > 1 && a.size() == b.size() &&
           a.compare(0, a.size() - 1, b, 0, b.size() - 1) == 0;
  };
  // The nearest first, on both sides.
  std::vector<std::string> tried;
  for (std::size_t by = 1; by < range.size(); ++by) {
    for (const std::size_t at : {i - by, i + by}) {
      if (at < range.begin || at >= range.end || !is_alike(words[at])) continue;
      if (words[at].is("0") && is_behind_operator(words, i)) continue;
      if (std::ranges::count(tried, words[at].text) > 0) continue;
      tried.push_back(words[at].text);
      changes.push_back({i, i + 1, {changed(words[i], words[at].text)}});
    }
  }
}

// An early way out of a loop.
void add_removed_exit(const CodeWords& words, std::size_t i, std::vector<SmallChange>& changes) {
  const bool is_exit =
      i + 1 < words.size() && is_any_of(words[i], {"break", "continue"}) && words[i + 1].is(";");
  if (!is_exit) return;
  WordRange range = statement_around(words, {i, i + 2});
  if (range.size() > 2 && !words[range.begin].is("if")) return;
  if (range.end < words.size() && words[range.end].is_inserted) ++range.end;
  changes.push_back({range.begin, range.end, {}});
}

void add_other_number(const CodeWords& words, std::size_t i, std::vector<SmallChange>& changes) {
  if (words[i].is("0")) changes.push_back({i, i + 1, {changed(words[i], "1")}});
  if (words[i].is("1") && !is_behind_operator(words, i))
    changes.push_back({i, i + 1, {changed(words[i], "0")}});
  const bool is_one_off =
      is_any_of(words[i], {"+", "-", "^"}) && i + 1 < words.size() && words[i + 1].is("1");
  if (is_one_off) changes.push_back({i, i + 2, {}});
}

}  // namespace

std::vector<SmallChange> small_changes(const CodeWords& words, std::size_t begin, std::size_t end,
                                       std::size_t most) {
  std::vector<SmallChange> changes;
  const std::span all(families);
  const auto of_each = [&](const auto& add) {
    for (std::size_t i = begin; i < end; ++i) add(i);
  };
  of_each([&](std::size_t i) { add_removed_exit(words, i, changes); });
  of_each([&](std::size_t i) { add_exchanged_subscripts(words, i, changes); });
  of_each([&](std::size_t i) { add_other_names(words, i, all.first(extents), changes); });
  of_each([&](std::size_t i) { add_others_alike(words, i, {begin, end}, changes); });
  of_each([&](std::size_t i) { add_other_names(words, i, all.subspan(extents), changes); });
  of_each([&](std::size_t i) { add_other_number(words, i, changes); });
  changes.resize(std::min(changes.size(), most));
  return changes;
}

std::vector<SmallChange> barriers_added(const CodeWords& words, std::size_t begin,
                                        std::size_t end) {
  CodeWords barrier;
  for (const char* text : {"__syncthreads", "(", ")", ";"}) barrier.push_back({.text = text});
  std::vector<SmallChange> changes;
  int brackets = 0;
  for (std::size_t i = begin; i < end; ++i) {
    brackets += words[i].is("(") - words[i].is(")");
    if (brackets == 0 && is_any_of(words[i], {";", "}"}))
      changes.push_back({i + 1, i + 1, barrier});
  }
  std::ranges::reverse(changes);
  return changes;
}

}  // namespace gemm_tutor
