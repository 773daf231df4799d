#include "trace/index_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;
constexpr std::size_t most_lines = 4000;      // that are worked out, of loops in loops
constexpr std::int64_t most_turns = 1 << 20;  // that a loop along K is followed
constexpr int deepest_nesting = 60;

// What a name in the kernel's body stands for.
struct Variable {
  std::optional<Integer> value;
  bool along_k = false;  // it depends on K
};

struct Lambda {
  std::vector<std::string> parameters;
  TextRange body;
  std::size_t scopes = 0;  // that it sees
};

class Walker {
 public:
  Walker(const KernelText& kernel, const IndexWalkOptions& options)
      : kernel_(kernel), code_(kernel.code), options_(options), scopes_(1) {
    for (const auto& [name, value] : options.names) {
      scopes_[0][name] = {value, name == options.depth_name};
    }
    // In turn, as each may be made of those before it; twice, as a macro may also be of later ones.
    for (int round = 0; round < 2; ++round) {
      for (const auto& [name, text] : kernel.definitions) {
        if (const auto value = evaluated(text)) scopes_[0][name] = {value};
      }
    }
    for (const std::string& name : kernel.parameters) {
      const std::string word = last_word(name);
      if (!options.names.contains(word)) scopes_[0][word] = {};
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
      return variable ? variable->value : std::nullopt;
    };
  }

  std::optional<IndexExpression> parsed(std::string_view text) const {
    return IndexExpression::parse(expanded(text, kernel_.macros));
  }

  std::optional<Integer> evaluated(std::string_view text) const {
    const auto expression = parsed(text);
    return expression ? expression->value(by_name()) : std::nullopt;
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
    scopes_.back()[name] = {value, along_k};
  }

  void forget(const std::set<std::string>& names) {
    for (const std::string& name : names) {
      if (Variable* variable = find(name)) variable->value.reset();
    }
  }

