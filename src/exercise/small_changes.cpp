#include "exercise/small_changes.hpp"

#include <array>
#include <span>

namespace gemm_tutor {
namespace {

// Names and operators that are taken for each other.
constexpr std::array<std::array<std::string_view, 3>, 17> families = {{
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
    {"+", "-"},
    {"+=", "="},
}};

CodeWord changed(CodeWord word, std::string_view text) {
  word.text = text;
  return word;
}

void add_other_names(const CodeWords& words, std::size_t i, std::vector<SmallChange>& changes) {
  for (const auto& family : families) {
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
  CodeWords exchanged(words.begin() + static_cast<std::ptrdiff_t>(middle),
                      words.begin() + static_cast<std::ptrdiff_t>(end));
  exchanged.insert(exchanged.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                   words.begin() + static_cast<std::ptrdiff_t>(middle));
  changes.push_back({i, end, exchanged});
}

void add_other_number(const CodeWords& words, std::size_t i, std::vector<SmallChange>& changes) {
  if (words[i].is("0")) changes.push_back({i, i + 1, {changed(words[i], "1")}});
  if (words[i].is("1")) changes.push_back({i, i + 1, {changed(words[i], "0")}});
  const bool is_one_off =
      is_any_of(words[i], {"+", "-"}) && i + 1 < words.size() && words[i + 1].is("1");
  if (is_one_off) changes.push_back({i, i + 2, {}});
}

}  // namespace

std::vector<SmallChange> small_changes(const CodeWords& words, std::size_t begin, std::size_t end,
                                       std::size_t most) {
  std::vector<SmallChange> changes;
  for (const auto add : {add_exchanged_subscripts, add_other_names, add_other_number}) {
    for (std::size_t i = begin; i < end; ++i) add(words, i, changes);
  }
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
