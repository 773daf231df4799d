#include "support/utf8.hpp"

#include <utf8proc.h>

namespace gemm_tutor {
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
