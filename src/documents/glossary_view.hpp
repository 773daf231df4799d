// What the words of the course mean.
#pragma once

#include <string>
#include <vector>

#include "course/glossary.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A term's other names, its text, its example and its lesson, but not its own name.
Parts term_parts(const Term& term);

// All of them, a sentence each.
Definitions term_definitions(const std::vector<Term>& terms);

// What `explain` says, with what to type next.
Document term_document(const Term& term);
Document terms_document(const std::vector<Term>& terms);

// {"term": {"name", "also", "text", "example", "lesson"}}, and {"terms": […]} of such. Texts are
// Markdown.
std::string term_json(const Term& term);
std::string terms_json(const std::vector<Term>& terms);

}  // namespace gemm_tutor
