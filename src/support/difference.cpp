#include "support/difference.hpp"

#include <algorithm>
#include <cctype>

namespace gemm_tutor {
namespace {

int letters(const std::string& text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](unsigned char c) { return std::isalnum(c) || c >= 0x80; }));
}

bool is_next(const Match& match, const Match& next) {
  return next.before == match.before + 1 && next.now == match.now + 1;
}

// Removes runs of neighbouring matches without letters that are between changes.
std::vector<Match> readable(const std::vector<Match>& matches,
                            const std::vector<std::string>& before,
                            const std::vector<std::string>& now) {
  const auto is_kept = [&](const Match& m) {
    const Match last = {before.size() - 1, now.size() - 1};
    return letters(before[m.before]) > 0 || m == Match{0, 0} || m == last;
  };
  std::vector<Match> result;
  for (auto run = matches.begin(); run != matches.end();) {
    const auto last = std::adjacent_find(
        run, matches.end(), [](const Match& a, const Match& b) { return !is_next(a, b); });
    const auto end = last == matches.end() ? last : last + 1;
    if (std::any_of(run, end, is_kept)) result.insert(result.end(), run, end);
    run = end;
  }
  return result;
}

}  // namespace

std::vector<Match> best_alignment(std::size_t before, std::size_t now, const PairWorth& worth) {
  // The largest worth of the rest, from two indices on.
  std::vector<std::vector<int>> rest(before + 1, std::vector<int>(now + 1));
  for (std::size_t i = before; i-- > 0;) {
    for (std::size_t j = now; j-- > 0;) {
      rest[i][j] =
          std::max({rest[i + 1][j], rest[i][j + 1], rest[i + 1][j + 1] + std::max(worth(i, j), 0)});
    }
  }
  std::vector<Match> result;
  for (std::size_t i = 0, j = 0; i < before && j < now;) {
    const int pair = worth(i, j);
    if (pair > 0 && rest[i][j] == rest[i + 1][j + 1] + pair) {
      result.push_back({i++, j++});
    } else {
      ++(rest[i][j] == rest[i + 1][j] ? i : j);
    }
  }
  return result;
}

std::vector<Edit> difference(const std::vector<std::string>& before,
                             const std::vector<std::string>& now) {
  const auto worth = [&](std::size_t i, std::size_t j) {
    return before[i] == now[j] ? 1 + letters(before[i]) : 0;
  };
  std::vector<Match> matches =
      readable(best_alignment(before.size(), now.size(), worth), before, now);
  matches.push_back({before.size(), now.size()});  // the lists' ends

  std::vector<Edit> result;
  std::size_t i = 0, j = 0;
  for (const Match& match : matches) {
    while (i < match.before) result.push_back({i++, {}});
    while (j < match.now) result.push_back({{}, j++});
    if (i < before.size()) result.push_back({i++, j++});
  }
  return result;
}

}  // namespace gemm_tutor
