#include "classroom/likeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "source/token.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t words_of_piece = 8, fewest_pieces = 40;
constexpr double least_share = 0.95;

// Runs of words, with one word for all names.
std::set<std::string> pieces_of(const std::string& source) {
  std::vector<std::string> words;
  for (const source::Token& token : source::tokens_of(source)) {
    if (token.kind == source::Token::Kind::comment) continue;
    words.push_back(token.is_name() ? "name" : std::string(token.text));
  }
  std::set<std::string> pieces;
  for (std::size_t i = 0; i + words_of_piece <= words.size(); ++i) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    pieces.insert(join({begin, begin + words_of_piece}, " "));
  }
  return pieces;
}

}  // namespace

std::string likeness_text(const Exercise& exercise, const std::string& source) {
  if (trimmed(source) == trimmed(exercise.solution)) return "is the text of the solution";
  if (exercise.terms.kind == ExerciseKind::gaps) return "";
  const std::set<std::string> known = pieces_of(exercise.handout),
                              solved = pieces_of(exercise.solution);
  std::size_t added = 0, alike = 0;
  for (const std::string& piece : pieces_of(source)) {
    if (known.contains(piece)) continue;
    ++added;
    alike += solved.contains(piece) ? 1 : 0;
  }
  const double share = added == 0 ? 0 : static_cast<double>(alike) / static_cast<double>(added);
  if (added < fewest_pieces || share < least_share) return "";
  return fmt::format("has the structure of the solution in {:.0f} % of what it adds", 100 * share);
}

}  // namespace gemm_tutor
