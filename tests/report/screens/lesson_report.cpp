// Reports of lessons and of kernels of the user's own.
#include "report/lesson_document.hpp"

#include <fmt/format.h>

#include <bit>

#include "gemm/matrices.hpp"
#include "report/sample_findings.hpp"
#include "report/sample_run.hpp"
#include "screens.hpp"
#include "simt/check/fault.hpp"

namespace gemm_tutor {
namespace {

std::string report_of(const Sample& sample, const Terminal& terminal = golden_terminal) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

std::string report_of(const OwnSample& sample) {
  return terminal_text(kernel_document({sample.run}), golden_terminal);
}

const Screens whole("lesson_report", [](const Show& show) {
  show("on the emulator", report_of(emulated_sample()));
  show("on the CPU", report_of(cpu_sample()));
  show("in ASCII", report_of(emulated_sample(), {false, false, 80}));
  show("60 columns wide", report_of(emulated_sample(), {false, true, 60}));
});

const Screens own("own_kernel", [](const Show& show) {
  show("some elements never written", report_of(own_sample()));
  OwnSample sample = own_sample();
  sample.run.warnings = {{3, "no return", "mine.cu(3): warning: no return\n  }\n  ^"}};
  show("with a warning of the compiler", sections(report_of(sample), "Warnings", "Result"));
  sample = own_sample();
  sample.run.traffic.count_is_exact = false;
  sample.run.emulation->blocks_emulated = 148;
  show("some blocks emulated", section_of(report_of(sample), "Traffic"));
  sample.run.kept_from_gpu = true;
  show("kept from the GPU", section_of(report_of(sample), "Timing"));
  sample = own_sample();
  sample.run.emulation->findings = {simt::finding_of({.fault = simt::Fault::endless, .line = 6})};
  sample.run.emulation->stopped = true;
  sample.run.emulation->exact = sample.run.traffic.count_is_exact = false;
  sample.run.wrong.unwritten.reset();
  show("stopped at an endless loop", report_of(sample));
});

const Screens work("lesson_work", [](const Show& show) {
  Sample sample = emulated_sample();
  show("conflicts of shared memory", section_of(report_of(sample), "Work"));
  sample.run.emulation->total.unmatched_requests = 40;
  show("some requests are not matched to machine code", section_of(report_of(sample), "Source"));
  sample.run.compiler = "clang 14.0.6";
  sample.run.emulation->shared_as_in_machine_code = false;
  show("no machine code", section_of(report_of(sample), "Source"));
  sample = emulated_sample();
  sample.run.emulation->total.shared_load_conflicts = 0;
  sample.run.emulation->copied_bytes_in_flight = 1024;
  show("no conflict, and asynchronous copies", section_of(report_of(sample), "Work"));
});

const Screens source("lesson_source", [](const Show& show) {
  Sample sample = emulated_sample();
  sample.run.excerpt.erase(sample.run.excerpt.begin() + 3, sample.run.excerpt.begin() + 5);
  show("lines left out", section_of(report_of(sample), "Source"));
  sample = emulated_sample();
  sample.run.emulation->lines[2].operands[0].conflicts = 0;
  show("no conflicts", section_of(report_of(sample), "Source"));
  show("with colours", section_of(report_of(emulated_sample(), {true, true, 80}), "Source"));
  sample = emulated_sample();
  sample.run.excerpt[0].text = "\tif (x)\ty = 漢\x1b[31m;";
  sample.run.excerpt.resize(2);
  show("a tab, a wide character and an escape", section_of(report_of(sample), "Source"));
  sample = emulated_sample();
  for (simt::LineCounters& line : sample.run.emulation->lines) {
    std::erase_if(line.operands, [](const simt::OperandCounters& operand) {
      return operand.space == simt::MemorySpace::shared;
    });
  }
  show("no shared memory", section_of(report_of(sample), "Source"));
});

const Screens traffic("lesson_traffic", [](const Show& show) {
  Sample sample = emulated_sample();
  show("as the formula says", section_of(report_of(sample), "Traffic"));
  sample.run.traffic.counted_loads = 536870913;
  show("one float more", section_of(report_of(sample), "Traffic"));

  sample = emulated_sample();
  sample.run.emulation->exact = false;
  sample.run.emulation->blocks_emulated = 148;
  sample.run.traffic.count_is_exact = false;
  sample.run.comparison->exact = false;
  sample.run.verification.elements_checked = 151552;
  show("some blocks emulated", sections(report_of(sample), "Traffic", "Work", "Result"));

  sample = cpu_sample();
  sample.run.traffic.count_is_exact = false;
  show("some rows counted on the CPU", section_of(report_of(sample), "Traffic"));

  sample = emulated_sample();
  sample.run.predicted.is_exact = false;
  show("not whole tiles, and right all the same", section_of(report_of(sample), "Traffic"));
  sample.run.traffic.counted_loads = 1;
  show("not whole tiles", section_of(report_of(sample), "Traffic"));
  sample.lesson->kernels.front().shape = [](const Settings& s) {
    LaunchShape shape;
    shape.tile_rows = s["BM"];
    shape.tile_columns = s["BN"];
    return shape;
  };
  show("tiles cut at the edges", section_of(report_of(sample), "Traffic"));
  sample.run.problem.n = 1;
  show("a tile larger than C", section_of(report_of(sample), "Traffic"));

  sample = emulated_sample();
  TrafficFormula& formula = sample.lesson->kernels.front().traffic;
  formula.loads = formula.stores = "1/(K - K)";
  sample.run.predicted = {{}, {}, false};
  show("a formula without a value", section_of(report_of(sample), "Traffic"));

  sample = emulated_sample();
  for (const auto& [floats, sectors] : {std::pair{1.0, 6.6}, {0.97, 1.04}, {0.5, 1.0}}) {
    sample.run.comparison = Comparison{&find_lesson("1"), floats, sectors, true};
    show(fmt::format("{} times fewer floats, {} times fewer sectors", floats, sectors),
         section_of(report_of(sample), "Traffic"));
  }
});

const Screens timing("lesson_timing", [](const Show& show) {
  Sample sample = emulated_sample();
  show("recorded", section_of(report_of(sample), "Timing"));
  sample.run.gpu_is_missing = true;
  show("recorded, and this machine has no GPU", section_of(report_of(sample), "Timing"));
  sample.run.gpu_is_missing = false;
  sample.run.gpu = simt::find_gpu("h200");
  sample.run.emulation->total.global_load_bytes = 4ull << 30;
  sample.run.emulation->total.shared_load_bytes = 8ull << 30;
  show("below the roofline", section_of(report_of(sample), "Timing"));
  sample.run.emulation->total.global_load_bytes = 64ull << 30;
  show("above the roofline", section_of(report_of(sample), "Timing"));
  sample.run.recorded.reset();
  show("not recorded", section_of(report_of(sample), "Timing"));
  show("on the CPU", section_of(report_of(cpu_sample()), "Timing"));

  sample = emulated_sample();
  sample.run.backend = Backend::gpu;
  sample.run.recorded.reset();
  sample.run.timing = RunTiming{Backend::gpu, 50, 1.84, 1.80, 9.3, 0.33, 18.0};
  show("measured", section_of(report_of(sample), "Timing"));
  sample.run.timing.reset();
  show("wrong", section_of(report_of(sample), "Timing"));
});

const Screens result("lesson_result", [](const Show& show) {
  Sample sample = emulated_sample();
  Verification& verification = sample.run.verification;
  verification.elements_checked = verification.elements_total = 1;
  show("one element", section_of(report_of(sample), "Result"));

  sample = emulated_sample();
  verification.passed = false;
  verification.wrong_elements = 5;
  verification.first_wrong = WrongElement{3, 7, 0.5f, 0.25, 1e-6};
  show("wrong", section_of(report_of(sample), "Result"));
  verification.first_wrong = WrongElement{1000, 1000, 0.12345678f, 0.25, 1e-6};
  show("a long value", section_of(report_of(sample), "Result"));
  verification.unwritten_elements = 2;
  verification.first_wrong->value = std::bit_cast<float>(poison_bits);
  show("never written", section_of(report_of(sample), "Result"));

  sample = emulated_sample();
  sample.run.emulation->findings = {sample_race(9, 1200)};
  show("right in spite of races", section_of(report_of(sample), "Result"));
  sample.run.emulation->findings = {sample_unwritten(5)};
  show("elements that were not written", section_of(report_of(sample), "Result"));
});

const Screens next("lesson_next", [](const Show& show) {
  const Sample cpu = cpu_sample(), tile = emulated_sample();
  show("of a lesson with two kernels and a lesson after it",
       section_of(terminal_text(lesson_document({cpu.run, tile.lesson.get()}), golden_terminal),
                  "Next"));
  show("of a lesson with an exercise", section_of(report_of(tile), "Next"));
});

}  // namespace
}  // namespace gemm_tutor
