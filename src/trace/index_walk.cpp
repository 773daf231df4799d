#include "trace/index_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;
constexpr std::size_t most_lines = 4000;      // that are worked out, of loops in loops
constexpr std::size_t most_of_line = 1000;    // that are worked out in one line
constexpr std::size_t longest_header = 500;   // of a for: it is read again in every iteration
constexpr std::int64_t most_turns = 1 << 20;  // that a loop along K is followed
constexpr int deepest_nesting = 60, deepest_calls = 8;
constexpr std::int64_t most_statements = 1 << 19;  // that are followed, told of or not

// What a name in the kernel's body stands for.
struct Variable {
  std::optional<Integer> value = {};  // of a pointer: where in its matrix it points
  bool along_k = false;               // it depends on K
  std::string matrix = {};            // that a pointer points into; empty for no pointer
  std::optional<IntegerType> type = {};
  bool is_untold = false;  // declared without a value

  bool is_pointer() const { return !matrix.empty(); }
};

// A lambda, or one of the file's functions.
struct Callable {
  std::vector<std::string> parameters;  // "int row"
  TextRange body;
  std::size_t scopes = 1;  // that it sees
};

// What a function returned: one value, or a struct's members.
using Returned = std::vector<std::optional<Integer>>;

// A pointer's value, and how it came about: from which other pointer, and whether it is just that.
struct Pointed {
  std::string matrix, filled, base;
  bool is_base = false;
  Integer place;
};

// Nothing where it has more than 64 bits.
std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

std::optional<std::int64_t> difference_of(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional(difference);
}

class Walker {
 public:
  Walker(const KernelText& kernel, const IndexWalkOptions& options)
      : kernel_(kernel), code_(kernel.code), options_(options), scopes_(1) {
    for (const auto& [name, value] : options.names) {
      scopes_[0][name] = {.value = value, .along_k = name == options.depth_name};
    }
    // In turn, as each may be made of those before it; twice, as a macro may also be of later ones.
    for (int round = 0; round < 2; ++round) {
      for (const auto& [name, text] : kernel.definitions) {
        if (const auto value = evaluated(text)) scopes_[0][name] = {.value = value};
      }
    }
    for (const std::string& name : kernel.parameters) {
      const std::string word = last_word(name);
      if (std::ranges::count(options.matrices, word)) {
        scopes_[0][word] = {.value = Integer{0, place_type}, .matrix = word};
      } else if (!options.names.contains(word)) {
        scopes_[0][word] = {};
      }
    }
  }

  IndexWalk walk() {
    scopes_.emplace_back();
    statements(kernel_.body);
    result_.returned = returned_;
    return std::move(result_);
  }

 private:
  using Scope = std::map<std::string, Variable, std::less<>>;
  static constexpr IntegerType place_type{64, false};

  // --- Names and values

