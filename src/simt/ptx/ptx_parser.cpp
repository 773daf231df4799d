#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "simt/ptx/ptx.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt::ptx {

// --- Tokens

struct Token {
  enum class Kind { word, number, string, punctuation, end };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 0;  // of the PTX

  bool is(std::string_view what) const { return kind != Kind::string && text == what; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return next_; }
  Token take();

 private:
  void advance();
  void skip_blanks_and_comments();
  std::size_t word_end(std::size_t begin) const;
  std::size_t string_end(std::size_t begin) const;

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token next_;
};

// --- The parser

namespace {

[[noreturn]] void fail(const Token& at, std::string_view what) {
  const std::string found =
      at.kind == Token::Kind::end
          ? "the end"
          : fmt::format("'{}'", at.text.substr(0, std::min<std::size_t>(40, at.text.find('\n'))));
  throw Error(
      ExitStatus::unavailable,
      fmt::format("the emulator cannot read line {} of the PTX: {} at {}", at.line, what, found),
      "This is a fault of the emulator or of the PTX, not of your kernel: please report it.");
}

// The bits of a PTX type such as ".f32"; 0 if a register cannot have it.
int type_bits(std::string_view type) {
  if (type == ".pred") return 1;
  if (type == ".bf16") return 16;
  if (type == ".f16x2" || type == ".bf16x2") return 32;
  for (const int bits : {8, 16, 32, 64}) {
    const std::string digits = std::to_string(bits);
    if (type.size() == 2 + digits.size() && type.ends_with(digits) &&
        std::string_view("bsuf").find(type[1]) != std::string_view::npos) {
      return bits;
    }
  }
  return 0;
}

std::optional<Space> variable_space(std::string_view word) {
  if (word == ".global") return Space::global;
  if (word == ".shared") return Space::shared;
  if (word == ".local") return Space::local;
  if (word == ".const") return Space::constant;
  if (word == ".param") return Space::parameter;
  return std::nullopt;
}

// A string without its quotes. Bytes beyond ASCII are written as \303\251, with three digits.
std::string unquoted(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  if (text.size() >= 2) text = text.substr(1, text.size() - 2);
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view digits = text.substr(at + 1, 3);
    if (text[at] != '\\' || digits.empty()) {
      result += text[at];
    } else if (digits.size() == 3 && std::ranges::all_of(digits, is_octal)) {
      int byte = 0;
      for (const char digit : digits) byte = 8 * byte + (digit - '0');
      result += static_cast<char>(byte);
      at += 3;
    } else {
      result += text[++at];  // \" and \\; no name of a source file has what else there is
    }
  }
  return result;
}

// A .loc directive: a place in a file and, for code of an inlined function, the place of its call,
// which may be in an inlined function itself. The innermost place comes first.
struct Place {
  std::int64_t file = 0, line = 0, column = 0;
  auto operator<=>(const Place&) const = default;
};
using Location = std::vector<Place>;

class Parser {
 public:
  Parser(std::string_view text, std::string_view source_file)
      : lexer_(text), source_file_(source_file) {}

  Module module();

 private:
  using Scope = std::map<std::string, int, std::less<>>;

  Token expect(std::string_view what);
  bool accept(std::string_view what);
  Token word();
  std::int64_t integer();
  void skip_past(std::string_view what);

  void file_directive();
  Variable variable(Space space);
  std::vector<Initial> initial_value();
  Initial initial_element();
  void function(bool is_entry);
  std::vector<Parameter> parameters();
  void body();
  void body_directive();
  Place place();
  void location();
  void resolve_lines();
  void registers(const Token& directive);
  void statement();
  void statement_or_label();

  Operand operand();
  Operand simple_operand();
  Operand address();
  Operand vector(std::string_view begin, std::string_view end);
  Operand number(bool negative);
  int find_register(std::string_view name) const;
  void declare(const std::string& name, int bits);
  std::string unique_name(const std::string& name) const;

  Lexer lexer_;
  std::string_view source_file_;
  std::set<std::int64_t> own_files_;  // the numbers by which .loc calls the kernel's source file
  Module module_;
  Function function_;
  std::vector<Scope> scopes_;  // of registers
  std::set<int> halves_;       // registers that begin one of 128 bits
  std::vector<std::map<std::string, std::string>>
      call_scopes_;                               // of variables of calls: their unique names
  std::vector<Location> locations_;               // of all .loc directives
  std::map<Place, std::size_t> latest_;           // the latest that begins with the place
  std::vector<std::size_t> statement_locations_;  // of the function's statements
  std::vector<std::pair<Function, std::vector<std::size_t>>> functions_;  // with those of each
};

