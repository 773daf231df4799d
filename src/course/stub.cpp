#include "course/progress.hpp"
#include "course/question.hpp"
#include "course/kernel_run.hpp"
namespace gemm_tutor {
Score score_of(const LessonProgress&){return {};} Score score_of(const Progress&){return {};}
std::filesystem::path progress_path(){return {};}
ProgressFile::ProgressFile(std::filesystem::path p):path_(p){}
bool ProgressFile::save(){return true;} std::string ProgressFile::take_notice(){return "";}
Problem problem_of(const Question&,const Kernel&,const Settings&,const Problem& p){return p;}
Values values_before(const Kernel&,const Settings&,const Problem&){return {};}
std::string filled_in(std::string_view t,const Values&){return std::string(t);}
std::variant<Answer,std::string> parse_answer(const Question&,std::string_view,const Values&){return Answer{};}
Checked check(const Question&,const Answer&,const KernelRun&){return {};}
}
