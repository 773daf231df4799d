#include "simt/isa/matrix.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/isa/ptx_row.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

std::optional<MatrixElement> element_named(std::string_view word) {
  constexpr std::pair<std::string_view, MatrixElement> names[] = {
      {"f16", MatrixElement::f16},   {"bf16", MatrixElement::bf16}, {"tf32", MatrixElement::tf32},
      {"e4m3", MatrixElement::e4m3}, {"e5m2", MatrixElement::e5m2}, {"s8", MatrixElement::s8},
      {"u8", MatrixElement::u8},     {"s4", MatrixElement::s4},     {"u4", MatrixElement::u4},
      {"f64", MatrixElement::f64},   {"f32", MatrixElement::f32},   {"s32", MatrixElement::s32}};
  const auto found =
      std::ranges::find(names, word, &std::pair<std::string_view, MatrixElement>::first);
  return found == std::end(names) ? std::nullopt : std::optional(found->second);
}

// Of a shape such as m16n8k16.
bool read_shape(std::string_view word, MatrixProduct& product) {
  for (const auto& [letter, size] :
       {std::pair{'m', &product.rows}, {'n', &product.columns}, {'k', &product.depth}}) {
    if (word.empty() || word[0] != letter) return false;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), *size);
    if (error != std::errc()) return false;
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  }
  return word.empty();
}

// The shapes of mma.sync by the elements of A.
struct Shape {
  int rows, columns, depth;
};

bool has_shape(const MatrixProduct& product) {
  const auto is = [&](std::initializer_list<Shape> shapes) {
    return std::ranges::any_of(shapes, [&](const Shape& shape) {
      return product.rows == shape.rows && product.columns == shape.columns &&
             product.depth == shape.depth;
    });
  };
  switch (product.a) {
    case MatrixElement::f16:
    case MatrixElement::bf16:
      return is({{16, 8, 16}, {16, 8, 8}});
    case MatrixElement::tf32:
      return is({{16, 8, 8}, {16, 8, 4}});
    case MatrixElement::e4m3:
    case MatrixElement::e5m2:
      return is({{16, 8, 32}, {16, 8, 16}});
    case MatrixElement::s8:
    case MatrixElement::u8:
      return is({{16, 8, 32}, {16, 8, 16}, {8, 8, 16}});
    case MatrixElement::s4:
    case MatrixElement::u4:
      return is({{16, 8, 64}, {16, 8, 32}, {8, 8, 32}});
    case MatrixElement::f64:
      return is({{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}});
    default:
      return false;
  }
}

bool fit_together(const MatrixProduct& product, bool is_wmma) {
  using enum MatrixElement;
  const auto [a, b, sum] = std::tuple(product.a, product.b, product.sum);
  const auto is_float = [](MatrixElement element) { return element == f16 || element == f32; };
  // Of wmma in FP16, one may be FP16 and the other FP32.
  const bool may_differ = is_wmma && a == f16 && is_float(sum) && is_float(product.addend);
  if (product.addend != sum && !may_differ) return false;
  const auto is_integer = [](MatrixElement element) { return element >= s8 && element <= u4; };
  const auto is_small = [](MatrixElement element) { return element == e4m3 || element == e5m2; };
  if (is_integer(a)) return is_integer(b) && bits_of(a) == bits_of(b) && sum == s32;
  if (is_small(a)) return is_small(b) && (sum == f32 || sum == f16);
  if (a != b) return false;
  if (a == f64) return sum == f64;
  return sum == f32 || (a == f16 && sum == f16);
}