Token Parser::expect(std::string_view what) {
  if (!lexer_.peek().is(what)) fail(lexer_.peek(), fmt::format("expected '{}'", what));
  return lexer_.take();
}

bool Parser::accept(std::string_view what) {
  if (!lexer_.peek().is(what)) return false;
  lexer_.take();
  return true;
}

Token Parser::word() {
  if (lexer_.peek().kind != Token::Kind::word) fail(lexer_.peek(), "expected a name");
  return lexer_.take();
}

std::int64_t Parser::integer() {
  const bool negative = accept("-");
  const Token at = lexer_.peek();
  const Operand value = number(negative);
  if (value.kind != Operand::Kind::immediate) fail(at, "expected a number");
  return static_cast<std::int64_t>(value.immediate);
}

void Parser::skip_past(std::string_view what) {
  while (!lexer_.peek().is(what)) {
    if (lexer_.peek().kind == Token::Kind::end)
      fail(lexer_.peek(), fmt::format("expected '{}'", what));
    lexer_.take();
  }
  lexer_.take();
}

Module Parser::module() {
  expect(".version");
  lexer_.take();
  for (bool external = false; lexer_.peek().kind != Token::Kind::end;) {
    const Token at = lexer_.peek();
    const Token directive = word();
    if (const auto space = variable_space(directive.text)) {
      module_.variables.push_back(variable(*space));
      module_.variables.back().external |= std::exchange(external, false);
    } else if (directive.is(".entry") || directive.is(".func")) {
      function(directive.is(".entry"));
      external = false;
    } else if (directive.is(".section")) {
      skip_past("}");
    } else if (directive.is(".file")) {
      file_directive();
    } else if (directive.is(".target") || directive.is(".address_size")) {
      const std::string_view value = lexer_.take().text;
      if (value.starts_with("sm_")) {
        std::from_chars(value.data() + 3, value.data() + value.size(), module_.architecture);
      }
      while (accept(",")) lexer_.take();
    } else if (directive.is(".pragma") || directive.is(".alias")) {
      skip_past(";");
    } else if (directive.is(".extern")) {
      external = true;
    } else if (!directive.is(".visible") && !directive.is(".weak") && !directive.is(".common")) {
      fail(at, "expected a directive");
    }
  }
  resolve_lines();
  for (auto& [function, locations] : functions_) {
    (function.is_entry ? module_.entries : module_.functions).push_back(std::move(function));
  }
  return std::move(module_);
}

void Parser::file_directive() {
  const std::int64_t index = integer();
  const std::string name = unquoted(lexer_.take().text);
  if (name.ends_with(source_file_)) own_files_.insert(index);
  while (accept(",")) integer();
}

Variable Parser::variable(Space space) {
  Variable result;
  result.space = space;
  std::uint64_t element_bytes = 1;
  Token token = word();
  for (; token.text.starts_with('.'); token = word()) {
    if (token.is(".align")) {
      result.alignment = static_cast<std::uint32_t>(integer());
    } else if (const int bits = type_bits(token.text); bits >= 8) {
      element_bytes = static_cast<std::uint64_t>(bits) / 8;
    }
  }
  result.name = token.text;
  std::uint64_t count = 1;
  while (accept("[")) {
    if (accept("]")) {
      count = 0;
      result.external = true;
      continue;
    }
    const std::int64_t extent = integer();
    if (extent < 0 || extent > (std::int64_t{1} << 32) || count > (std::uint64_t{1} << 24)) {
      fail(lexer_.peek(), "an array too large");
    }
    count *= static_cast<std::uint64_t>(extent);
    expect("]");
  }
  result.element_bytes = static_cast<std::uint32_t>(element_bytes);
  if (accept("=")) {
    result.initial = initial_value();
    result.external = false;
    count = std::max<std::uint64_t>(count, result.initial.size());
  }
  result.bytes = count * element_bytes;
  expect(";");
  return result;
}

// A number or an address, or a list of them; lists nest, one for each dimension.
std::vector<Initial> Parser::initial_value() {
  std::vector<Initial> result;
  int depth = 0;
  do {
    while (accept("{")) ++depth;
    result.push_back(initial_element());
    while (depth > 0 && accept("}")) --depth;
  } while (depth > 0 && accept(","));
  if (depth > 0) fail(lexer_.peek(), "expected '}'");
  return result;
}