  // Names that something is assigned to in there, also by the lambdas it calls.
  std::set<std::string> assigned_in(TextRange range, int depth = 0) const {
    std::set<std::string> names;
    for (std::size_t at = range.begin; at < range.end; ++at) {
      const std::string_view word = word_at(code_, at, range.end);
      if (word.empty()) continue;
      if (is_assigned(at, at + word.size(), range)) names.emplace(word);
      const auto lambda = lambdas_.find(word);
      if (lambda != lambdas_.end() && depth < deepest_nesting) {
        names.merge(assigned_in(lambda->second.body, depth + 1));
      }
      at += word.size();
    }
    return names;
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
    if (!std::ranges::count(all, worked)) all.push_back(std::move(worked));
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
    }
    --depth_;
  }

  std::size_t closing(std::size_t open, std::size_t end) const {
    return std::min(closing_bracket(code_, open, end) + 1, end);
  }

  // Where the statement at `at` ends.
  std::size_t statement_end(std::size_t at, std::size_t end) const {
    at = skip_blanks(at, end);
    if (at >= end) return end;
    if (code_[at] == '{') return closing(at, end);
    const std::string_view word = word_at(code_, at, end);
    if (word == "for" || word == "while" || word == "if" || word == "switch") {
      at = statement_end(closing(std::min(code_.find('(', at), end), end), end);
      const std::size_t next = skip_blanks(at, end);
      if (word == "if" && word_at(code_, next, end) == "else") {
        return statement_end(next + 4, end);
      }
      return at;
    }
    if (word == "else") return statement_end(at + 4, end);
    if (word == "do") at = statement_end(at + 2, end);
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
    const std::set<std::string> assigned = assigned_in(range);
    forget(assigned);
    const std::size_t open = std::min(code_.find('{', range.begin), range.end);
    const bool was_returned = returned_;
    if (open < range.end) in_scope({open + 1, closing(open, range.end) - 1});
    returned_ = was_returned;
    forget(assigned);
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
    const auto value = expression ? expression->value(by_name()) : std::nullopt;
    if (value) {
      keep(at, {Worked::Kind::condition, "", expression->filled(by_name()), {value->value != 0}});
      in_scope(value->value != 0 ? then : other);
      return;
    }
    const bool was_returned = returned_;
    for (const TextRange branch : {then, other}) {
      in_scope(branch);
      returned_ = was_returned;
    }
    forget(assigned_in({at, end}));
  }

  // --- Loops

  struct Loop {
    std::string condition, first_name;
    std::vector<std::string> advances;
    TextRange body;
  };

  bool condition_holds(const Loop& loop, bool if_unknown) const {
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
    if (header.size() < 2) return unknown_turns({close, end});
    scopes_.emplace_back();
    const bool was_quiet = std::exchange(quiet_, true);
    const std::size_t begin = skip_blanks(open + 1, close);
    simple({begin, std::min(code_.find(';', begin), close)});
    quiet_ = was_quiet;

    Loop loop{header[1], "", {}, {close, end}};
    if (header.size() > 2) loop.advances = split_outside_brackets(header[2]);
    if (!loop.advances.empty()) loop.first_name = assigned_name(loop.advances.front());
    const bool is_along_k = !inside_k_ && goes_along_k(loop.condition);
    is_along_k ? loop_along_k(at, loop) : other_loop(at, loop);
    scopes_.pop_back();
  }

  void other_loop(std::size_t at, const Loop& loop) {
    const std::set<std::string> assigned = assigned_in(loop.body);
    for (int turn = 0; turn < options_.turns && condition_holds(loop, turn == 0); ++turn) {
      if (turn > 0) forget(assigned);
      turn_once(at, loop, "");
      if (returned_) return;
      advance(loop);
    }
    forget(assigned);
    for (const std::string& one : loop.advances) forget({assigned_name(one)});
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
    return std::max<std::int64_t>(0, options_.step * depth - first) / change;
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

  void loop_along_k(std::size_t at, const Loop& loop) {
    inside_k_ = true;
    const std::set<std::string> assigned = assigned_in(loop.body);
    const std::vector<Scope> before = scopes_;
    const Variable* variable = find(loop.first_name);
    const std::int64_t first = variable && variable->value ? variable->value->value : 0;
    bool holds = condition_holds(loop, true);
    advance(loop);
    variable = find(loop.first_name);
    const std::int64_t change = variable && variable->value ? variable->value->value - first : 0;
    result_.change = change;
    scopes_ = before;

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
    inside_k_ = false;
  }

  // --- Declarations, assignments and calls

  void simple(TextRange range) {
    const std::string_view text = code_.substr(range.begin, range.end - range.begin);
    if (trimmed(text).empty()) return;
    if (declaration(range)) return;
    if (call_of_lambda(text)) return;
    elements_and_calls(range);
    if (!assign(text)) forget(assigned_in(range));
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
    const Type type = type_at(range);
    if (!type.is_any || type.end >= range.end) return false;
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

  void declarator(TextRange range, const Type& type) {
    const std::size_t begin = skip_blanks(range.begin, range.end);
    const std::string name(word_at(code_, begin, range.end));
    const std::size_t next = skip_blanks(begin + name.size(), range.end);
    if (name.empty() || (next < range.end && std::string_view("[").find(code_[next]) != nowhere)) {
      const std::string other = name.empty() ? pointer_name(range) : name;
      if (!other.empty()) declare(other, {}, false);
      elements_and_calls(range);
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
    auto number = expression ? expression->value(by_name()) : std::nullopt;
    if (number && type.type) number = number->as(*type.type);
    if (number) {
      const std::string filled = expression->is_plain() ? "" : expression->filled(by_name());
      keep(begin, {Worked::Kind::variable, name, filled, {number->value}});
    }
    const bool along_k = goes_along_k(value);
    if (!number) elements_and_calls(range);
    forget(assigned_in({std::min(next + 1, range.end), range.end}));
    declare(name, number, along_k);
  }

  // Of "* from = …".
  std::string pointer_name(TextRange range) const {
    const std::string_view text = code_.substr(range.begin, range.end - range.begin);
    return last_word(text.substr(0, text.find('=')));
  }

  void add_lambda(const std::string& name, TextRange range) {
    const std::size_t capture = code_.find('[', range.begin);
    std::size_t at = skip_blanks(closing(capture, range.end), range.end);
    Lambda lambda;
    if (at < range.end && code_[at] == '(') {
      const std::size_t close = closing(at, range.end);
      for (const std::string& parameter :
           split_outside_brackets(code_.substr(at + 1, close - at - 2))) {
        lambda.parameters.push_back(last_word(parameter));
      }
      at = close;
    }
    const std::size_t open = std::min(code_.find('{', at), range.end);
    lambda.scopes = scopes_.size();
    lambda.body = {std::min(open + 1, range.end), std::max(open, closing(open, range.end) - 1)};
    lambdas_[name] = std::move(lambda);
    declare(name, {}, false);
  }

  bool call_of_lambda(std::string_view text) {
    text = trimmed(text);
    const std::string_view name = word_at(text, 0, text.size());
    const auto found = lambdas_.find(name);
    const std::size_t open = std::min(text.find('('), text.size());
    if (found == lambdas_.end() || trimmed(text.substr(0, open)) != name || calls_ >= 8)
      return false;
    const auto arguments =
        split_outside_brackets(text.substr(open + 1, text.rfind(')') - open - 1));
    const Lambda lambda = found->second;
    Scope scope;
    for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
      const bool is_given = i < arguments.size();
      scope[lambda.parameters[i]] = {is_given ? evaluated(arguments[i]) : std::nullopt,
                                     is_given && goes_along_k(arguments[i])};
    }
    const auto seen = scopes_.begin() + static_cast<std::ptrdiff_t>(lambda.scopes);
    const std::vector<Scope> callers(seen, scopes_.end());
    scopes_.erase(seen, scopes_.end());
    ++calls_;
    scopes_.push_back(std::move(scope));
    statements(lambda.body);
    scopes_.pop_back();
    --calls_;
    scopes_.insert(scopes_.end(), callers.begin(), callers.end());
    returned_ = false;  // from the lambda alone
    return true;
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
      value = fmt::format("{} {} ({})", name, behind.substr(0, equals), behind.substr(equals + 1));
    } else {
      return false;
    }
    const auto before_it = variable->value;
    const auto result = evaluated(value);
    variable = find(name);
    variable->value =
        result && before_it ? std::optional(result->as(before_it->type)) : std::nullopt;
    return true;
  }

  // --- Elements of matrices and shared arrays, and calls that are given a matrix

  bool is_shadowed(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope + 1 != scopes_.rend(); ++scope) {
      if (scope->contains(name)) return true;
    }
    return false;
  }

  bool is_matrix(std::string_view name) const {
    return std::ranges::count(options_.matrices, name) && !is_shadowed(name) &&
           !moved_.contains(std::string(name));
  }

  void elements_and_calls(TextRange range) {
    const std::string text =
        expanded(code_.substr(range.begin, range.end - range.begin), kernel_.macros);
    for (const std::string& matrix : options_.matrices) {
      const auto assigned = assigned_in(range);
      if (assigned.contains(matrix)) moved_.insert(matrix);
    }
    const bool is_as_written = text.size() == range.end - range.begin;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view word = word_at(text, at, text.size());
      if (word.empty()) continue;
      const std::size_t place = range.begin + (is_as_written ? at : 0);
      at += word.size();
      const bool is_array = std::ranges::count(options_.arrays, word) && !is_shadowed(word);
      if (is_array || is_matrix(word)) {
        element(place, word, std::string_view(text).substr(at));
      } else {
        call(place, word, std::string_view(text).substr(at));
      }
    }
  }

  void element(std::size_t at, std::string_view name, std::string_view behind) {
    Worked worked{Worked::Kind::element, std::string(name), std::string(name), {}};
    behind = trimmed(behind);
    while (behind.starts_with('[')) {
      const std::size_t close = closing_bracket(behind, 0, behind.size());
      const auto expression = parsed(behind.substr(1, close - 1));
      const auto value = expression ? expression->value(by_name()) : std::nullopt;
      if (!value) return;
      worked.filled += "[" + expression->filled(by_name()) + "]";
      worked.values.push_back(value->value);
      behind = trimmed(behind.substr(std::min(close + 1, behind.size())));
    }
    if (!worked.values.empty()) keep(at, std::move(worked));
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
      const auto value = expression ? expression->value(by_name()) : std::nullopt;
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
  std::map<std::string, Lambda, std::less<>> lambdas_;
  std::set<std::string> moved_;  // matrices whose pointer the kernel changes
  IndexWalk result_;
  bool returned_ = false, inside_k_ = false, quiet_ = false;
  int depth_ = 0, calls_ = 0;
  std::size_t counted_ = 0;
  int lines_ = 1;  // up to `counted_`
};

}  // namespace

IndexWalk walk_indices(const KernelText& kernel, const IndexWalkOptions& options) {
  return Walker(kernel, options).walk();
}

}  // namespace gemm_tutor
