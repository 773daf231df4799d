// Shows the glossary.
#pragma once

#include <string>
#include <vector>

#include "course/glossary.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A term's other names, text, example and lesson, without its name.
Parts term_parts(const GlossaryTerm& term);

// All terms with one sentence each.
Definitions term_definitions(const std::vector<GlossaryTerm>& terms);

// The report of `explain`, with further commands.
Document term_document(const GlossaryTerm& term);
Document terms_document(const std::vector<GlossaryTerm>& terms);

// {"term": {"name", "also", "text", "example", "lesson"}}, and {"terms": […]} of such. Texts are
// Markdown.
std::string term_json(const GlossaryTerm& term);
std::string terms_json(const std::vector<GlossaryTerm>& terms);

}  // namespace gemm_tutor