// 12, 0f3F800000, table, table+8, generic(table)+8
Initial Parser::initial_element() {
  Initial result;
  if (lexer_.peek().kind != Token::Kind::word) {
    result.value = static_cast<std::uint64_t>(integer());
    return result;
  }
  result.symbol = word().text;
  if (result.symbol == "generic" && accept("(")) {
    result.symbol = word().text;
    expect(")");
  }
  if (accept("+")) result.value = static_cast<std::uint64_t>(integer());
  return result;
}

// A function that is only declared is skipped.
void Parser::function(bool is_entry) {
  function_ = {};
  function_.is_entry = is_entry;
  halves_.clear();
  if (lexer_.peek().is("(")) function_.results = parameters();
  function_.name = word().text;
  function_.parameters = parameters();
  while (!lexer_.peek().is("{")) {  // .maxntid 256, 1, 1 and the like
    if (accept(";")) return;
    if (lexer_.take().kind == Token::Kind::end) fail(lexer_.peek(), "expected '{'");
  }
  locations_.emplace_back();  // of the statements before the first .loc
  latest_.clear();
  statement_locations_.clear();
  scopes_.clear();
  call_scopes_.clear();
  body();
  functions_.emplace_back(std::move(function_), std::move(statement_locations_));
}

std::vector<Parameter> Parser::parameters() {
  std::vector<Parameter> result;
  if (!accept("(")) return result;
  while (!accept(")")) {
    expect(".param");
    Parameter parameter;
    Token token = word();
    for (; token.text.starts_with('.'); token = word()) {
      if (token.is(".align")) {
        integer();
      } else if (const int bits = type_bits(token.text); bits >= 8) {
        parameter.bytes = static_cast<std::uint32_t>(bits) / 8;
      }  // .ptr .global and the like say nothing about the size
    }
    parameter.name = token.text;
    if (accept("[")) {
      parameter.bytes *= static_cast<std::uint32_t>(integer());
      expect("]");
    }
    result.push_back(parameter);
    accept(",");
  }
  return result;
}

// Braces nest: inline assembly declares its registers in an inner pair.
void Parser::body() {
  expect("{");
  scopes_.emplace_back();
  call_scopes_.emplace_back();
  while (!accept("}")) {
    const Token& next = lexer_.peek();
    if (next.is("{")) {
      if (scopes_.size() > 100) fail(next, "braces nested too deep");
      body();
    } else if (next.kind == Token::Kind::word && next.text.starts_with('.')) {
      body_directive();
    } else {
      statement_or_label();
    }
  }
  scopes_.pop_back();
  call_scopes_.pop_back();
}

void Parser::body_directive() {
  const Token directive = word();
  if (directive.text.starts_with(".reg")) {
    registers(directive);
  } else if (directive.is(".loc")) {
    location();
  } else if (const auto space = variable_space(directive.text)) {
    Variable declared = variable(*space);
    if (space == Space::parameter) {
      const std::string unique = fmt::format("{}#{}", declared.name, function_.variables.size());
      call_scopes_.back()[declared.name] = unique;
      declared.name = unique;
    }
    function_.variables.push_back(std::move(declared));
  } else if (directive.is(".pragma")) {
    const bool is_for_loop = unquoted(lexer_.peek().text) == "nounroll";
    if (is_for_loop) function_.rolled_loops.insert(function_.statements.size());
    skip_past(";");
  } else if (directive.is(".branchtargets") || directive.is(".callprototype")) {
    skip_past(";");
  } else {
    fail(directive, "an unknown directive");
  }
}

Place Parser::place() {
  Place result;
  result.file = integer();
  result.line = integer();
  result.column = integer();
  return result;
}

// .loc file line column[, function_name name, inlined_at file line column]
void Parser::location() {
  constexpr std::size_t deepest = 32;  // limits a .loc that names itself as its call
  Location result = {place()};
  while (accept(",")) {
    if (word().is("inlined_at")) {
      const Place call = place();
      const auto known = latest_.find(call);
      const Location outer = known == latest_.end() ? Location{call} : locations_[known->second];
      result.insert(result.end(), outer.begin(), outer.end());
      result.resize(std::min(result.size(), deepest));
    } else {
      lexer_.take();
      if (accept("+")) integer();
    }
  }
  latest_[result.front()] = locations_.size();
  locations_.push_back(std::move(result));
}