// Of a shape of wmma: makes the rows and columns those of mma. Returns false for an unknown shape.
bool split_into_parts(MatrixProduct& product) {
  if (product.a == MatrixElement::f64)
    return product.rows == 8 && product.columns == 8 && product.depth == 4;
  const bool is_tf32 = product.a == MatrixElement::tf32;
  const bool is_fp8 = product.a == MatrixElement::e4m3 || product.a == MatrixElement::e5m2;
  if (is_fp8 || product.depth != (is_tf32 ? 8 : 16)) return false;
  if (product.rows == 8 && product.columns == 32) {
    std::swap(product.rows, product.columns);
    std::swap(product.a, product.b);
    product.is_transposed = true;
  }
  const bool is_wide = product.rows == 16 && product.columns == 16;
  if (!is_wide && (is_tf32 || product.rows != 32 || product.columns != 8)) return false;
  product.parts_down = product.rows / 16, product.parts_across = product.columns / 8;
  product.rows = 16, product.columns = 8;
  return true;
}

// True if wmma has such a shape with these elements, of A and B or of the sums.
bool is_of_wmma(MatrixProduct shape, MatrixElement element, bool is_sum) {
  using enum MatrixElement;
  shape.a = !is_sum                              ? element
            : element == s32                     ? s8
            : element == f64                     ? f64
            : shape.depth == 8 && element == f32 ? tf32
                                                 : f16;
  if (is_sum && !(element == f16 || element == f32 || element == s32 || element == f64))
    return false;
  return split_into_parts(shape) && has_shape(shape);
}

// By architecture, as measured and as published: the source is at the head of matrix.hpp. FP8 on
// Hopper is converted to FP16 and multiplied in two steps, and C is added to their sum.
void set_rule(MatrixProduct& product, int architecture) {
  using enum MatrixElement;
  constexpr int hopper = 90;
  const bool is_fp8 = product.a == e4m3 || product.a == e5m2;
  const int of_half = architecture >= hopper ? 16 : 8;
  product.at_once = std::min(product.a == tf32 ? of_half / 2 : of_half, product.depth);
  product.fraction_bits = architecture >= hopper ? 25 : 24;
  if (is_fp8 && architecture >= hopper) {
    product.at_once = product.depth / 2;
    product.adds_c_last = true;
  } else if (is_fp8) {
    product.at_once = 16;
    product.fraction_bits = 13;
  }
}

}  // namespace

std::optional<MatrixProduct> matrix_product(std::string_view opcode, int architecture) {
  const std::vector<std::string> words = split(opcode, '.');
  const bool is_wmma = words[0] == "wmma";
  MatrixProduct product;
  int shapes = 0, layouts = 0;
  std::vector<MatrixElement> elements;
  for (const std::string& word : words) {
    if (const auto element = element_named(word)) {
      elements.push_back(*element);
    } else if (word == "satfinite") {
      product.saturates = true;
    } else if (is_one_of(word, {"row", "col"})) {
      ++layouts;
    } else if (read_shape(word, product)) {
      ++shapes;
    } else if (!is_one_of(word, {"wmma", "mma", "sync", "aligned", "rn", "kind::f8f6f4"})) {
      return {};
    }
  }
  if (shapes != 1 || layouts != 2) return {};
  // Of FP16, wmma names the sums alone.
  if (is_wmma && elements.size() == 2) elements.insert(elements.begin() + 1, 2, MatrixElement::f16);
  if (elements.size() != 4) return {};
  product.sum = elements[0], product.a = elements[1], product.b = elements[2];
  product.addend = elements[3];
  if (is_wmma && !split_into_parts(product)) return {};
  constexpr std::array<std::string_view, 2> layout = {"row", "col"};
  const auto found = std::search(words.begin(), words.end(), layout.begin(), layout.end());
  if (!is_wmma && found == words.end()) return {};
  if (!fit_together(product, is_wmma) || !has_shape(product)) return {};
  if (product.saturates && product.sum != MatrixElement::s32) return {};
  set_rule(product, architecture);
  const auto registers = [](int size, MatrixElement element) {
    return size / 32 * bits_of(element) / (element == MatrixElement::f64 ? 64 : 32);
  };
  product.registers_of_a = registers(product.rows * product.depth, product.a);
  product.registers_of_b = registers(product.depth * product.columns, product.b);
  product.registers_of_c = registers(product.rows * product.columns, product.addend);
  product.registers_of_d = registers(product.rows * product.columns, product.sum);
  return product;
}

