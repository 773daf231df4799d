#include <memory>

#include "cli/command.hpp"
#include "documents/glossary_view.hpp"

namespace gemm_tutor::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> words;  // of one term: "bank conflict"
  FormatOption format;
};

Outcome explain(const ExplainOptions& options, const ColorOption& color) {
  const bool json = options.format.format() == Format::json;
  const Terminal terminal = color.terminal();
  if (options.words.empty()) {
    return {json ? terms_json(glossary()) : terms_text(glossary(), terminal)};
  }
  const Term& term = find_term(join(options.words, " "));
  return {json ? term_json(term) : term_text(term, terminal)};
}

}  // namespace

Command add_explain(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("explain", "What a word of the course means");
  const auto options = std::make_shared<ExplainOptions>();
  app->add_option("WORD", options->words,
                  "such as warp, or bank conflict (default: all of them, a line each)")
      ->type_name("");
  options->format.add_to(*app);
  color.add_to(*app);
  return {app,
          [options, &color] { return explain(*options, color); },
          {.about = "Explains a word of the course, with an example from a lesson and the words "
                    "that go with it. Capitals, hyphens and plurals do not matter.",
           .examples = {{"gemm-tutor explain bank conflict",
                         "what the word means, with an example from a lesson"},
                        {"gemm-tutor explain", "all words of the course, a line each"}},
           .statuses = {}}};
}

}  // namespace gemm_tutor::cli