// The files' names come after the code. A line of another file counts for the line of the kernel
// that it was inlined at; line 0 is the compiler's own code and stays with the line before.
void Parser::resolve_lines() {
  for (auto& [function, statement_locations] : functions_) {
    int line = 0;
    std::vector<int> calls;
    for (std::size_t s = 0; s < statement_locations.size(); ++s) {
      const Location& at = locations_[statement_locations[s]];
      std::vector<int> lines;
      for (const Place& place : at) {
        if (own_files_.contains(place.file) && place.line > 0) {
          lines.push_back(static_cast<int>(place.line));
        }
      }
      if (!lines.empty()) {
        line = lines.front();
        calls.assign(lines.begin() + 1, lines.end());
      }
      ptx::Statement& statement = function.statements[s];
      statement.line = line;
      statement.calls = calls;
      statement.stands_there = at.size() == 1 && at.front().line == line;
    }
  }
}

// ".reg .b32 a;", or ".reg.b32 a;" as a person writes it.
void Parser::registers(const Token& directive) {
  Token type = directive;
  type.text.remove_prefix(std::string_view(".reg").size());
  if (type.text.empty()) type = word();
  const int bits = type.is(".b128") ? 128 : type_bits(type.text);
  if (bits == 0) fail(type, "a register type that the emulator does not know");
  do {
    const std::string name(word().text);
    std::int64_t count = 1;
    const bool numbered = accept("<");
    if (numbered) {
      count = integer();
      expect(">");
      const std::size_t most = 200'000, room = most - function_.registers.size();
      if (count < 0 || static_cast<std::uint64_t>(count) > room) {
        fail(lexer_.peek(), "too many registers");
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string full = numbered ? name + std::to_string(i) : name;
      declare(full, bits);
    }
  } while (accept(","));
  expect(";");
}

// One of 128 bits is two of 64, the lower half first.
void Parser::declare(const std::string& name, int bits) {
  const auto place = static_cast<int>(function_.registers.size());
  scopes_.back()[name] = place;
  if (bits == 128) {
    halves_.insert(place);
    function_.registers.push_back({name, 64});
  }
  function_.registers.push_back({name, std::min(bits, 64)});
}

void Parser::statement_or_label() {
  if (lexer_.peek().kind != Token::Kind::word && !lexer_.peek().is("@")) {
    fail(lexer_.peek(), "expected an instruction");
  }
  statement();
}

void Parser::statement() {
  Statement result;
  if (accept("@")) {
    result.guard_negated = accept("!");
    const Token name = word();
    result.guard = find_register(name.text);
    if (result.guard < 0 || !function_.registers[result.guard].predicate()) {
      fail(name, "expected a predicate");
    }
  }
  const Token opcode = word();
  if (result.guard < 0 && accept(":")) {
    if (!function_.labels.emplace(opcode.text, function_.statements.size()).second) {
      fail(opcode, "a label that is there already");
    }
    return;
  }
  result.opcode = opcode.text;
  result.row = &row_of(result.opcode);
  result.ptx_line = opcode.line;
  while (!accept(";")) {
    result.operands.push_back(operand());
    if (!lexer_.peek().is(";")) expect(",");
  }
  function_.statements.push_back(std::move(result));
  statement_locations_.push_back(locations_.size() - 1);
}

Operand Parser::operand() {
  if (lexer_.peek().is("[")) return address();
  if (lexer_.peek().is("{")) return vector("{", "}");
  if (lexer_.peek().is("(")) return vector("(", ")");
  Operand first = simple_operand();
  if (!accept("|")) return first;
  Operand pair;
  pair.kind = Operand::Kind::vector;
  pair.elements = {first, simple_operand()};
  return pair;
}

Operand Parser::simple_operand() {
  const bool negative = accept("-");
  if (negative || lexer_.peek().kind == Token::Kind::number) return number(negative);
  Operand result;
  result.negated = accept("!");
  const Token name = word();
  result.reg = find_register(name.text);
  if (halves_.contains(result.reg)) {
    Operand low, high;
    low.kind = high.kind = Operand::Kind::reg;
    low.reg = std::exchange(result.reg, -1);
    high.reg = low.reg + 1;
    result.kind = Operand::Kind::vector;
    result.elements = {low, high};
  } else if (result.reg >= 0) {
    result.kind = Operand::Kind::reg;
  } else {
    result.kind = Operand::Kind::symbol;
    result.symbol = unique_name(std::string(name.text));
  }
  return result;
}

Operand Parser::address() {
  expect("[");
  const Token begin = lexer_.peek();
  Operand result = simple_operand();
  if (result.kind == Operand::Kind::vector) fail(begin, "expected an address");
  if (result.kind == Operand::Kind::immediate) {
    result.offset = static_cast<std::int64_t>(result.immediate);
  }
  result.kind = Operand::Kind::address;
  if (accept("+")) result.offset += integer();
  if (accept(",")) vector("{", "}");  // coordinates in a texture, which the decoder refuses
  expect("]");
  return result;
}

Operand Parser::vector(std::string_view begin, std::string_view end) {
  Operand result;
  result.kind = Operand::Kind::vector;
  expect(begin);
  if (accept(end)) return result;
  do {
    result.elements.push_back(simple_operand());
  } while (accept(","));
  expect(end);
  return result;
}

// 12, -4, 0x1F, 0f3F800000 (FP32 bits), 0d3FF0000000000000 (FP64 bits), 1.5; a trailing U says
// unsigned.
Operand Parser::number(bool negative) {
  const Token token = lexer_.take();
  if (token.kind != Token::Kind::number) fail(token, "expected a number");
  std::string_view digits = token.text;
  Operand result;
  result.kind = Operand::Kind::immediate;
  if (digits.find('.') != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      fail(token, "a malformed number");
    result.is_double = true;
    result.immediate = std::bit_cast<std::uint64_t>(negative ? -value : value);
    return result;
  }
  const std::string_view prefix = digits.substr(0, 2);
  int base = 10;
  if (prefix == "0f" || prefix == "0F" || prefix == "0d" || prefix == "0D" || prefix == "0x" ||
      prefix == "0X") {
    base = 16;
    digits.remove_prefix(2);
    result.is_double = prefix == "0d" || prefix == "0D";
  }
  if (digits.ends_with('U')) digits.remove_suffix(1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), result.immediate, base);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(token, "a malformed number");
  if (negative && result.is_double)
    result.immediate ^= std::uint64_t{1} << 63;
  else if (negative)
    result.immediate = 0 - result.immediate;
  return result;
}