std::optional<MatrixMove> matrix_move(std::string_view opcode) {
  MatrixMove move;
  bool is_whole = false, is_half = false;
  for (const std::string& word : split(opcode, '.')) {
    if (word == "ldmatrix")
      move.kind = MatrixMove::Kind::load;
    else if (word == "stmatrix")
      move.kind = MatrixMove::Kind::store;
    else if (word == "movmatrix")
      move.kind = MatrixMove::Kind::transpose;
    else if (word == "x1" || word == "x2" || word == "x4")
      move.count = word[1] - '0';
    else if (word == "trans")
      move.transposed = true;
    else if (word == "m8n8")
      is_whole = true;
    else if (word == "b16")
      is_half = true;
    else if (!is_one_of(word, {"sync", "aligned", "shared", "shared::cta"}))
      return {};
  }
  if (!is_whole || !is_half) return {};
  if (move.kind == MatrixMove::Kind::transpose && !move.transposed) return {};
  return move;
}

std::optional<MatrixAccess> matrix_access(std::string_view opcode) {
  const std::vector<std::string> words = split(opcode, '.');
  const bool is_store = words.size() > 2 && words[1] == "store";
  if (words.size() < 3 || words[2].size() != 1 ||
      std::string_view(is_store ? "d" : "abc").find(words[2]) == std::string_view::npos)
    return {};
  const char use = is_store ? 'c' : words[2][0];
  MatrixAccess access;
  access.is_store = is_store;
  MatrixProduct shape;
  bool is_row = false;
  int elements = 0, shapes = 0, layouts = 0;
  for (std::size_t w = 3; w < words.size(); ++w) {
    const std::string& word = words[w];
    if (const auto element = element_named(word)) {
      access.element = *element;
      ++elements;
    } else if (is_one_of(word, {"row", "col"})) {
      is_row = word == "row";
      ++layouts;
    } else if (read_shape(word, shape)) {
      ++shapes;
    } else if (!is_one_of(word, {"sync", "aligned", "global", "shared", "shared::cta"})) {
      return {};
    }
  }
  if (elements != 1 || shapes != 1 || layouts != 1) return {};
  if (!is_of_wmma(shape, access.element, use == 'c')) return {};
  const auto [rows, columns, depth] = std::tuple(shape.rows, shape.columns, shape.depth);
  const int bits = bits_of(access.element);
  const bool is_transposed = rows == 8 && columns == 32;
  if (use == 'c') {
    // In parts of 16 × 8 or, for doubles, 8 × 8.
    const int lines = is_transposed ? columns : rows, along = is_transposed ? rows : columns;
    const int down = std::min(lines, 16);
    access.elements = 2;
    access.registers = bits == 16 ? 1 : 2;
    for (int line = 0; line < lines; line += down) {
      for (int at = 0; at < along; at += 8) {
        for (int half = 0; half < down; half += 8) access.tiles.push_back({line + half, at, 0});
      }
    }
    access.along_memory = is_row != is_transposed;
    access.stride = is_row ? columns : rows;
  } else {
    const bool is_a = use == 'a';
    const int lines = is_a ? rows : columns;
    const bool is_left = is_a != is_transposed;  // has the place of A in the product
    access.elements = bits == 64 ? 1 : 32 / bits;
    const int down = is_left ? std::min(lines, 16) : 8;
    for (int line = 0; line < lines; line += down) {
      for (int at = 0; at < depth; at += 4 * access.elements) {
        for (int half = 0; half < down; half += 8) access.tiles.push_back({line + half, at, 0});
      }
    }
    access.along_memory = is_row == is_a;
    access.stride = access.along_memory ? depth : lines;
  }
  for (MatrixAccess::Tile& tile : access.tiles) {
    tile.reg = access.registers * static_cast<int>(&tile - access.tiles.data());
  }
  access.all_registers = access.registers * static_cast<int>(access.tiles.size());
  if (use != 'c' && access.element == MatrixElement::f16) access.all_registers = 8;
  return access;
}

}  // namespace gemm_tutor::simt
