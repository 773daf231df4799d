#include "simt/compile/ptx_entry.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "simt/compiler.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::size_t not_found = std::string_view::npos;

bool is_of_name(char c) { return is_word_character(c) || c == '$'; }

// Returns the index of `word` as a whole word, at `from` or later.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != not_found; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_of_name(text[end]))) return at;
  }
  return not_found;
}

std::string_view between(std::string_view text, std::size_t begin, std::string_view end) {
  return text.substr(begin, std::min(text.find(end, begin), text.size()) - begin);
}

// The text from the entry's name to the end of its body.
std::string_view text_of_entry(std::string_view ptx, std::string_view name) {
  constexpr std::string_view word = ".entry ";
  for (std::size_t at = ptx.find(word); at != not_found; at = ptx.find(word, at + 1)) {
    const std::string_view text = between(ptx, at + word.size(), "\n}");
    if (find_word(text.substr(0, name.size() + 1), name) == 0) return text;
  }
  return {};
}

int bits_of_type(const std::string& type) {
  return std::atoi(type.c_str() + std::min(type.find_first_of("0123456789"), type.size()));
}

// Returns the type "u64" and 8 bytes for ".param .u64 .ptr .align 1 NAME"; no type and 16 bytes for
// ".param .align 4 .b8 NAME[16]".
void add_parameter(PtxEntry& entry, const std::string& parameter) {
  std::istringstream words(parameter);
  std::string param, type;
  words >> param >> type;
  const std::size_t bracket = parameter.find('[');
  const bool is_array = bracket != parameter.npos;
  const bool has_type = !is_array && type.starts_with('.');
  entry.parameter_types.push_back(has_type ? type.substr(1) : "");
  entry.parameter_bytes.push_back(is_array ? std::atoi(parameter.c_str() + bracket + 1)
                                           : bits_of_type(type) / 8);
}

void add_parameters(PtxEntry& entry, std::string_view head) {
  const std::size_t open = head.find('(');
  if (open == not_found) return;
  std::istringstream list(std::string(between(head, open + 1, ")")));
  for (std::string parameter; std::getline(list, parameter, ',');) {
    if (parameter.find(".param") != parameter.npos) add_parameter(entry, parameter);
  }
}

// Returns {128, 2, 1} for ".maxntid 128, 2".
std::optional<Dim3> extents_of(std::string_view head, std::string_view directive) {
  const std::size_t at = head.find(directive);
  if (at == not_found) return {};
  std::istringstream extents(std::string(between(head, at + directive.size(), "\n")));
  Dim3 result;
  char comma = 0;
  extents >> result.x;
  if (extents >> comma) extents >> result.y;
  if (extents >> comma) extents >> result.z;
  return result;
}

// Returns 256 for ".maxntid 128, 2, 1"; 0 without the directive.
std::int64_t threads(std::string_view head, std::string_view directive) {
  const std::optional<Dim3> extents = extents_of(head, directive);
  return extents ? static_cast<std::int64_t>(extents->count()) : 0;
}

bool uses_dynamic_shared(std::string_view ptx, std::string_view body) {
  for (const std::string& line : split_lines(ptx)) {
    const std::size_t end = line.find("[]");
    if (!line.starts_with(".extern .shared ") || end == line.npos) continue;
    const std::size_t begin = line.rfind(' ', end) + 1;
    if (find_word(body, std::string_view(line).substr(begin, end - begin)) != not_found)
      return true;
  }
  return false;
}

// Returns where the variable of ".shared .align 4 .b8 NAME[4096];" or ".shared .align 4 .u32 NAME;"
// ends if `begin` bytes of others are before it, and `body` uses NAME; `begin` for other lines.
int end_of_shared(int begin, const std::string& line, std::string_view body) {
  std::istringstream words(line);
  std::string word, type;
  words >> word;
  if (word == ".weak" || word == ".visible") words >> word;  // of a template's instance
  if (word != ".shared") return begin;
  int alignment = 1;
  for (; words >> word && word.starts_with('.'); type = word) {
    if (word == ".align" && words >> word) alignment = std::max(std::atoi(word.c_str()), 1);
  }
  const std::size_t bracket = word.find('[');
  if (find_word(body, word.substr(0, word.find_first_of("[;"))) == not_found) return begin;
  const int elements = bracket == word.npos ? 1 : std::atoi(word.c_str() + bracket + 1);
  return ceil_divide(begin, alignment) * alignment + bits_of_type(type) / 8 * elements;
}

}  // namespace

std::vector<std::string> ptx_entry_names(std::string_view ptx) {
  constexpr std::string_view word = ".entry ";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(word); at != not_found; at = ptx.find(word, at + 1)) {
    names.emplace_back(trimmed(between(ptx, at + word.size(), "(")));
  }
  return names;
}

PtxEntry ptx_entry(std::string_view ptx, std::string_view lowered_name) {
  const std::string_view text = text_of_entry(ptx, lowered_name);
  const std::string_view head = between(text, 0, "\n{");
  PtxEntry entry;
  add_parameters(entry, head);
  entry.cpp_types = parameter_types(std::string(lowered_name));
  entry.most_threads = threads(head, ".maxntid");
  entry.exact_threads = threads(head, ".reqntid");
  entry.cluster = extents_of(head, ".reqnctapercluster").value_or(Dim3{});
  const std::string_view body = text.substr(head.size());
  entry.uses_dynamic_shared = uses_dynamic_shared(ptx, body);
  for (const std::string& line : split_lines(ptx)) {
    entry.static_shared_bytes = end_of_shared(entry.static_shared_bytes, line, body);
  }
  const std::string_view code =
      find_word(body, "call") == not_found && body.find("call.") == not_found ? body : ptx;
  entry.reads_block_y = code.find("%ctaid.y") != not_found;
  entry.reads_block_z = code.find("%ctaid.z") != not_found;
  entry.reads_thread_y = code.find("%tid.y") != not_found;
  return entry;
}

namespace {

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

// Returns the index of the last opening parenthesis, or the end.
std::size_t parameters_begin(std::string_view name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at;
  }
  return name.size();
}

}  // namespace

std::string readable_name(const std::string& mangled) {
  std::string name = demangled(mangled);
  if (name == mangled) return name;
  constexpr std::string_view result = "void ", unnamed = "(anonymous namespace)::";
  if (name.starts_with(result)) name.erase(0, result.size());
  name.resize(parameters_begin(name));
  for (std::size_t at; (at = name.find(unnamed)) != name.npos;) name.erase(at, unnamed.size());
  return name;
}

std::vector<std::string> parameter_types(const std::string& mangled) {
  const std::string name = demangled(mangled);
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (std::size_t at = parameters_begin(name); at < name.size(); ++at) {
    const char c = name[at];
    const bool opens = c == '(' || c == '<' || c == '[';
    const bool closes = c == ')' || c == '>' || c == ']';
    if (closes) --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    if (ends && !type.empty()) types.push_back(std::exchange(type, ""));
    const bool separates = ends || (type.empty() && c == ' ');
    if (!separates) type += c;
    if (opens) ++depth;
  }
  return types;
}

}  // namespace gemm_tutor::simt