int Parser::find_register(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return -1;
}

// Returns the unique name if it is a variable of a call; otherwise the name.
std::string Parser::unique_name(const std::string& name) const {
  for (auto scope = call_scopes_.rbegin(); scope != call_scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return name;
}

}  // namespace

Module parse(std::string_view text, std::string_view source_file) {
  return Parser(text, source_file).module();
}

namespace {

bool is_word(char c) { return is_word_character(c) || c == '$' || c == '%'; }

}  // namespace

Token Lexer::take() {
  const Token token = next_;
  advance();
  return token;
}

void Lexer::skip_blanks_and_comments() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    std::size_t length = 0;
    if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
      length = 1;
    } else if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/", 2);
      length = close == std::string_view::npos ? rest.size() : close + 2;
    } else {
      return;
    }
    line_ += static_cast<int>(std::count(rest.begin(), rest.begin() + length, '\n'));
    at_ += length;
  }
}

// Words run on over dots (ld.global.f32, %tid.x) and double colons (shared::cta).
std::size_t Lexer::word_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < text_.size()) {
    const bool dot = text_[end] == '.' && end + 1 < text_.size() && is_word(text_[end + 1]);
    const bool colons = text_.substr(end).starts_with("::");
    if (!is_word(text_[end]) && !dot && !colons) break;
    end += colons ? 2 : 1;
  }
  return end;
}

// A quote after a backslash belongs to the string.
std::size_t Lexer::string_end(std::size_t begin) const {
  for (std::size_t at = begin + 1; at < text_.size(); ++at) {
    if (text_[at] == '"') return at + 1;
    if (text_[at] == '\\') ++at;
  }
  return text_.size();
}

void Lexer::advance() {
  skip_blanks_and_comments();
  const std::size_t begin = at_;
  Token::Kind kind = Token::Kind::end;
  if (begin < text_.size()) {
    const char c = text_[begin];
    if (c == '"') {
      kind = Token::Kind::string;
      at_ = string_end(begin);
    } else if (is_word(c) || c == '.') {
      kind = is_digit(c) ? Token::Kind::number : Token::Kind::word;
      at_ = word_end(begin);
    } else {
      kind = Token::Kind::punctuation;
      at_ = begin + 1;
    }
  }
  next_ = {kind, text_.substr(begin, at_ - begin), line_};
}

}  // namespace gemm_tutor::simt::ptx
