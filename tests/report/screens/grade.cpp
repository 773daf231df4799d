// Gradebooks that are filled in by hand.
#include "report/grade_report.hpp"
#include "report/sample_gradebook.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

const Screens gradebooks("gradebook", [](const Show& show) {
  const auto screen = [](const SampleGradebook& sample, bool times) {
    return terminal_text(grade_document(sample.book, times), golden_terminal);
  };
  show("one exercise", screen(SampleGradebook({"anna", "bob"}, 1), false));
  show("with times", screen(SampleGradebook({"anna", "bob"}, 1), true));
  show("three exercises", screen(SampleGradebook({"anna", "bob"}, 3), false));
  show(
      "long names, and twenty exercises",
      screen(SampleGradebook({std::string(300, 'x'), "\u4f60\u597d\u4f60\u597d", "\x1b[31m\n"}, 20),
             false));
});

}  // namespace
}  // namespace gemm_tutor
