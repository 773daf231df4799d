#pragma once
#include "report/layout.hpp"
#include "course/glossary.hpp"
namespace gemm_tutor { inline void add_term(Page& p,const Term& t){p.row({},{},{{t.name}});} inline void add_terms(Page& p,const std::vector<Term>& t){p.row({},{},{{t[0].name}});} }
