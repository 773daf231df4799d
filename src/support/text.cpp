#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

namespace gemm_tutor {
namespace {

// ASCII alone, whatever the locale.
std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Levenshtein's: characters inserted, deleted or replaced.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> distance(to.size() + 1);  // from the part of `from` read so far
  std::iota(distance.begin(), distance.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = distance[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] != to[j]);
      diagonal = distance[j + 1];
      distance[j + 1] = std::min({replaced, distance[j] + 1, distance[j + 1] + 1});
    }
  }
  return distance.back();
}

// The smaller, the likelier.
auto unlikeliness(const std::string& word, const std::string& candidate) {
  const std::string name = lower_case(candidate);
  return std::tuple(!name.starts_with(word), name.find(word) == name.npos,
                    edit_distance(word, name));
}

}  // namespace

std::string with_thousands(std::int64_t value) {
  std::string text = fmt::format("{}", value);
  const int first_digit = value < 0 ? 1 : 0;
  for (int at = static_cast<int>(text.size()) - 3; at > first_digit; at -= 3) text.insert(at, ",");
  return text;
}

std::string human_bytes(double bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr double shown_as_1024 = 1023.95;  // with its one decimal, so the next unit is better
  std::size_t unit = 0;
  for (; bytes >= shown_as_1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  if (bytes == 1 && unit == 0) return "1 byte";
  return fmt::format("{:.{}f} {}", bytes, bytes == std::floor(bytes) ? 0 : 1, units[unit]);
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = lower_case(word);
  const auto nearest = std::min_element(candidates.begin(), candidates.end(),
                                        [&](const std::string& a, const std::string& b) {
                                          return unlikeliness(wanted, a) < unlikeliness(wanted, b);
                                        });
  return nearest == candidates.end() ? "" : *nearest;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace gemm_tutor
