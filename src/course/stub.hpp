#pragma once
#include "report/layout.hpp"
#include "support/text.hpp"
#include "course/kernel_run.hpp"
#include "course/progress.hpp"
namespace gemm_tutor { struct MarkdownSection{std::string heading,text;};
inline std::vector<MarkdownSection> sections(std::string_view m){ std::vector<MarkdownSection> r{{}}; for(auto& l:split_lines(m)){ if(l.starts_with("## ")) r.push_back({l.substr(3),""}); else if(!l.starts_with("# ")) r.back().text+=l+"\n";} return r;}
inline void add_markdown(Page& p,std::string_view m){ for(auto&l:split_lines(m)) p.row({},{},{{l}}); }
inline KernelRun plan_kernel(const Lesson& a,const Kernel& b,const Settings& c,const RunOptions& d){return run_kernel(a,b,c,d);}
inline void add_lessons(Page& p,const std::vector<Lesson>& ls,const Progress&){ for(auto&l:ls) p.row({},{},{{l.title}});}
}
