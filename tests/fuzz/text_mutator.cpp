#include "text_mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gemm_tutor::fuzz {
namespace {

using Random = std::minstd_rand;

std::size_t below(std::size_t end, Random& random) {
  return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

bool one_in(std::size_t count, Random& random) { return below(count, random) == 0; }

template <typename Range>
auto any_of(const Range& range, Random& random) {
  return range[below(std::size(range), random)];
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

bool is_blank(char c) { return c == ' ' || c == '\t'; }

using Tokens = std::vector<std::string>;

// Words, blanks, and every other character by itself.
Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    for (const auto is_part : {is_word, is_blank}) {
      if (is_part(text[at]))
        end = std::find_if_not(text.begin() + at, text.end(), is_part) - text.begin();
    }
    tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

struct Part {
  std::size_t begin = 0, end = 0;
};

// A few tokens; a line or a statement half of the time.
Part any_part(const Tokens& tokens, Random& random) {
  std::size_t begin = below(tokens.size(), random);
  if (one_in(2, random)) {
    return {begin, std::min(tokens.size(), begin + 1 + below(one_in(4, random) ? 40 : 3, random))};
  }
  const std::string separator = one_in(2, random) ? "\n" : ";";
  while (begin > 0 && tokens[begin - 1] != separator) --begin;
  const auto last = std::find(tokens.begin() + begin, tokens.end(), separator);
  return {begin, static_cast<std::size_t>(last - tokens.begin()) + (last != tokens.end())};
}

Tokens copy_of(const Tokens& tokens, const Part& part) {
  return {tokens.begin() + part.begin, tokens.begin() + part.end};
}

void insert(Tokens& tokens, std::size_t at, const Tokens& what) {
  tokens.insert(tokens.begin() + at, what.begin(), what.end());
}

void erase(Tokens& tokens, const Part& part) {
  tokens.erase(tokens.begin() + part.begin, tokens.begin() + part.end);
}

// The place of a token that `is_wanted`, or any where there is none near.
template <typename Test>
std::size_t place_of(const Tokens& tokens, const Test& is_wanted, Random& random) {
  const std::size_t from = below(tokens.size(), random);
  const auto found = std::find_if(tokens.begin() + from, tokens.end(), is_wanted);
  return found == tokens.end() ? from : found - tokens.begin();
}

bool is_name(const std::string& token) { return is_word(token[0]) && !std::isdigit(token[0]); }
bool is_number(const std::string& token) { return std::isdigit(token[0]); }
bool is_mark(const std::string& token) { return !is_word(token[0]) && !is_blank(token[0]); }

std::string misspelt(std::string word, Random& random) {
  const std::size_t at = below(word.size(), random);
  switch (below(4, random)) {
    case 0:
      word.erase(at, 1);
      break;
    case 1:
      word.insert(at, 1, word[at]);
      break;
    case 2:
      std::swap(word[at], word[word.size() - 1 - at]);
      break;
    default:
      word[at] = static_cast<char>(word[at] ^ ' ');
      break;  // the other case
  }
  return word;
}

constexpr std::array<std::string_view, 22> numbers = {"0",
                                                      "1",
                                                      "2",
                                                      "3",
                                                      "7",
                                                      "8",
                                                      "31",
                                                      "32",
                                                      "33",
                                                      "-1",
                                                      "0x7fffffff",
                                                      "2147483648",
                                                      "4294967295",
                                                      "4294967296",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "18446744073709551615",
                                                      "99999999999999999999999",
                                                      "1e400",
                                                      "0.5f",
                                                      "1000000",
                                                      "0x"};

constexpr std::array<std::string_view, 16> stray = {
    "\xc3\xa9",     "\xe2\x80\x9c", "\xff", std::string_view("\0", 1),
    "\r\n",         "\\\n",         "/*",   "*/",
    "//",           "\"",           "'",    "R\"(",
    "\xef\xbb\xbf", "\x1b[31m",     "#",    "?\?/"};

constexpr std::array<std::array<std::string_view, 2>, 5> brackets = {
    {{"(", ")"}, {"{", "}"}, {"[", "]"}, {"<", ">"}, {"(-", ")"}}};

// Far more than anyone writes, where there is room for it.
std::size_t many(std::size_t size, std::size_t room, Random& random) {
  const std::size_t most = std::min<std::size_t>(room / std::max<std::size_t>(size, 1), 20000);
  return std::min(most, std::size_t{1} << below(15, random));
}

std::size_t size_of(const Tokens& tokens) {
  std::size_t size = 0;
  for (const std::string& token : tokens) size += token.size();
  return size;
}

void nest(Tokens& tokens, std::size_t room, Random& random) {
  const auto& [open, close] = any_of(brackets, random);
  const Part part = any_part(tokens, random);
  const std::size_t depth = many(open.size() + close.size(), room, random);
  if (!one_in(4, random)) insert(tokens, part.end, Tokens(depth, std::string(close)));
  insert(tokens, part.begin, Tokens(depth, std::string(open)));
}

void repeat(Tokens& tokens, std::size_t room, Random& random) {
  const Part part = any_part(tokens, random);
  const Tokens copy = copy_of(tokens, part);
  Tokens copies;
  for (std::size_t left = many(size_of(copy), room, random); left > 0; --left) {
    copies.insert(copies.end(), copy.begin(), copy.end());
  }
  insert(tokens, part.end, copies);
}

// `tokens` are not empty.
void change(Tokens& tokens, std::size_t room, Random& random) {
  const std::size_t at = below(tokens.size(), random);
  switch (below(13, random)) {
    case 0:
      erase(tokens, any_part(tokens, random));
      break;
    case 1:
      insert(tokens, at, copy_of(tokens, any_part(tokens, random)));
      break;
    case 2:
      std::swap(tokens[at], tokens[below(tokens.size(), random)]);
      break;
    case 3: {
      std::string& name = tokens[place_of(tokens, is_name, random)];
      name = misspelt(name, random);
      break;
    }
    case 4:
    case 5: {
      const std::string other = one_in(2, random) ? tokens[place_of(tokens, is_name, random)]
                                                  : std::string(any_of(words, random));
      tokens[place_of(tokens, is_name, random)] = other;
      break;
    }
    case 6:
    case 7:
      tokens[place_of(tokens, is_number, random)] = any_of(numbers, random);
      break;
    case 8:
      tokens[place_of(tokens, is_mark, random)].clear();
      break;
    case 9:
      tokens[place_of(tokens, is_mark, random)] = tokens[place_of(tokens, is_mark, random)];
      break;
    case 10:
      insert(tokens, at, {std::string(any_of(words, random))});
      break;
    case 11:
      insert(tokens, at, {std::string(any_of(stray, random))});
      break;
    default:
      one_in(2, random) ? nest(tokens, room, random) : repeat(tokens, room, random);
      break;
  }
}

std::size_t write(const Tokens& tokens, std::uint8_t* data, std::size_t most) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  const std::size_t size = std::min(text.size(), most);
  std::memcpy(data, text.data(), size);
  return size;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace
}  // namespace gemm_tutor::fuzz

using namespace gemm_tutor::fuzz;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Random random(seed);
  if (one_in(8, random)) return LLVMFuzzerMutate(data, size, most);
  Tokens tokens = tokens_of(text_of(data, size));
  do {
    std::erase(tokens, "");
    if (tokens.empty()) return LLVMFuzzerMutate(data, size, most);
    const std::size_t used = size_of(tokens);
    change(tokens, used < most ? most - used : 0, random);
  } while (one_in(2, random));  // mostly one or two: text with many faults is soon refused
  return write(tokens, data, most);
}

// A part of one text in the place of a part of the other.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* data, std::size_t most,
                                                 unsigned seed) {
  Random random(seed);
  Tokens tokens = tokens_of(text_of(one, one_size));
  const Tokens others = tokens_of(text_of(other, other_size));
  if (!tokens.empty() && !others.empty()) {
    const Part part = any_part(tokens, random);
    if (one_in(2, random)) erase(tokens, part);
    insert(tokens, part.begin, copy_of(others, any_part(others, random)));
  }
  return write(tokens, data, most);
}
