#include "source/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "source/evaluator.hpp"
#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

constexpr int most_definitions = 20'000;  // of macros by others that are followed
constexpr int deepest_macro = 40;         // of these in one another

// From one directive to the next of the same #if: "#elif VERSION == 2" and the lines after it.
struct Branch {
  std::string condition;      // "VERSION == 2"; empty for #else
  std::size_t directive = 0;  // where the line of #elif begins
  std::size_t begin = 0, end = 0;
};
using Branches = std::vector<Branch>;  // of one #if

// Where the line at `at` ends, or the last line that a directive goes on in.
std::size_t line_end(std::string_view text, std::size_t at, bool is_directive) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  while (is_directive && end < text.size() && trimmed(text.substr(at, end - at)).ends_with('\\')) {
    at = end + 1;
    end = std::min(text.find('\n', at), text.size());
  }
  return end;
}

// The lines of a directive as one.
std::string joined(std::string_view lines) {
  std::string result;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string_view line = trimmed(lines.substr(at, end - at));
    if (line.ends_with('\\')) line.remove_suffix(1);
    result.append(line).append(" ");
    at = end + 1;
  }
  return result;
}

std::vector<Branches> branches_in(std::string_view text) {
  std::vector<Branches> all, open;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first_end = line_end(text, at, false);
    const bool is_directive = trimmed(text.substr(at, first_end - at)).starts_with('#');
    const std::size_t end = line_end(text, at, is_directive);
    if (is_directive) {
      const std::string whole = joined(text.substr(at, end - at));
      const std::string_view line = trimmed(trimmed(whole).substr(1));
      const auto word_end = std::ranges::find_if_not(line, [](char x) { return is_of_name(x); });
      const std::string_view word(line.begin(), word_end);
      const bool begins = word.starts_with("if"), ends = word == "endif";
      const bool goes_on = word.starts_with("elif") || word == "else";
      if (!begins && !open.empty() && (goes_on || ends)) open.back().back().end = at;
      if (begins) open.emplace_back();
      if (begins || (goes_on && !open.empty())) {
        std::string_view condition = word == "else" ? "" : line.substr(word.size());
        condition =
            trimmed(condition.substr(0, std::min(condition.find("//"), condition.find("/*"))));
        const std::string_view of_name = word.starts_with("ifn") || word.starts_with("elifn")
                                             ? "!defined "
                                         : word.ends_with("def") ? "defined "
                                                                 : "";
        open.back().push_back({std::string(of_name).append(condition), at, end, text.size()});
      }
      if (ends && !open.empty()) {
        all.push_back(std::move(open.back()));
        open.pop_back();
      }
    }
    at = end + 1;
  }
  return all;
}

// Keeps the number of lines.
void blank(std::string& text, const Branch& branch) {
  for (std::size_t at = branch.begin; at < branch.end; ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

// The macros that every compilation without options has with one value, as trees of their values:
// "#define SMALL 0", also where an #ifndef SMALL is around it.
class CertainMacros {
 public:
  explicit CertainMacros(const std::vector<std::string_view>& texts) {
    for (const std::string_view text : texts) {
      files_.emplace_back(text);
      const std::vector<Branches> all = branches_in(text);
      for (const Macro& macro : files_.back().macros) {
        const auto is_in_other = [&](const Branch& branch) {
          return branch.begin <= macro.at && macro.at < branch.end &&
                 branch.condition != "!defined " + macro.name;
        };
        const bool is_certain = !macro.takes_arguments && !macro.is_template &&
                                std::ranges::none_of(all, [&](const Branches& one) {
                                  return std::ranges::any_of(one, is_in_other);
                                });
        const auto [place, is_new] = values_.try_emplace(macro.name);
        if (is_new && is_certain)
          place->second = parse_expression(macro.text);
        else
          place->second.reset();  // several definitions, or one that may not count
      }
    }
    for (const std::string_view text : texts) {
      for (std::size_t at = text.find("#undef "); at != text.npos;
           at = text.find("#undef ", at + 1)) {
        const std::string_view rest = text.substr(at + 7);
        const auto undefined = values_.find(trimmed(rest.substr(0, rest.find_first_of("\r\n/"))));
        if (undefined != values_.end()) undefined->second.reset();
      }
    }
  }

  // Nothing if it is not certain whether the condition holds.
  std::optional<bool> holds(const std::string& condition) const {
    const std::vector<Token> tokens = tokens_of(condition);
    const NodePointer tree = parse_expression(tokens);
    const auto value = tree ? value_of(*tree, 0) : std::nullopt;
    return value ? std::optional(value->value != 0) : std::nullopt;
  }

 private:
  std::optional<Integer> value_of(const Node& node, int depth) const {
    return source::value_of(node, [&](std::string_view name) -> std::optional<Integer> {
      const auto found = values_.find(name);
      if (found == values_.end() || !found->second || depth == deepest_macro) return {};
      if (++evaluated_ > most_definitions) return {};
      return value_of(*found->second, depth + 1);
    });
  }

  std::deque<File> files_;  // which the trees point into
  std::map<std::string, NodePointer, std::less<>> values_;
  mutable int evaluated_ = 0;
};

}  // namespace

std::vector<std::string> without_untaken_branches(const std::vector<std::string_view>& texts) {
  std::vector<std::string> result(texts.begin(), texts.end());
  std::optional<CertainMacros> macros;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const Branches& branches : branches_in(texts[i])) {
      if (!macros) macros.emplace(texts);
      bool is_decided = false;  // an earlier branch is taken
      for (const Branch& branch : branches) {
        const auto holds =
            branch.condition.empty() ? std::optional(true) : macros->holds(branch.condition);
        if (is_decided || holds == false)
          blank(result[i], branch);
        else if (!holds)
          break;
        else
          is_decided = true;
      }
    }
  }
  return result;
}

