// What the words of the course mean, on a page and as `explain` prints it.
#pragma once

#include <string>
#include <vector>

#include "course/glossary.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {

// A term's other names, its text, its example and its lesson: its own name is the page's title.
void add_term(Page& page, const Term& term);

// All of them, a sentence each.
void add_terms(Page& page, const std::vector<Term>& terms);

std::string term_text(const Term& term, const Terminal& terminal);
std::string terms_text(const std::vector<Term>& terms, const Terminal& terminal);

// {"term": {"name", "also", "text", "example", "lesson"}}, and {"terms": […]} of such. Texts are
// Markdown.
std::string term_json(const Term& term);
std::string terms_json(const std::vector<Term>& terms);

}  // namespace gemm_tutor
