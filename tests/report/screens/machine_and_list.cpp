// What a machine can do, the lessons and the overview.
#include "report/device_report.hpp"
#include "report/list_report.hpp"
#include "report/sample_machine.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

const Screens device("device", [](const Show& show) {
  const auto screen = [](const Machine& machine) {
    return terminal_text(device_document(machine), golden_terminal);
  };
  show("with a GPU", screen(machine_with_gpu()));
  Machine machine = machine_without_gpu();
  show("without a GPU", screen(machine));
  machine.clang = {.available = true, .name = "clang 14.0.6", .path = "/usr/bin/clang-14"};
  show("with two compilers", screen(machine));
  machine.compiler = machine.clang;
  machine.nvrtc = {.problem = "no libnvrtc", .help = "Install the toolkit."};
  show("with clang alone", screen(machine));
  machine.compiler = machine.nvrtc;
  machine.clang = {};
  show("without a compiler", screen(machine));
});

const Screens list("list", [](const Show& show) {
  const auto screen = [](const StoredProgress& stored) {
    return terminal_text(list_document(two_lessons(), stored), golden_terminal);
  };
  show("not begun", screen({}));
  StoredProgress stored = begun();
  show("begun", screen(stored));
  stored.progress.lessons["shared-memory-tile"].done = true;
  show("all is done", screen(stored));
  stored = {};
  stored.path = "/state/progress.json";
  stored.state = StoredProgress::State::unreadable;
  show("a file that cannot be read", screen(stored));
  show("the overview",
       terminal_text(overview_document("1.2.3", two_lessons(), begun()), golden_terminal));
});

}  // namespace
}  // namespace gemm_tutor