std::vector<std::vector<std::string>> with_one_branch(const std::vector<std::string_view>& texts,
                                                      std::string_view kernel) {
  constexpr std::size_t most = 8, most_conditions = 200;
  std::vector<std::vector<Branches>> all;
  std::size_t count = 0;
  for (const std::string_view text : texts) {
    all.push_back(branches_in(text));
    count += all.back().size();
  }
  if (count > most_conditions) return {};
  const auto has_launch = [&](std::string_view text) {
    return text.find(kernel) != text.npos &&
           (text.find("<<<") != text.npos || text.find("cudaLaunch") != text.npos);
  };
  std::vector<std::vector<std::string>> variants;
  std::set<std::set<std::string>> known;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // Not in a branch within this one, which is a case of its own.
    const auto launches_in_branch = [&](const Branch& branch) {
      std::string inside(texts[i].substr(branch.begin, branch.end - branch.begin));
      for (const Branches& branches : all[i]) {
        const Branch &first = branches.front(), &last = branches.back();
        if (branches.size() < 2 || first.begin <= branch.begin || last.end >= branch.end) continue;
        std::fill(inside.begin() + static_cast<std::ptrdiff_t>(first.begin - branch.begin),
                  inside.begin() + static_cast<std::ptrdiff_t>(last.end - branch.begin), ' ');
      }
      return has_launch(inside);
    };
    for (const Branches& launching : all[i]) {
      if (launching.size() < 2) continue;
      for (const Branch& one : launching) {
        if (variants.size() == most) return variants;
        if (!launches_in_branch(one)) continue;
        const auto is_around = [&](const Branch& branch) {
          return branch.begin <= one.begin && one.end <= branch.end;
        };
        std::set<std::string> conditions;
        for (const Branches& branches : all[i]) {
          for (const Branch& branch : branches) {
            if (is_around(branch)) conditions.insert(branch.condition);
          }
        }
        const bool is_else = conditions.erase("") > 0;
        if (!is_else && !known.insert(conditions).second) continue;
        std::vector<std::string> variant(texts.begin(), texts.end());
        for (std::size_t t = 0; t < texts.size(); ++t) {
          for (const Branches& branches : all[t]) {
            const bool is_outer = t == i && std::ranges::any_of(branches, is_around);
            const auto is_taken = [&](const Branch& branch) {
              return is_outer ? is_around(branch) : conditions.contains(branch.condition);
            };
            if (std::ranges::none_of(branches, is_taken)) continue;
            for (const Branch& branch : branches) {
              if (!is_taken(branch)) blank(variant[t], branch);
            }
          }
        }
        variants.push_back(std::move(variant));
      }
    }
  }
  return variants;
}

std::optional<std::string> with_branch_of_kernel(std::string_view text, std::string_view kernel) {
  const File file(text);
  const Function* const function = file.find_kernel(kernel);
  if (!function) return {};
  const auto is_around = [&](const Branch& one) {
    return one.begin <= function->begin && function->begin < one.end;
  };
  const auto may_stay = [](const Branch& one) {
    return one.condition.starts_with("!defined") ||
           one.condition.find("__CUDA_ARCH__") != std::string::npos;
  };
  const std::vector<Branches> all = branches_in(text);
  std::map<std::string, bool> holds;  // by the condition, wherever it is
  for (const Branches& branches : all) {
    if (std::ranges::none_of(branches, is_around) || std::ranges::any_of(branches, may_stay))
      continue;
    for (const Branch& one : branches) holds[one.condition] = is_around(one);
  }
  holds.erase("");  // #else
  std::string result(text);
  for (const Branches& branches : all) {
    for (const Branch& one : branches) {
      const auto known = holds.find(one.condition);
      if (known == holds.end()) continue;
      const bool is_first = &one == &branches.front();
      std::string directive =
          fmt::format("#{} {}", is_first ? "if" : "elif", known->second ? 1 : 0);
      // The line breaks of a condition of several lines stay.
      const std::size_t length = one.begin - one.directive;
      const auto breaks =
          static_cast<std::size_t>(std::ranges::count(text.substr(one.directive, length), '\n'));
      directive.resize(std::max(directive.size(), length - breaks), ' ');
      result.replace(one.directive, length, directive.append(breaks, '\n'));
    }
  }
  return holds.empty() ? std::nullopt : std::optional(std::move(result));
}

}  // namespace gemm_tutor::source
