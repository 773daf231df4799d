#include "simt/compile/compiler_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "simt/compile/host_headers.hpp"
#include "source/definitions.hpp"
#include "source/device_code.hpp"
#include "source/included_files.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

// The name that directives have for the n-th included file, from 1.
std::string header_name(std::size_t number) { return fmt::format("simt/file_{}", number); }

// Returns 0 if the header is none of the user's files.
std::size_t number_of_included(const CompileRequest& request, std::size_t from,
                               std::string_view header) {
  for (std::size_t i = 0; i < request.included.size(); ++i) {
    for (const IncludedFile::Inclusion& inclusion : request.included[i].inclusions) {
      if (inclusion.file == from && inclusion.header == header) return i + 1;
    }
  }
  return 0;
}

// A header with a text of its own here is not left out.
bool is_left_out(std::string_view header) {
  return source::is_host_only_header(header) && !has_own_text(header);
}

// `from` is the file's number, as in IncludedFile::Inclusion.
std::string with_own_headers(const CompileRequest& request, std::size_t from, std::string text,
                             const std::set<std::string>& absent) {
  const std::vector<source::Include> includes = source::includes_in(text);
  for (auto one = includes.rbegin(); one != includes.rend(); ++one) {
    if (const std::size_t number = number_of_included(request, from, one->header)) {
      text.replace(one->begin, one->end - one->begin, fmt::format("\"{}\"", header_name(number)));
    } else if (is_left_out(one->header) || absent.contains(one->header)) {
      text.replace(one->begin, one->end - one->begin, fmt::format("\"{}\"", header_of_nothing));
    }
  }
  return text;
}

std::vector<std::string> reduced(const CompileRequest& request,
                                 const std::vector<std::string_view>& texts, CodeKept kept) {
  if (kept == CodeKept::of_device) return source::device_code(texts, request.name_expression);
  const auto has_kernel = [&](std::string_view text) {
    return source::File(text).find_kernel(request.name_expression) != nullptr;
  };
  if (kept == CodeKept::of_kernel && std::ranges::any_of(texts, has_kernel)) {
    return source::code_of_kernel(texts, request.name_expression);
  }
  std::vector<std::string> result;
  for (const std::string_view text : texts) {
    result.push_back(source::without_host_functions(text));
  }
  return result;
}

// True for "concept Number =", where older code may have a variable of this name.
bool is_concept(source::Tokens code, std::size_t at) {
  return at + 2 < code.size() && code[at].is("concept") && code[at + 1].is_name() &&
         code[at + 2].is("=");
}

// True for "template <class T> requires Number<T>", "void k(T a) const requires (is_small<T>)" and
// "= requires(T a) { a + a; }", and not for a variable or a function of this name.
bool is_constraint(source::Tokens code, std::size_t at) {
  if (!code[at].is("requires") || at == 0 || at + 1 >= code.size()) return false;
  const auto is_one_of = [](const source::Token& token, std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return token.is(word); });
  };
  std::size_t before = at - 1;
  while (before > 0 && is_one_of(code[before], {"const", "noexcept"})) --before;
  const source::Token& next = code[at + 1];
  if (is_one_of(code[before], {">", ">>", ")"}) && (next.is_name() || is_one_of(next, {"(", "::"})))
    return true;
  const std::size_t open = next.is("(") ? source::closing(code, at + 1) + 1 : at + 1;
  const bool has_braces = open < code.size() && code[open].is("{");
  const source::Token& last = code[at - 1];
  const bool is_declared =
      (last.is_name() && !last.is("return")) || is_one_of(last, {".", "->", "::", "*", "&"});
  return has_braces && !is_declared;
}

}  // namespace

CompilerInput compiler_input(const CompileRequest& request, CodeKept kept,
                             const std::set<std::string>& absent) {
  std::vector<std::string_view> texts = {request.source};
  for (const IncludedFile& file : request.included) texts.emplace_back(file.text);
  const std::vector<std::string> code = reduced(request, texts, kept);
  CompilerInput input{with_own_headers(request, 0, code[0], absent), {}};
  for (std::size_t number = 1; number < code.size(); ++number) {
    input.headers.push_back({header_name(number),
                             fmt::format("#line 1 \"{}\"\n{}", request.included[number - 1].name,
                                         with_own_headers(request, number, code[number], absent))});
  }
  return input;
}

std::string standard_option(const CompileRequest& request) {
  constexpr std::array keywords = {"concept", "requires", "consteval", "constinit"};
  const auto is_newer = [&](const std::string& text) {
    const auto is_there = [&](const char* word) { return text.find(word) != text.npos; };
    if (std::ranges::none_of(keywords, is_there)) return false;
    const source::File file(text);  // it may be in a comment
    for (std::size_t at = 0; at < file.code.size(); ++at) {
      const source::Token& token = file.code[at];
      if (token.is("consteval") || token.is("constinit") || is_concept(file.code, at) ||
          is_constraint(file.code, at))
        return true;
    }
    return false;
  };
  const bool is_any = is_newer(request.source) ||
                      std::ranges::any_of(request.included, is_newer, &IncludedFile::text);
  return is_any ? "-std=c++20" : "-std=c++17";
}

bool has_kernel(const CompileRequest& request) {
  const auto has = [](std::string_view text) { return text.find("__global__") != text.npos; };
  return has(request.source) || std::ranges::any_of(request.included, has, &IncludedFile::text);
}

bool may_include_unknown_files(const CompileRequest& request) {
  std::vector<std::string> folders = request.include_directories;
  folders.push_back(fs::path(request.file_name).parent_path().string());
  const auto may = [&](std::size_t from, std::string_view text) {
    std::size_t words = 0;
    for (std::size_t at = text.find("include"); at != text.npos;
         at = text.find("include", at + 1)) {
      ++words;
    }
    const std::vector<source::Include> includes = source::includes_in(text);
    const auto is_unknown = [&](const source::Include& include) {
      if (number_of_included(request, from, include.header) || is_left_out(include.header)) {
        return false;
      }
      std::error_code ignored;
      return std::ranges::any_of(folders, [&](const std::string& folder) {
        return fs::exists(fs::path(folder) / include.header, ignored);
      });
    };
    // The other words may be __has_include or a directive with a macro.
    return words > includes.size() || std::ranges::any_of(includes, is_unknown);
  };
  if (may(0, request.source)) return true;
  for (std::size_t i = 0; i < request.included.size(); ++i) {
    if (may(i + 1, request.included[i].text)) return true;
  }
  return false;
}

}  // namespace gemm_tutor::simt
