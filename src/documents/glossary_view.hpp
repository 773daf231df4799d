// Shows the glossary.
#pragma once

#include <string>
#include <vector>

#include "course/glossary.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A term's other names, text, example and lesson, without its name.
Parts term_parts(const Term& term);

// All terms with one sentence each.
Definitions term_definitions(const std::vector<Term>& terms);

// The report of `explain`, with further commands.
Document term_document(const Term& term);
Document terms_document(const std::vector<Term>& terms);

// {"term": {"name", "also", "text", "example", "lesson"}}, and {"terms": […]} of such. Texts are
// Markdown.
std::string term_json(const Term& term);
std::string terms_json(const std::vector<Term>& terms);

}  // namespace gemm_tutor