  const Variable* find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    }
    return nullptr;
  }
  Variable* find(std::string_view name) {
    return const_cast<Variable*>(std::as_const(*this).find(name));
  }

  IntegersByName by_name() const {
    return [this](std::string_view name) {
      const Variable* variable = find(name);
      return variable && !variable->is_pointer() ? variable->value : std::nullopt;
    };
  }

  IntegersByCall by_call() {
    return [this](std::string_view name, std::string_view template_arguments,
                  const std::vector<std::optional<Integer>>& arguments) -> std::optional<Integer> {
      const auto returned = result_of(name, template_arguments, arguments);
      return returned && returned->size() == 1 ? returned->front() : std::nullopt;
    };
  }

  // Each text once: loops come to theirs again and again.
  const std::optional<IndexExpression>& parsed(std::string_view text) {
    static const std::optional<IndexExpression> none;
    if (text.size() > longest_expression) return none;  // which would be kept, too
    const auto known = parsed_.find(text);
    if (known != parsed_.end()) return known->second;
    return parsed_[std::string(text)] = IndexExpression::parse(expanded(text, kernel_.macros));
  }

  std::optional<Integer> value_of(const std::optional<IndexExpression>& expression) {
    return expression ? expression->value(by_name(), by_call()) : std::nullopt;
  }

  std::optional<Integer> evaluated(std::string_view text) { return value_of(parsed(text)); }

  // Of "A + row * K", "from", "&from[4]"; nothing for what is no pointer into a matrix, or a place
  // that is not known.
  std::optional<Pointed> pointed(std::string_view text) {
    text = trimmed(text);
    const bool is_address = text.starts_with('&');
    const std::string_view from = trimmed(text.substr(is_address ? 1 : 0));
    const std::string_view base = word_at(from, 0, from.size());
    const Variable* variable = base.empty() ? nullptr : find(base);
    if (!variable || !variable->is_pointer() || !variable->value) return {};
    std::string_view rest = trimmed(from.substr(base.size()));
    if (is_address) {
      if (!rest.starts_with('[') || closing_bracket(rest, 0, rest.size()) + 1 != rest.size())
        return {};
      rest = rest.substr(1, rest.size() - 2);
    } else if (!rest.empty() && (rest.size() < 2 || (rest[0] != '+' && rest[0] != '-') ||
                                 rest[1] == rest[0] || rest[1] == '=' || rest[1] == '>')) {
      return {};
    }
    const auto expression = parsed((is_address ? "" : "0LL ") + std::string(rest));
    const auto moved = value_of(expression);
    if (!moved) return {};
    const auto written = parsed(from);
    const std::string filled = is_address
                                   ? fmt::format("&{}[{}]", base, expression->filled(by_name()))
                               : written ? written->filled(by_name())
                                         : std::string(from);
    const auto place = sum_of(variable->value->value, moved->value);
    if (!place) return {};
    return Pointed{variable->matrix, filled, std::string(base), rest.empty(), {*place, place_type}};
  }

  // The same of "exists ? from + 4 : A", too.
  std::optional<Pointed> pointed_by_condition(std::string_view text) {
    const auto parts = split_outside_brackets(text, '?');
    if (parts.size() == 1) return pointed(text);
    const auto ways = parts.size() == 2 ? split_outside_brackets(parts[1], ':') : parts;
    const auto condition = ways.size() == 2 ? evaluated(parts[0]) : std::nullopt;
    if (!condition) return {};
    return pointed(ways[condition->value != 0 ? 0 : 1]);
  }

  bool goes_along_k(std::string_view text) const {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view word = word_at(text, at, text.size());
      const Variable* variable = word.empty() ? nullptr : find(word);
      if (variable && variable->along_k) return true;
      at += word.size();
    }
    return false;
  }

  void declare(const std::string& name, std::optional<Integer> value, bool along_k) {
    scopes_.back()[name] = {.value = value, .along_k = along_k};
  }

  void forget(const std::set<std::string>& names) {
    for (const std::string& name : names) {
      if (Variable* variable = find(name)) variable->value.reset();
    }
  }

  // Names that something is assigned to in there, also by the lambdas it calls. A range is looked
  // through once, however often the walk comes to it.
  const std::set<std::string>& assigned_in(TextRange range) {
    const auto [place, is_new] = assigned_.try_emplace({range.begin, range.end});
    if (!is_new) return place->second;
    for (const TextRange& part : with_lambdas(range)) {
      for (std::size_t at = part.begin; at < part.end; ++at) {
        const std::string_view word = word_at(code_, at, part.end);
        if (word.empty()) continue;
        if (is_assigned(at, at + word.size(), part)) place->second.emplace(word);
        at += word.size();
      }
    }
    return place->second;
  }

  // The range, and the bodies of the lambdas that it calls: each once, as they may call each other.
  std::vector<TextRange> with_lambdas(TextRange range) const {
    std::vector<TextRange> parts = {range};
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TextRange part = parts[i];
      for (std::size_t at = part.begin; at < part.end; ++at) {
        const std::string_view word = word_at(code_, at, part.end);
        const auto lambda = lambdas_.find(word);
        const bool is_new = lambda != lambdas_.end() && seen.insert(word).second;
        if (is_new) parts.push_back(lambda->second.body);
        at += word.size();
      }
    }
    return parts;
  }

  bool is_assigned(std::size_t begin, std::size_t end, TextRange range) const {
    const auto before = trimmed(code_.substr(range.begin, begin - range.begin));
    const auto behind = trimmed(code_.substr(end, range.end - end));
    if (before.ends_with('.') || before.ends_with("->")) return false;
    if (before.ends_with("++") || before.ends_with("--")) return true;
    const bool is_reference =
        before.ends_with('&') && !before.ends_with("&&") &&
        (before.size() < 2 || std::string_view("(,=").find(before[before.size() - 2]) != nowhere);
    if (is_reference) return true;
    if (behind.starts_with("++") || behind.starts_with("--")) return true;
    if (behind.starts_with('=')) return !behind.starts_with("==");
    for (const std::string_view operation :
         {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}) {
      if (behind.starts_with(operation)) return true;
    }
    return false;
  }

  // --- What is kept

  int line_of(std::size_t at) {
    while (counted_ < at) lines_ += code_[counted_++] == '\n';
    while (counted_ > at) lines_ -= code_[--counted_] == '\n';
    return lines_;
  }

  void keep(std::size_t at, Worked worked) {
    if (quiet_ || result_.lines.size() >= most_lines) return;
    const int line = line_of(at);
    const bool begins = worked.kind == Worked::Kind::loop;
    if (begins || result_.lines.empty() || result_.lines.back().line != line) {
      result_.lines.push_back({line, {}});
    }
    auto& all = result_.lines.back().worked;
    if (all.size() >= most_of_line) return;
    if (!std::ranges::count(all, worked)) all.push_back(std::move(worked));
  }

  // What a pointer points to, where that is accessed.
  void keep_element(std::size_t at, Worked worked, const Variable& pointer) {
    if (quiet_) return;
    const bool may_move = pointer.value->value != 0 || worked.name != pointer.matrix;
    const auto step = options_.step_of_place && may_move
                          ? options_.step_of_place(pointer.matrix, worked.values[0])
                          : std::nullopt;
    worked.name = pointer.matrix;
    if (step && *step != options_.step) {
      ++of_other_steps_;
      return;
    }
    ++elements_;
    new_lines_ += element_lines_.insert(line_of(at)).second ? 1 : 0;
    keep(at, std::move(worked));
  }

  // How much is told so far, to take back what comes after it.
  struct Mark {
    std::size_t lines = 0, worked_of_last = 0;
  };
  Mark mark() const {
    return {result_.lines.size(), result_.lines.empty() ? 0 : result_.lines.back().worked.size()};
  }
  void take_back(const Mark& mark) {
    if (result_.lines.size() < mark.lines) return;
    result_.lines.resize(mark.lines);
    if (mark.lines > 0) result_.lines.back().worked.resize(mark.worked_of_last);
  }

  // A statement that says the same as one before it adds nothing.
  void drop_repeated() {
    if (result_.lines.empty()) return;
    const auto last = std::prev(result_.lines.end());
    if (std::find(result_.lines.begin(), last, *last) != last) result_.lines.erase(last);
  }

  // --- Statements: each returns where the next one begins

  std::size_t skip_blanks(std::size_t at, std::size_t end) const {
    while (at < end && std::string_view(" \t\r\n").find(code_[at]) != nowhere) ++at;
    return at;
  }

  void statements(TextRange range) {
    if (depth_ == deepest_nesting) return;
    ++depth_;
    for (std::size_t at = skip_blanks(range.begin, range.end); at < range.end && !returned_;
         at = skip_blanks(at, range.end)) {
      at = statement(at, range.end);
      if (leaves_ != Leaves::nothing) break;
    }
    --depth_;
  }

  std::size_t closing(std::size_t open, std::size_t end) const {
    return std::min(closing_bracket(code_, open, end) + 1, end);
  }

  // Where the statement at `at` ends; `end` where it is nested too deeply.
  std::size_t statement_end(std::size_t at, std::size_t end, int depth = 0) const {
    if (depth > deepest_nesting) return end;
    std::string_view word;
    for (;;) {
      at = skip_blanks(at, end);
      if (at >= end) return end;
      if (code_[at] == '{') return closing(at, end);
      word = word_at(code_, at, end);
      if (word == "else") {
        at += 4;
      } else if (word == "for" || word == "while" || word == "switch") {
        at = closing(std::min(code_.find('(', at), end), end);
      } else if (word == "if") {
        at = statement_end(closing(std::min(code_.find('(', at), end), end), end, depth + 1);
        if (word_at(code_, skip_blanks(at, end), end) != "else") return at;
      } else {
        break;
      }
    }
    if (word == "do") at = statement_end(at + 2, end, depth + 1);
    for (; at < end && code_[at] != ';'; ++at) {
      if (code_[at] == '(' || code_[at] == '[' || code_[at] == '{') {
        at = closing_bracket(code_, at, end);
      }
    }
    return std::min(at + 1, end);
  }

  std::size_t statement(std::size_t at, std::size_t end) {
    const std::size_t behind = statement_end(at, end);
    const std::string_view word = word_at(code_, at, end);
    ++statements_;
    if (code_[at] == '{') {
      in_scope({at + 1, behind - 1});
    } else if (word == "for") {
      for_loop(at, behind);
    } else if (word == "if") {
      if_else(at, behind);
    } else if (word == "while" || word == "do" || word == "switch") {
      unknown_turns({at + word.size(), behind});
    } else if (word == "return") {
      returned_ = true;
      if (calls_ > 0) returned_value_ = value_returned(code_.substr(at + 6, behind - at - 7));
    } else if (word == "break" || word == "continue") {
      leaves_ = word == "break" ? Leaves::loop : Leaves::turn;
    } else if (word != "static_assert" && word != "using" && word != "typedef") {
      simple({at, behind - 1});
      drop_repeated();
    }
    return behind;
  }

  void in_scope(TextRange range) {
    scopes_.emplace_back();
    statements(range);
    scopes_.pop_back();
  }

  // Of a while loop, say: its body, where nothing that it assigns is known.
  void unknown_turns(TextRange range) {
    const std::set<std::string>& assigned = assigned_in(range);
    forget(assigned);
    const std::size_t open = std::min(code_.find('{', range.begin), range.end);
    if (open < range.end) perhaps({open + 1, closing(open, range.end) - 1});
    leaves_perhaps_ = false;  // this loop, or a switch
    forget(assigned);
  }

  // What may be passed over: nobody knows whether it leaves the loop that it is in, or returns.
  void perhaps(TextRange range) {
    const bool was_returned = returned_;
    in_scope(range);
    if (returned_ != was_returned) returns_perhaps_ = true;
    if (leaves_ != Leaves::nothing) leaves_perhaps_ = true;
    returned_ = was_returned;
    leaves_ = Leaves::nothing;
  }

  void if_else(std::size_t at, std::size_t end) {
    const std::size_t open = std::min(code_.find('(', at), end);
    const std::size_t close = closing(open, end);
    const std::string_view condition = code_.substr(open + 1, close - open - 2);
    const std::size_t otherwise = statement_end(close, end);
    const TextRange then{close, otherwise};
    std::size_t next = skip_blanks(otherwise, end);
    if (word_at(code_, next, end) == "else") next += 4;
    const TextRange other{std::min(next, end), end};

    const auto expression = parsed(condition);
    const auto value = value_of(expression);
    if (value) {
      keep(at, {Worked::Kind::condition, "", expression->filled(by_name()), {value->value != 0}});
      in_scope(value->value != 0 ? then : other);
      return;
    }
    for (const TextRange branch : {then, other}) perhaps(branch);
    forget(assigned_in({at, end}));
  }

  // --- Loops

  struct Loop {
    std::string condition, first_name;
    std::vector<std::string> advances;
    TextRange body;
  };

  bool condition_holds(const Loop& loop, bool if_unknown) {
    const auto value = evaluated(loop.condition);
    return value ? value->value != 0 : if_unknown;
  }

  void advance(const Loop& loop) {
    for (const std::string& one : loop.advances) assign(one);
  }

  void for_loop(std::size_t at, std::size_t end) {
    const std::size_t open = std::min(code_.find('(', at), end);
    const std::size_t close = closing(open, end);
    const auto header = split_outside_brackets(code_.substr(open + 1, close - open - 2), ';');
    if (header.size() < 2 || close - open > longest_header) return unknown_turns({close, end});
    scopes_.emplace_back();
    const bool was_quiet = std::exchange(quiet_, true);
    const std::size_t begin = skip_blanks(open + 1, close);
    simple({begin, std::min(code_.find(';', begin), close)});
    quiet_ = was_quiet;

    Loop loop{header[1], "", {}, {close, end}};
    if (header.size() > 2) loop.advances = split_outside_brackets(header[2]);
    if (!loop.advances.empty()) loop.first_name = assigned_name(loop.advances.front());
    // What comes behind a loop whose pointers went along K is what is left of a step.
    const bool is_along_k =
        !inside_k_ && !pointers_went_ && !evaluates_ && goes_along_k(loop.condition);
    ++loops_;
    is_along_k ? loop_along_k(at, loop) : other_loop(at, loop);
    --loops_;
    scopes_.pop_back();
  }

  // Whether the loop's body changes something that is known, which its next turn then begins with.
  bool carries(const Loop& loop) {
    return std::ranges::any_of(assigned_in(loop.body), [&](const std::string& name) {
      const Variable* variable = find(name);
      return variable && name != loop.first_name && variable->value;
    });
  }

  // Whether what it changes may matter when it is over.
  bool matters_behind(const Loop& loop) {
    if (calls_ > 0 || loops_ > 1) return true;
    const std::set<std::string> behind = words_in({loop.body.end, kernel_.body.end});
    return std::ranges::any_of(assigned_in(loop.body),
                               [&](const std::string& name) { return behind.contains(name); });
  }

  // The words in there, and in the lambdas that it calls.
  std::set<std::string> words_in(TextRange range) const {
    std::set<std::string> words;
    for (const TextRange& part : with_lambdas(range)) {
      for (std::size_t at = part.begin; at < part.end; ++at) {
        const std::string_view word = word_at(code_, at, part.end);
        if (word.empty()) continue;
        words.emplace(word);
        at += word.size();
      }
    }
    return words;
  }

  // After its turn.
  bool is_left() {
    const bool left = leaves_ == Leaves::loop;
    leaves_ = Leaves::nothing;
    return left;
  }

  void other_loop(std::size_t at, const Loop& loop) {
    const bool goes_on = carries(loop) && matters_behind(loop);
    bool ended = false;
    for (int turn = 0; !ended && (goes_on || turn < options_.turns); ++turn) {
      const auto holds = evaluated(loop.condition);
      ended = holds && holds->value == 0;
      if (ended || (!holds && turn > 0) || statements_ > most_statements) break;
      if (turn < options_.turns) {
        turn_once(at, loop, "");
      } else {
        further_turn(at, loop);
      }
      if (returned_) return;
      ended = is_left();
      if (std::exchange(leaves_perhaps_, false)) break;
      if (!ended) advance(loop);
    }
    if (ended) return;
    forget(assigned_in(loop.body));
    for (const std::string& one : loop.advances) forget({assigned_name(one)});
  }

  // One beyond those that are told of: it is told if it comes to a line with an element that none
  // before it came to.
  void further_turn(std::size_t at, const Loop& loop) {
    const Mark before = mark();
    const std::int64_t lines = new_lines_;
    turn_once(at, loop, "");
    if (!quiet_ && new_lines_ == lines) take_back(before);
  }

  void quiet_turn(std::size_t at, const Loop& loop) {
    const bool was_quiet = std::exchange(quiet_, true);
    turn_once(at, loop, "");
    quiet_ = was_quiet;
  }

  void turn_once(std::size_t at, const Loop& loop, const std::string& filled) {
    const Variable* variable = find(loop.first_name);
    const std::size_t lines_before = result_.lines.size();
    if (variable && variable->value) {
      keep(at, {Worked::Kind::loop, loop.first_name, filled, {variable->value->value}});
    }
    in_scope(loop.body);
    const bool has_more =
        result_.lines.size() > lines_before + 1 ||
        (result_.lines.size() > lines_before && result_.lines.back().worked.size() > 1);
    if (!has_more) result_.lines.resize(lines_before);
  }

  // The turn that computes, or loads, what the step asked for takes.
  std::int64_t turn_of_step(std::int64_t first, std::int64_t change) const {
    const std::int64_t depth = options_.step_depth;
    if (change < depth || change % depth != 0) return options_.step;
    const auto way = difference_of(options_.step * depth, first);
    return way ? std::max<std::int64_t>(0, *way) / change : options_.step;
  }

  // Whether something in there may leave the loop before its condition does.
  bool is_left_early(TextRange range) const {
    for (std::size_t at = range.begin; at < range.end; ++at) {
      const std::string_view word = word_at(code_, at, range.end);
      if (word == "break" || word == "return" || word == "goto") return true;
      at += word.size();
    }
    return false;
  }

  // 0 where that is not known.
  std::int64_t turns_of(const Loop& loop, const std::set<std::string>& assigned) {
    const std::vector<Scope> before = scopes_;
    std::int64_t turns = 0;
    while (turns < most_turns && condition_holds(loop, false)) {
      if (++turns == 1) forget(assigned);
      advance(loop);
    }
    const auto last = evaluated(loop.condition);
    scopes_ = before;
    return last && last->value == 0 ? turns : 0;
  }

  // Of the loop's variable, in each turn. 0 where that, or its opposite, has more than 64 bits.
  std::int64_t change_of(const Loop& loop) {
    const Variable* variable = find(loop.first_name);
    if (!variable || !variable->value) return 0;
    const std::vector<Scope> before = scopes_;
    const std::int64_t first = variable->value->value;
    advance(loop);
    variable = find(loop.first_name);
    const auto change = variable->value ? difference_of(variable->value->value, first) : 0;
    scopes_ = before;
    return change && sum_of(*change, -1) ? *change : 0;
  }

  // Where the first known pointer into A that a loop's body moves points to: A is the one of the
  // matrices whose step is known there.
  std::optional<std::int64_t> step_of_pointers(const Loop& loop) {
    if (!options_.step_of_place) return {};
    for (const std::string& name : assigned_in(loop.body)) {
      const Variable* variable = find(name);
      if (!variable || !variable->is_pointer() || !variable->value) continue;
      if (const auto step = options_.step_of_place(variable->matrix, variable->value->value)) {
        return step;
      }
    }
    return {};
  }

  // A loop along K whose body changes what its next turn begins with, such as pointers that move
  // on: each turn is followed, and told is the one that takes the step asked for. What the turn
  // before it loads of that step is told, too.
  void followed_along_k(std::size_t at, const Loop& loop, std::int64_t wanted) {
    std::int64_t turn = 0;
    bool ended = false;
    for (; turn < most_turns && statements_ <= most_statements; ++turn) {
      const auto holds = evaluated(loop.condition);
      ended = holds && holds->value == 0;
      if (ended || (!holds && turn > wanted)) break;
      if (turn == wanted) {
        in_own_turn_ = true;
        turn_once(at, loop, "");
        in_own_turn_ = false;
      } else if (turn + 1 == wanted) {
        further_turn(at, loop);
      } else {
        quiet_turn(at, loop);
      }
      if (returned_) return;
      if (is_left() || std::exchange(leaves_perhaps_, false)) break;
      advance(loop);
    }
    if (ended) {
      result_.turns = turn;
      return;
    }
    forget(assigned_in(loop.body));
    for (const std::string& one : loop.advances) forget({assigned_name(one)});
  }

  void loop_along_k(std::size_t at, const Loop& loop) {
    const bool was_inside = std::exchange(inside_k_, true);
    along_k(at, loop);
    inside_k_ = was_inside;
  }

  void along_k(std::size_t at, const Loop& loop) {
    if (carries(loop)) {
      const std::int64_t change = change_of(loop);
      const auto first_step = step_of_pointers(loop);
      result_.change = first_step ? std::abs(change) : change;
      pointers_went_ |= first_step.has_value();
      const Variable* variable = find(loop.first_name);
      const std::int64_t first = variable && variable->value ? variable->value->value : 0;
      const std::int64_t wanted = first_step ? options_.step - *first_step
                                  : change < 0
                                      ? turns_of(loop, assigned_in(loop.body)) - 1 - options_.step
                                      : turn_of_step(first, change);
      return followed_along_k(at, loop, wanted);
    }
    const std::set<std::string>& assigned = assigned_in(loop.body);
    const Variable* variable = find(loop.first_name);
    const std::int64_t first = variable && variable->value ? variable->value->value : 0;
    bool holds = condition_holds(loop, true);
    const std::int64_t change = change_of(loop);
    result_.change = change;

    // Step 0 has column 0 of A, to which a loop that goes downward comes last.
    const std::int64_t wanted =
        change < 0 ? turns_of(loop, assigned) - 1 - options_.step : turn_of_step(first, change);
    std::vector<Scope> at_turn = scopes_;
    std::int64_t turn = 0, turns = 0;
    const bool is_known = evaluated(loop.condition).has_value();
    for (; holds && turns < most_turns; ++turns) {
      if (turns == 1) forget(assigned);
      if (turns <= wanted) at_turn = scopes_, turn = turns;
      if (!is_known && turns >= wanted) break;
      advance(loop);
      holds = condition_holds(loop, false);
    }
    const std::vector<Scope> behind = scopes_;
    const bool ended = is_known && !holds && !is_left_early(loop.body);
    if (ended) result_.turns = turns;
    if (turns > 0 && turn <= wanted) {
      scopes_ = at_turn;
      const bool is_product = first == 0 && change > 1 && turn > 0;
      turn_once(at, loop, is_product ? fmt::format("{}·{}", turn, change) : "");
    }
    if (!returned_) scopes_ = behind;
    if (turns > 0) forget(assigned);
    if (!ended) {
      for (const std::string& one : loop.advances) forget({assigned_name(one)});
    }
    leaves_ = Leaves::nothing;
    leaves_perhaps_ = false;
  }

  // --- Declarations, assignments and calls

  void simple(TextRange range) {
    const std::string_view text = code_.substr(range.begin, range.end - range.begin);
    if (trimmed(text).empty()) return;
    if (declaration(range)) return;
    if (call_of_lambda(text)) return;
    if (!quiet_ && !moves_pointer(text)) elements_and_calls(range);
    if (!assign_and_keep(range)) forget(assigned_in(range));
  }

  // "from = &A[8]", which accesses nothing.
  bool moves_pointer(std::string_view text) const {
    const std::string name = assigned_name(text);
    const Variable* variable = find(name);
    return variable && variable->is_pointer() &&
           !trimmed(text.substr(text.find(name) + name.size())).starts_with('[');
  }

  // The place behind the words of "const unsigned int", and the type, if there is a known one.
  struct Type {
    std::size_t end = 0;
    std::optional<IntegerType> type;
    bool is_auto = false, is_const = false, is_any = false;
  };

  Type type_at(TextRange range) const {
    Type result{range.begin, {}};
    std::string name;
    for (std::size_t at = skip_blanks(range.begin, range.end); at < range.end;) {
      std::string_view word = word_at(code_, at, range.end);
      std::size_t end = at + word.size();
      if (word == "std" && code_.substr(end).starts_with("::")) {
        word = word_at(code_, end + 2, range.end);
        end += 2 + word.size();
      }
      const std::size_t next = skip_blanks(end, range.end);
      if (word == "const" || word == "constexpr" || word == "static" || word == "volatile" ||
          word == "register") {
        result.is_const |= word.starts_with("const");
      } else if (word == "alignas" || word == "__align__") {
        at = skip_blanks(closing(next, range.end), range.end);
        continue;
      } else if (word == "auto") {
        result.is_auto = result.is_any = true;
      } else {
        const std::string longer = name + (name.empty() ? "" : " ") + std::string(word);
        const bool names_type = integer_type(longer).has_value();
        if (word.empty() || (!names_type && (result.is_any || result.is_auto))) break;
        // "float sum", "float4 a_next": a word and then another one.
        if (!names_type && (next >= range.end || word_at(code_, next, range.end).empty())) break;
        name = longer;
        result.is_any = true;
      }
      at = next;
      result.end = at;
    }
    if (!name.empty()) result.type = integer_type(name);
    return result;
  }

  bool declaration(TextRange range) {
    if (word_at(code_, range.begin, range.end) == "__shared__" ||
        word_at(code_, range.begin, range.end) == "extern") {
      return true;
    }
    if (declaration_of_struct(range)) return true;
    const Type type = type_at(range);
    if (!type.is_any) return declaration_of_pointers(range);
    if (type.end >= range.end) return false;
    std::size_t begin = type.end;
    for (std::size_t at = begin; at <= range.end; ++at) {
      if (at < range.end && std::string_view("([{").find(code_[at]) != nowhere) {
        at = std::min(closing_bracket(code_, at, range.end), range.end - 1);
      } else if (at == range.end || code_[at] == ',') {
        declarator({begin, at}, type);
        begin = at + 1;
      }
    }
    return true;
  }

  // const Tile tile = tile_with<BM, BN>(number, M, N);
  bool declaration_of_struct(TextRange range) {
    std::size_t at = skip_blanks(range.begin, range.end);
    if (word_at(code_, at, range.end) == "const") at = skip_blanks(at + 5, range.end);
    const auto structure = kernel_.structs.find(word_at(code_, at, range.end));
    if (structure == kernel_.structs.end()) return false;
    const std::size_t begin = skip_blanks(at + structure->first.size(), range.end);
    const std::string name(word_at(code_, begin, range.end));
    if (name.empty()) return false;
    const std::string_view behind =
        trimmed(code_.substr(begin + name.size(), range.end - begin - name.size()));
    const auto values =
        behind.starts_with('=') ? struct_of(trimmed(behind.substr(1))) : std::optional<Returned>();
    const bool along_k = goes_along_k(behind);
    declare(name, {}, along_k);
    for (std::size_t i = 0; i < structure->second.size(); ++i) {
      const std::string member = name + "." + structure->second[i];
      const auto value = values && i < values->size() ? (*values)[i] : std::nullopt;
      declare(member, value, along_k);
      if (value) keep(begin, {Worked::Kind::variable, member, "", {value->value}});
    }
    return true;
  }

  // Of "{1, 2}", or of a call of one of the file's functions.
  std::optional<Returned> struct_of(std::string_view text) {
    if (text.starts_with('{')) return value_returned(text);
    const std::string_view name = word_at(text, 0, text.size());
    std::string_view rest = text.substr(name.size());
    const std::size_t open = std::min(rest.find('('), rest.size());
    std::string_view template_arguments = trimmed(rest.substr(0, open));
    if (template_arguments.starts_with('<') && template_arguments.ends_with('>')) {
      template_arguments = template_arguments.substr(1, template_arguments.size() - 2);
    }
    rest = rest.substr(open);
    if (rest.empty() || closing_bracket(rest, 0, rest.size()) + 1 != rest.size()) return {};
    std::vector<std::optional<Integer>> arguments;
    for (const std::string& one : split_outside_brackets(rest.substr(1, rest.size() - 2))) {
      arguments.push_back(evaluated(one));
    }
    return result_of(name, template_arguments, arguments);
  }

  // const float *from = A + row * K, *other;
  bool declaration_of_pointers(TextRange range) {
    static const std::set<std::string_view> qualifiers = {"const", "volatile", "__restrict__",
                                                          "__restrict"};
    std::size_t at = skip_blanks(range.begin, range.end);
    for (int words = 0; words < 4; ++words) {
      const std::string_view word = word_at(code_, at, range.end);
      if (word.empty() || word == "return") break;
      at = skip_blanks(at + word.size(), range.end);
    }
    const bool is_declared =
        at > range.begin && at + 1 < range.end && code_[at] == '*' && code_[at + 1] != '=';
    if (!is_declared) return false;
    const std::string_view all = code_.substr(at, range.end - at);
    std::size_t begin = at;
    for (const std::string& one : split_outside_brackets(all)) {
      std::size_t name_at = std::min(code_.find(one, begin), range.end);
      begin = name_at + one.size();
      name_at =
          skip_blanks(std::min(name_at + (one.starts_with('*') ? 1 : 0), range.end), range.end);
      std::string_view name = word_at(code_, name_at, range.end);
      while (qualifiers.contains(name)) {
        name_at = skip_blanks(name_at + name.size(), range.end);
        name = word_at(code_, name_at, range.end);
      }
      if (name.empty()) continue;
      const std::size_t next = skip_blanks(name_at + name.size(), begin);
      const bool has_value = next < begin && code_[next] == '=';
      declare_pointer(std::string(name), name_at,
                      has_value ? TextRange{next + 1, begin} : TextRange{begin, begin});
    }
    return true;
  }

  void declare_pointer(const std::string& name, std::size_t at, TextRange value) {
    const std::string text(code_.substr(value.begin, value.end - value.begin));
    std::vector<std::string> increments;
    const auto place = pointed(without_increments(text, increments));
    if (!place && !quiet_) elements_and_calls(value);
    if (place) {
      for (const std::string& one : increments) assign("++" + one);
    } else {
      forget(assigned_in(value));
    }
    declare(name, {}, goes_along_k(text));
    Variable& variable = scopes_.back()[name];
    variable.type = place_type;
    if (place) point(at, name, variable, *place);
  }

  // "pieces" for "pieces++", which is then named among the increments.
  static std::string without_increments(std::string text, std::vector<std::string>& increments) {
    if (text.size() > longest_statement) return text;
    for (std::size_t at = text.find("++"); at != nowhere; at = text.find("++", at)) {
      const std::string name = last_word(text.substr(0, at));
      if (name.empty() || !is_word_character(text[at - 1])) return text;
      increments.push_back(name);
      text.erase(at, 2);
    }
    return text;
  }

  void point(std::size_t at, const std::string& name, Variable& variable, const Pointed& place) {
    variable.matrix = place.matrix;
    variable.value = place.place;
    keep(at, {.kind = Worked::Kind::pointer,
              .name = name,
              .filled = place.filled,
              .values = {place.place.value},
              .matrix = place.matrix});
  }

  void declarator(TextRange range, const Type& type) {
    const std::size_t begin = skip_blanks(range.begin, range.end);
    const std::string name(word_at(code_, begin, range.end));
    const std::size_t next = skip_blanks(begin + name.size(), range.end);
    if (name.empty() || (next < range.end && std::string_view("[").find(code_[next]) != nowhere)) {
      const std::string other = name.empty() ? pointer_name(range) : name;
      if (!other.empty()) declare(other, {}, false);
      if (!quiet_) elements_and_calls(range);
      return;
    }
    std::string_view value;
    if (next < range.end && code_[next] == '=') {
      value = trimmed(code_.substr(next + 1, range.end - next - 1));
    } else if (next < range.end && (code_[next] == '{' || code_[next] == '(')) {
      value = trimmed(code_.substr(next + 1, closing(next, range.end) - next - 2));
    }
    if (value.starts_with('[')) return add_lambda(name, range);
    const auto expression = type.type || type.is_auto ? parsed(value) : std::nullopt;
    auto number = value_of(expression);
    if (number && type.type) number = number->as(*type.type);
    if (number) {
      const std::string filled = expression->is_plain() ? "" : expression->filled(by_name());
      keep(begin, {Worked::Kind::variable, name, filled, {number->value}});
    }
    const bool along_k = goes_along_k(value);
    if (!number && !quiet_) elements_and_calls(range);
    forget(assigned_in({std::min(next + 1, range.end), range.end}));
    declare(name, number, along_k);
    Variable& variable = scopes_.back()[name];
    variable.type = type.type ? type.type : number ? std::optional(number->type) : std::nullopt;
    variable.is_untold = value.empty();
    const auto place = type.is_auto && !number ? pointed(value) : std::nullopt;
    if (place) point(begin, name, variable, *place);
  }

  // Of "* from = …".
  std::string pointer_name(TextRange range) const {
    const std::string_view text = code_.substr(range.begin, range.end - range.begin);
    return last_word(text.substr(0, text.find('=')));
  }

  void add_lambda(const std::string& name, TextRange range) {
    const std::size_t capture = code_.find('[', range.begin);
    std::size_t at = skip_blanks(closing(capture, range.end), range.end);
    Callable lambda;
    if (at < range.end && code_[at] == '(') {
      const std::size_t close = closing(at, range.end);
      lambda.parameters = split_outside_brackets(code_.substr(at + 1, close - at - 2));
      at = close;
    }
    const std::size_t open = std::min(code_.find('{', at), range.end);
    lambda.scopes = scopes_.size();
    lambda.body = {std::min(open + 1, range.end), std::max(open, closing(open, range.end) - 1)};
    lambdas_[name] = std::move(lambda);
    declare(name, {}, false);
  }

  // One that is a statement, and told of.
  bool call_of_lambda(std::string_view text) {
    text = trimmed(text);
    const std::string_view name = word_at(text, 0, text.size());
    const auto found = lambdas_.find(name);
    const std::size_t open = std::min(text.find('('), text.size());
    if (found == lambdas_.end() || trimmed(text.substr(0, open)) != name ||
        calls_ >= deepest_calls || statements_ > most_statements)
      return false;
    const auto arguments =
        split_outside_brackets(text.substr(open + 1, text.rfind(')') - open - 1));
    const Callable lambda = found->second;
    Scope scope;
    for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
      if (i >= arguments.size()) {
        add_parameter(scope, lambda.parameters[i], {});
      } else {
        add_argument(scope, lambda.parameters[i], arguments[i]);
      }
    }
    const Mark before = mark();
    const std::int64_t elements = elements_, of_other_steps = of_other_steps_;
    called(lambda, std::move(scope));
    if (elements_ > elements || of_other_steps_ == of_other_steps) return true;
    take_back(before);
    // Of the step's own turn all else is told that the caller does.
    if (in_own_turn_) of_other_steps_ = of_other_steps;
    return true;
  }

  // A number, a pointer or a struct.
  void add_argument(Scope& scope, const std::string& parameter, const std::string& argument) {
    const std::string name = last_word(parameter);
    std::vector<std::string> increments;
    const auto place = pointed_by_condition(without_increments(argument, increments));
    if (place) {
      for (const std::string& one : increments) assign("++" + one);
      scope[name] = {.value = place->place, .matrix = place->matrix, .type = place_type};
    } else {
      add_parameter(scope, parameter, evaluated(argument));
      forget(assigned_names_in(argument));
    }
    scope[name].along_k = goes_along_k(argument);
    for (const auto& [structure, members] : kernel_.structs) {
      if (!has_word(parameter, structure)) continue;
      for (const std::string& member : members) {
        if (const Variable* variable = find(argument + "." + member)) {
          scope[name + "." + member] = *variable;
        }
      }
    }
  }

  static bool has_word(const std::string& text, std::string_view word) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view found = word_at(text, at, text.size());
      if (found == word) return true;
      at += found.size();
    }
    return false;
  }

  // Names that "n++" or "--n" in an argument changes.
  static std::set<std::string> assigned_names_in(const std::string& argument) {
    std::set<std::string> names;
    for (const char* operation : {"++", "--"}) {
      for (std::size_t at = argument.find(operation); at != nowhere;
           at = argument.find(operation, at + 2)) {
        names.insert(last_word(argument.substr(0, at)));
        names.emplace(word_at(argument, std::min(at + 2, argument.size()), argument.size()));
      }
    }
    names.erase("");
    return names;
  }

  static void add_parameter(Scope& scope, const std::string& parameter,
                            std::optional<Integer> value) {
    const auto type = type_of_parameter(parameter);
    if (value && type) value = value->as(*type);
    scope[last_word(parameter)] = {.value = value, .type = type};
  }

  // Follows its body; what it returns, if that is known.
  std::optional<Returned> called(const Callable& callable, Scope scope) {
    // There are fewer where a lambda of an inner block has the name of a function.
    const auto seen = scopes_.begin() +
                      std::min(std::ssize(scopes_), static_cast<std::ptrdiff_t>(callable.scopes));
    std::vector<Scope> callers(std::make_move_iterator(seen),
                               std::make_move_iterator(scopes_.end()));
    scopes_.erase(seen, scopes_.end());
    scopes_.push_back(std::move(scope));
    ++calls_;
    returned_value_ = {};
    const bool returned_perhaps = std::exchange(returns_perhaps_, false);
    statements(callable.body);
    --calls_;
    scopes_.pop_back();
    std::ranges::move(callers, std::back_inserter(scopes_));
    returned_ = false;  // from there alone
    const bool is_known = !std::exchange(returns_perhaps_, returned_perhaps);
    const auto returned = std::exchange(returned_value_, {});
    return is_known ? returned : std::nullopt;
  }

  // Of a lambda, or of one of the file's functions.
  std::optional<Returned> result_of(std::string_view name, std::string_view template_arguments,
                                    const std::vector<std::optional<Integer>>& arguments) {
    if (calls_ >= deepest_calls || statements_ > most_statements) return {};
    Callable callable;
    Scope scope;
    if (const auto lambda = lambdas_.find(name); lambda != lambdas_.end()) {
      callable = lambda->second;
    } else {
      const auto is_it = [&](const KernelText::Function& function) {
        return function.name == name && function.parameters.size() == arguments.size();
      };
      const auto function = std::ranges::find_if(kernel_.functions, is_it);
      if (function == kernel_.functions.end() ||
          std::ranges::count_if(kernel_.functions, is_it) > 1)
        return {};
      callable = {function->parameters, function->body, 1};
      add_template(scope, function->of_template, template_arguments);
    }
    if (callable.parameters.size() != arguments.size()) return {};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      add_parameter(scope, callable.parameters[i], arguments[i]);
    }
    const bool was_quiet = std::exchange(quiet_, true);
    const bool evaluated_before = std::exchange(evaluates_, true);
    auto result = called(callable, std::move(scope));
    evaluates_ = evaluated_before;
    quiet_ = was_quiet;
    return result;
  }

  void add_template(Scope& scope, const std::vector<std::string>& parameters,
                    std::string_view arguments) {
    const auto given = split_outside_brackets(arguments);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::size_t equals = parameters[i].find('=');
      const std::string name = last_word(parameters[i].substr(0, equals));
      if (i < given.size()) {
        scope[name] = {.value = evaluated(given[i])};
      } else if (equals != nowhere) {
        scope[name] = {.value = evaluated(parameters[i].substr(equals + 1))};
      } else {
        scope[name] = {};
      }
    }
  }

  // Of "return 1" and "return {1, 2}".
  Returned value_returned(std::string_view text) {
    text = trimmed(text);
    if (!text.starts_with('{')) return {evaluated(text)};
    const std::size_t close = closing_bracket(text, 0, text.size());
    Returned values;
    for (const std::string& one : split_outside_brackets(text.substr(1, close - 1))) {
      values.push_back(evaluated(one));
    }
    return values;
  }

  // The name that "k0 += BK" or "++k" assigns to; empty for what is no such thing.
  static std::string assigned_name(std::string_view text) {
    text = trimmed(text);
    const bool is_prefix = text.starts_with("++") || text.starts_with("--");
    const std::size_t begin = is_prefix ? 2 : 0;
    return std::string(
        word_at(text, std::min(text.find_first_not_of(' ', begin), text.size()), text.size()));
  }

  // Whether it is an assignment to one name, which then has that value, or none.
  bool assign(std::string_view text) {
    text = trimmed(text);
    const std::string name = assigned_name(text);
    Variable* variable = find(name);
    if (name.empty() || !variable) return false;
    const std::size_t at = text.find(name) + name.size();
    const std::string_view behind = trimmed(text.substr(at));
    const std::string_view before = trimmed(text.substr(0, text.find(name)));
    std::string value;
    if (before == "++" || behind == "++") {
      value = name + " + 1";
    } else if (before == "--" || behind == "--") {
      value = name + " - 1";
    } else if (behind.starts_with('=') && !behind.starts_with("==")) {
      value = behind.substr(1);
    } else if (const std::size_t equals = behind.find('=');
               equals == 1 || (equals == 2 && behind[0] == behind[1])) {
      const std::string_view by = trimmed(behind.substr(equals + 1));
      const bool is_term = behind[0] == '+' && by.find_first_of("?<>=&|^") == nowhere;
      const std::string_view sign = behind.substr(0, equals);
      value = is_term ? fmt::format("{} {} {}", name, sign, by)
                      : fmt::format("{} {} ({})", name, sign, by);
    } else {
      return false;
    }
    if (const auto place = pointed(value); place || variable->is_pointer()) {
      variable = find(name);
      variable->value = place ? std::optional(place->place) : std::nullopt;
      if (place) variable->matrix = place->matrix, assigned_place_ = place;
      return true;
    }
    const auto result = evaluated(value);
    variable = find(name);
    variable->value =
        result && variable->type ? std::optional(result->as(*variable->type)) : std::nullopt;
    return true;
  }

  // Told are pointers, and variables that were declared without a value.
  bool assign_and_keep(TextRange range) {
    const std::string_view text = code_.substr(range.begin, range.end - range.begin);
    assigned_place_ = {};
    if (!assign(text)) return false;
    const std::string name = assigned_name(text);
    Variable& variable = *find(name);
    const std::size_t at = skip_blanks(range.begin, range.end);
    if (assigned_place_) {
      point(at, name, variable, *assigned_place_);
    } else if (variable.is_untold && variable.value) {
      const std::size_t equals = text.find('=');
      const auto expression = equals == nowhere ? std::nullopt : parsed(text.substr(equals + 1));
      const bool is_plain = !expression || expression->is_plain();
      keep(at, {Worked::Kind::variable,
                name,
                is_plain ? "" : expression->filled(by_name()),
                {variable.value->value}});
    }
    return true;
  }

  // --- Elements of matrices and shared arrays, and calls that are given a matrix

  bool is_shadowed(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope + 1 != scopes_.rend(); ++scope) {
      if (scope->contains(name)) return true;
    }
    return false;
  }

  // As the kernel was given it.
  bool is_matrix(std::string_view name) const {
    const Variable* variable = find(name);
    return variable && variable->matrix == name && variable->value && variable->value->value == 0;
  }

  void elements_and_calls(TextRange range) {
    if (range.end - range.begin > longest_statement) return;
    const std::string text =
        expanded(code_.substr(range.begin, range.end - range.begin), kernel_.macros);
    const bool is_as_written = text.size() == range.end - range.begin;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view word = word_at(text, at, text.size());
      if (word.empty()) continue;
      const std::size_t place = range.begin + (is_as_written ? at : 0);
      at += word.size();
      const bool is_array = std::ranges::count(options_.arrays, word) && !is_shadowed(word);
      const Variable* variable = find(word);
      if (is_array || (variable && variable->is_pointer())) {
        element(place, word, std::string_view(text).substr(at));
      } else {
        call(place, word, std::string_view(text).substr(at));
      }
      const char before = last_before(text, at - word.size());
      if (!is_array && (before == '(' || before == ',')) {
        argument(place, std::string_view(text).substr(at - word.size()));
      }
    }
  }

  // That is no blank; 0 for none.
  static char last_before(std::string_view text, std::size_t at) {
    while (at > 0 && std::string_view(" \t\r\n").find(text[at - 1]) != nowhere) --at;
    return at > 0 ? text[at - 1] : '\0';
  }

  // What a function may access that is given "from + row * K".
  void argument(std::size_t at, std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != ',' && text[end] != ')') {
      if (text[end] == '(' || text[end] == '[') end = closing_bracket(text, end, text.size());
      end = std::min(end + 1, text.size());
    }
    const auto place = pointed_by_condition(trimmed(text.substr(0, end)));
    if (!place || (place->is_base && is_matrix(place->base))) return;
    keep_element(at, {Worked::Kind::element, place->base, place->filled, {place->place.value}},
                 *find(place->base));
  }

  void element(std::size_t at, std::string_view name, std::string_view behind) {
    Worked worked{Worked::Kind::element, std::string(name), std::string(name), {}};
    behind = trimmed(behind);
    while (behind.starts_with('[')) {
      const std::size_t close = closing_bracket(behind, 0, behind.size());
      const auto expression = parsed(behind.substr(1, close - 1));
      const auto value = value_of(expression);
      if (!value) return;
      worked.filled += "[" + expression->filled(by_name()) + "]";
      worked.values.push_back(value->value);
      behind = trimmed(behind.substr(std::min(close + 1, behind.size())));
    }
    if (worked.values.empty()) return;
    const Variable* pointer = find(name);
    if (!pointer || !pointer->is_pointer()) return keep(at, std::move(worked));
    if (!pointer->value || worked.values.size() != 1) return;
    const auto place = sum_of(pointer->value->value, worked.values[0]);
    if (!place) return;
    worked.values[0] = *place;
    keep_element(at, std::move(worked), *pointer);
  }

  // "256 + 72/8 = 265"; "512".
  std::string with_value(const IndexExpression& expression, const Integer& value) const {
    const std::string filled = expression.filled(by_name()), text = value.text();
    return filled == text ? text : filled + " = " + text;
  }

  void call(std::size_t at, std::string_view name, std::string_view behind) {
    behind = trimmed(behind);
    if (behind.starts_with('<')) {
      behind = trimmed(behind.substr(std::min(behind.find('>'), behind.size() - 1) + 1));
    }
    if (!behind.starts_with('(')) return;
    const std::size_t close = closing_bracket(behind, 0, behind.size());
    const auto arguments = split_outside_brackets(behind.substr(1, close - 1));
    Worked worked{Worked::Kind::call, std::string(name), "", {}};
    bool has_matrix = false;
    std::vector<std::string> filled;
    for (const std::string& argument : arguments) {
      const bool matrix = is_matrix(argument);
      has_matrix |= matrix;
      const auto expression = matrix ? std::nullopt : parsed(argument);
      const auto value = value_of(expression);
      filled.push_back(value ? with_value(*expression, *value) : argument);
      worked.results.push_back(value ? value->text() : argument);
      if (value) worked.values.push_back(value->value);
    }
    if (!has_matrix || worked.values.empty()) return;
    worked.filled = fmt::format("{}({})", name, join(filled));
    keep(at, std::move(worked));
  }

  const KernelText& kernel_;
  std::string_view code_;
  const IndexWalkOptions& options_;
  std::vector<Scope> scopes_;  // the first is the file's and the parameters'
  std::map<std::string, Callable, std::less<>> lambdas_;
  IndexWalk result_;
  enum class Leaves { nothing, turn, loop };
  bool returned_ = false, quiet_ = false;
  bool in_own_turn_ = false;  // of a loop along K, which takes the step asked for
  bool evaluates_ = false;    // a call in an expression
  bool inside_k_ = false, pointers_went_ = false;          // a loop along K; in one before
  Leaves leaves_ = Leaves::nothing;                        // by a break, or continue
  bool leaves_perhaps_ = false, returns_perhaps_ = false;  // which nobody knows
  std::optional<Pointed> assigned_place_;                  // of the pointer that was assigned last
  std::optional<Returned> returned_value_;                 // by a function that is called
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::string>> assigned_;  // in a range
  std::map<std::string, std::optional<IndexExpression>, std::less<>> parsed_;      // by its text
  std::set<int> element_lines_;  // in which an element is told that a pointer points to
  std::int64_t elements_ = 0, new_lines_ = 0, of_other_steps_ = 0;  // told, and not
  std::int64_t statements_ = 0;
  int depth_ = 0, calls_ = 0, loops_ = 0;
  std::size_t counted_ = 0;
  int lines_ = 1;  // up to `counted_`
};

}  // namespace

IndexWalk walk_indices(const KernelText& kernel, const IndexWalkOptions& options) {
  return Walker(kernel, options).walk();
}

}  // namespace gemm_tutor
