#include "support/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <numeric>
#include <tuple>

namespace gemm_tutor {
namespace {

// Characters inserted, deleted, replaced, or swapped with the next (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  constexpr std::size_t longest_word = 200;  // longer words are not compared
  if (std::max(from.size(), to.size()) > longest_word) return from.size() + to.size();
  std::vector<std::vector<std::size_t>> distance(from.size() + 1,
                                                 std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const bool differs = from[i - 1] != to[j - 1];
      std::size_t least = std::min(
          {distance[i - 1][j - 1] + differs, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      const bool can_swap = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (can_swap) least = std::min(least, distance[i - 2][j - 2] + 1);
      distance[i][j] = least;
    }
  }
  return distance[from.size()][to.size()];
}

// Smaller is more likely.
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

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", with_thousands(count), what, count == 1 ? "" : "s");
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

std::string near_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  const std::string wanted = lower_case(word), found = lower_case(nearest);
  const bool is_part = !wanted.empty() && found.find(wanted) != found.npos;
  return is_part || 3 * edit_distance(wanted, found) < wanted.size() ? nearest : "";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string range_text(std::string_view what, int first, int last) {
  return first == last ? fmt::format("{} {}", what, first)
                       : fmt::format("{}s {} to {}", what, first, last);
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

std::string in_sentence(std::string text) {
  const auto is_in = [](char c, char from, char to) { return c >= from && c <= to; };
  if (text.size() > 1 && is_in(text[0], 'A', 'Z') && is_in(text[1], 'a', 'z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  return text.substr(begin, end > begin ? end - begin : 0);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:=@%-";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3;
  }
  return hash;
}

std::string with_references(std::string_view text,
                            const std::function<std::optional<std::string>(std::string_view)>& of) {
  std::string filled;
  for (;;) {
    const std::size_t open = text.find('{'), close = text.find('}', open);
    if (open == text.npos || close == text.npos) return filled.append(text);
    const auto found = of(text.substr(open + 1, close - open - 1));
    filled.append(text.substr(0, found ? open : open + 1)).append(found.value_or(""));
    text.remove_prefix(found ? close + 1 : open + 1);
  }
}

std::string encode_fields(const Fields& fields) {
  std::string bytes;
  for (const std::string& field : fields) bytes += fmt::format("{}:", field.size()) + field;
  return bytes;
}

std::optional<Fields> decode_fields(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
    bytes.remove_prefix(end - bytes.data());
    if (error != std::errc() || !bytes.starts_with(':') || bytes.size() - 1 < size) return {};
    fields.emplace_back(bytes.substr(1, size));
    bytes.remove_prefix(1 + size);
  }
  return fields;
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

namespace {

constexpr char32_t replacement = 0xfffd;
constexpr std::string_view replacement_bytes = "\ufffd";
constexpr int tab_columns = 4;

CodePoint first_code_point(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_int32_t value = 0;
  const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length < 0) return {replacement, text.substr(0, 1)};
  return {static_cast<char32_t>(value), text.substr(0, static_cast<std::size_t>(length))};
}

// C0, DEL and C1.
bool is_control(char32_t value) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(value)) == UTF8PROC_CATEGORY_CC;
}

}  // namespace

std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> result;
  while (!text.empty()) {
    result.push_back(first_code_point(text));
    text.remove_prefix(result.back().bytes.size());
  }
  return result;
}

int columns_of(char32_t code_point) {
  if (is_control(code_point)) return 1;
  return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point));
}

std::string printable(std::string_view text, char kept) {
  std::string result;
  int column = 0;
  for (const CodePoint& point : code_points(text)) {
    const int width =
        point.value == '\t' ? tab_columns - column % tab_columns : columns_of(point.value);
    if (point.value == '\t') {
      result.append(static_cast<std::size_t>(width), ' ');
    } else if (point.value == replacement ||
               (is_control(point.value) && point.bytes.front() != kept)) {
      result += replacement_bytes;
    } else {
      result += point.bytes;
    }
    column = point.value == '\n' ? 0 : column + width;
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string clean = printable(text);
  const std::vector<CodePoint> points = code_points(clean);
  if (points.size() <= most) return clean;
  const auto end = points[most].bytes.data() - clean.data();
  return clean.substr(0, static_cast<std::size_t>(end)) + "…";
}

}  // namespace gemm_tutor
