#include "documents/thread_words.hpp"

#include <fmt/format.h>

#include "support/text.hpp"
#include "view/style.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_blocks = 8;  // of elements, that are named one by one

// "A + 9·512 = &A[9][0]", of a pointer; before the matrix' beginning there is no element.
std::string pointer_text(const Worked& worked) {
  const std::string to = worked.results.empty()
                             ? fmt::format("{} + ({})", worked.matrix, worked.values[0])
                             : "&" + worked.results[0];
  return worked.filled == to ? to : fmt::format("{} = {}", worked.filled, to);
}

// "row = 2·128 + 9 = 265".
std::string worked_text(const Worked& worked) {
  switch (worked.kind) {
    case Worked::Kind::condition:
      return fmt::format("{}: {}", worked.filled, worked.values[0] != 0 ? "true" : "false");
    case Worked::Kind::call:
      return worked.filled;
    case Worked::Kind::element:
      return worked.results[0] == worked.filled
                 ? worked.filled
                 : fmt::format("{} = {}", worked.filled, worked.results[0]);
    case Worked::Kind::pointer:
      return fmt::format("{} = {}", worked.name, pointer_text(worked));
    default:
      break;
  }
  const std::string value = std::to_string(worked.values[0]);
  return worked.filled.empty() || worked.filled == value
             ? fmt::format("{} = {}", worked.name, value)
             : fmt::format("{} = {} = {}", worked.name, worked.filled, value);
}

std::string blocks_text(const std::vector<ElementBlock>& blocks) {
  std::vector<std::string> texts;
  std::int64_t left_out = 0;
  for (const ElementBlock& block : blocks) {
    if (texts.size() < most_blocks) {
      texts.push_back(unbreakable(block.text()));
    } else {
      left_out += block.elements();
    }
  }
  if (left_out > 0) texts.push_back(fmt::format("and {} more", with_thousands(left_out)));
  return join(texts);
}

std::int64_t count_of(const std::vector<ElementBlock>& blocks) {
  std::int64_t count = 0;
  for (const ElementBlock& block : blocks) count += block.elements();
  return count;
}

}  // namespace

// The name of a line's only variable stands in the line.
std::string in_words(const WorkedLine& line) {
  const Worked& first = line.worked.front();
  if (line.worked.size() == 1 && first.kind == Worked::Kind::variable) {
    return first.filled.empty() ? fmt::format("{}", first.values[0])
                                : fmt::format("{} = {}", first.filled, first.values[0]);
  }
  if (line.worked.size() == 1 && first.kind == Worked::Kind::pointer) return pointer_text(first);
  std::vector<std::string> texts;
  for (const Worked& worked : line.worked) texts.push_back(unbreakable(worked_text(worked)));
  return join(texts, ";  ");
}

std::string in_words(const LineAccess& access) {
  const std::string times =
      access.requests == 1 ? "" : fmt::format("  ({} requests)", with_thousands(access.requests));
  return fmt::format("{} {}{}", access.store ? "writes" : "reads", blocks_text(access.elements),
                     times);
}

std::string in_words(const std::vector<ElementBlock>& owned) {
  return fmt::format("{} of C: {}", counted(count_of(owned), "element"), blocks_text(owned));
}

}  // namespace gemm_tutor
