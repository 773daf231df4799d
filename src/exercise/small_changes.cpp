#include "exercise/small_changes.hpp"

#include <array>
#include <span>

namespace gemm_tutor {
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
  CodeWords exchanged(words.begin() + static_cast<std::ptrdiff_t>(middle),
                      words.begin() + static_cast<std::ptrdiff_t>(end));
  exchanged.insert(exchanged.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                   words.begin() + static_cast<std::ptrdiff_t>(middle));
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
