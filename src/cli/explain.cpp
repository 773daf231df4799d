#include "cli/command.hpp"
#include "report/glossary_view.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> words;  // of one term: "bank conflict"
  FormatOption format;

  void add_to(CLI::App& app) {
    add_argument(app, "WORD", words,
                 "such as warp, or bank conflict (default: all of them, one line each)");
    format.add_to(app);
  }
};

Outcome explain(const ExplainOptions& options, const GeneralOptions& general) {
  const bool json = options.format.format() == Format::json;
  const Terminal terminal = general.terminal();
  if (options.words.empty()) {
    return {json ? terms_json(glossary()) : terminal_text(terms_document(glossary()), terminal)};
  }
  const GlossaryTerm& term = find_term(join(options.words, " "));
  return {json ? term_json(term) : terminal_text(term_document(term), terminal)};
}

}  // namespace

Command add_explain(CLI::App& parent) {
  return add_command(
      parent, "explain", "What a word of the course means", explain,
      {.about = "Explains a word of the course, with an example from a lesson and the words "
                "that go with it. Capitals, hyphens and plurals do not matter.",
       .examples = {{"gemm-tutor explain bank conflict",
                     "what the word means, with an example from a lesson"},
                    {"gemm-tutor explain", "all words of the course, one line each"}}});
}

}  // namespace gemm_tutor::cli
