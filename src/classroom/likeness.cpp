#include "classroom/likeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "source/token.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t words_of_piece = 8, fewest_pieces = 40;
constexpr double least_share = 0.95;
constexpr int fewest_lines = 5;
constexpr double most_lines = 0.8, few_lines = 0.25;

// The token's text, with one word for all names.
std::string word_of(const source::Token& token) {
  return token.is_name() ? "name" : std::string(trimmed(token.text));
}

// Runs of words.
std::set<std::string> pieces_of(const std::string& source) {
  std::vector<std::string> words;
  for (const source::Token& token : source::tokens_of(source)) {
    if (token.kind == source::Token::Kind::comment) continue;
    words.push_back(word_of(token));
  }
  std::set<std::string> pieces;
  for (std::size_t i = 0; i + words_of_piece <= words.size(); ++i) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    pieces.insert(join({begin, begin + words_of_piece}, " "));
  }
  return pieces;
}

// How often each line occurs, in such words.
using Lines = std::map<std::string, int>;
Lines lines_of(const std::string& source, bool with_comments) {
  std::map<int, std::string> texts;
  for (const source::Token& token : source::tokens_of(source)) {
    if (token.kind == source::Token::Kind::comment && !with_comments) continue;
    texts[token.line] += word_of(token) + ' ';
  }
  Lines lines;
  constexpr std::size_t shortest = 12;  // not "} ", which any text has
  for (const auto& [line, text] : texts) {
    if (text.size() >= shortest) ++lines[text];
  }
  return lines;
}

// The share of the lines that `some` has and `others` do not that are in `text`, and their number.
std::pair<double, int> share_of_own(const Lines& some, const Lines& others, const Lines& text) {
  const auto times = [](const Lines& lines, const std::string& line) {
    const auto found = lines.find(line);
    return found == lines.end() ? 0 : found->second;
  };
  int own = 0, found = 0;
  for (const auto& [line, count] : some) {
    const int more = std::max(0, count - times(others, line));
    own += more;
    found += std::clamp(times(text, line) - times(others, line), 0, more);
  }
  return {own == 0 ? 0 : static_cast<double>(found) / own, own};
}

}  // namespace

std::string likeness_text(const Exercise& exercise, const std::string& source) {
  std::string text = source;
  std::erase(text, '\r');
  if (trimmed(text) == trimmed(exercise.solution)) return "is the text of the solution";
  if (exercise.terms.kind == ExerciseKind::gaps) {
    for (const bool with_comments : {true, false}) {
      const Lines lines = lines_of(text, with_comments),
                  solved = lines_of(exercise.solution, with_comments),
                  handed = lines_of(exercise.handout, with_comments);
      const auto [kept, of_handout] = share_of_own(handed, solved, lines);
      if (of_handout >= fewest_lines && kept <= few_lines &&
          share_of_own(solved, handed, lines).first >= most_lines) {
        return "has the lines of the solution, and not those of the handout";
      }
    }
    return "";
  }
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
