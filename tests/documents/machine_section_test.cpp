// The machine code of a run that is filled in by hand: lesson 3's, of 2×2 elements per thread.
#include "documents/machine_section.hpp"

#include "catch.hpp"
#include "documents/json.hpp"
#include "documents/lesson_document.hpp"
#include "documents/lesson_json.hpp"
#include "documents/source.hpp"
#include "sample_run.hpp"
#include "support/error.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
using machine::Kind;

namespace {

constexpr int outer_loop = 1, inner_loop = 0, no_loop = -1;
constexpr int copies_line = 6, sum_line = 11, no_line = 0, hidden_line = 2;

struct CodeSample {
  Sample sample = emulated_sample();

  CodeSample() { sample.run.emulation->machine.clear(); }

  CodeSample& add(int copies, const char* name, Kind kind, int line, int loop,
                  std::uint64_t executions, int bits = 0) {
    for (int i = 0; i < copies; ++i) {
      machine::Instruction instruction{.name = name, .kind = kind, .bits = bits};
      instruction.predicate = i % 8;  // which tells no two apart
      sample.run.emulation->machine.push_back({instruction, line, loop, executions});
    }
    return *this;
  }

  KernelRun& run() { return sample.run; }

  std::string report(MachineDetail detail = MachineDetail::hot_loop, int width = 160) const {
    const LessonReport report{.run = sample.run, .machine = detail};
    return terminal_text(lesson_document(report), {false, true, width});
  }
};

// An inner loop of 8 steps along K for each of 4 elements, and what surrounds it.
CodeSample tile_code() {
  CodeSample code;
  code.add(2, "S2R", Kind::move, hidden_line, no_loop, 10)
      .add(1, "LDG", Kind::global_load, copies_line, outer_loop, 100)
      .add(2, "STS", Kind::shared_store, copies_line, outer_loop, 100)
      .add(1, "LDS", Kind::shared_load, sum_line, inner_loop, 1000, 128)
      .add(16, "FFMA", Kind::ffma, sum_line, inner_loop, 1000)
      .add(1, "LDS", Kind::shared_load, sum_line, inner_loop, 1000, 128)
      .add(4, "LDS", Kind::shared_load, sum_line, inner_loop, 1000, 32)
      .add(16, "FFMA", Kind::ffma, sum_line, inner_loop, 1000)
      .add(3, "IMAD", Kind::integer, sum_line, outer_loop, 100)
      .add(1, "BRA", Kind::control, no_line, outer_loop, 100);
  BlockTrace trace;
  trace.shape.block = {32, 32, 1};
  trace.shape.tile_rows = trace.shape.tile_columns = 64;
  trace.source = code.run().lesson->source;
  code.run().trace = trace;
  return code;
}

}  // namespace

TEST_CASE("below a line is its machine code in the hot loop, copies folded and executions beside") {
  const std::string text = tile_code().report(MachineDetail::hot_loop, 80);
  CHECK(contains(text,
                 "     │ LDS.128 ×2  FFMA ×32  LDS ×4  and 3 outside"
                 "                        38,000\n"));
  CHECK(contains(text,
                 "     │ 3 instructions outside of the hot loop"
                 "                                300\n"));
  CHECK_FALSE(contains(text, "@P"));
  CHECK(contains(
      tile_code().report(),
      "Of all instructions 2 come from lines that are not shown, and 1 from no line of the "
      "source."));
  CHECK(widest(text) <= 80);
}

TEST_CASE("all of the machine code is shown loop by loop, and the loops are listed") {
  const std::string text = tile_code().report(MachineDetail::all);
  CHECK(contains(text, "     │ hot loop: LDS.128 ×2  FFMA ×32  LDS ×4"));
  CHECK(contains(text, "     │ loop 1: IMAD ×3"));
  CHECK(contains(text, "     │ loop 1: LDG  STS ×2"));
  CHECK(contains(text, "loop 1      lines 6 to 11: 7 instructions, 100 iterations"));
  CHECK(contains(text, "hot loop    line 11: 38 instructions, 1,000 iterations"));
  CHECK(contains(text, "in no loop  line 2: 2 instructions"));

  CodeSample both = tile_code();
  both.add(2, "FFMA", Kind::ffma, sum_line, outer_loop, 100);
  CHECK(contains(both.report(MachineDetail::all), "│ hot loop: LDS.128 ×2  FFMA ×32  LDS ×4"));
  CHECK(contains(both.report(MachineDetail::all), "│ loop 1: IMAD ×3  FFMA ×2"));
}

TEST_CASE("the hot loop is the one in which most is executed, not the longest") {
  CodeSample code = tile_code();
  CHECK(machine_code(code.run()).hot_loop == inner_loop);
  code.add(10000, "IADD3", Kind::integer, copies_line, outer_loop, 1);
  CHECK(machine_code(code.run()).hot_loop == inner_loop);
  code.add(1, "IADD3", Kind::integer, copies_line, outer_loop, 1000000);
  CHECK(machine_code(code.run()).hot_loop == outer_loop);
}

TEST_CASE("code without a loop is shown as it is") {
  CodeSample code;
  code.add(2, "FFMA", Kind::ffma, sum_line, no_loop, 10);
  const std::string text = code.report();
  CHECK(contains(text, "     │ FFMA ×2 "));
  CHECK(contains(text, "The code has no loop: 2 instructions, 2 of them FFMA."));
}

TEST_CASE("the steps along K of an iteration are said where the counts tell them") {
  const std::string unrolled = "Unrolling put 8 steps along K for each of a thread's 4 elements";
  CodeSample code = tile_code();
  CHECK(contains(code.report(), unrolled));
  code.run().trace->shape.tile_rows = 63;  // not divisible by the threads
  CHECK_FALSE(contains(code.report(), "Unrolling"));
  code.run().trace->shape.tile_rows = 64;
  CHECK(contains(code.report(), unrolled));
  code.add(4, "FFMA", Kind::ffma, sum_line, inner_loop, 500);  // in some iterations alone
  CHECK_FALSE(contains(code.report(), "Unrolling"));
  code.run().trace.reset();
  CHECK_FALSE(contains(code.report(), "Unrolling"));
}

TEST_CASE("joined loads and spills are named") {
  CodeSample code = tile_code();
  CHECK_FALSE(contains(code.report(), "joined"));
  CHECK_FALSE(contains(code.report(), "LDL"));
  emulator::Counters& total = code.run().emulation->total;
  total.ptx.shared_load_requests = 4000;
  CHECK(
      contains(code.report(), "Loads of shared memory: 4,000 as written in PTX, 1,000 executed."));
  total.ptx.shared_load_requests = total.shared_load_requests;
  CHECK_FALSE(contains(code.report(), "joined"));

  code.add(2, "LDL", Kind::local_load, sum_line, inner_loop, 1000)
      .add(3, "STL", Kind::local_store, sum_line, outer_loop, 100);
  CHECK(contains(code.report(), "Arrays in local memory: 3 STL and 2 LDL"));
  code.run().resources->spill_store_bytes = 12;
  CHECK(contains(code.report(),
                 "Registers were spilled to local memory: 3 STL and 2 LDL, 2 of them in the hot "
                 "loop."));
  CHECK(contains(code.report(), "LDL "));
}

TEST_CASE("bank conflicts of registers are said below the line and in all") {
  CodeSample code = tile_code();
  CHECK_FALSE(contains(code.report(), "bank conflict of registers"));
  CHECK_FALSE(contains(code.report(), "with a bank conflict"));
  int left = 3;
  for (emulator::MachineInstruction& machine : code.run().emulation->machine) {
    if (machine.instruction.kind != Kind::ffma || left == 0) continue;
    machine.register_bank_conflicts = left--;
  }
  CHECK(contains(code.report(), "FFMA ×32, 3 with a bank conflict"));
  CHECK(contains(code.report(), "6 bank conflicts of registers in one iteration."));
}

TEST_CASE("the first FFMAs of the hot loop are shown with their registers, and which are reused") {
  CodeSample code = tile_code();
  CHECK_FALSE(contains(code.report(), ".reuse"));
  int at = 0;
  for (emulator::MachineInstruction& machine : code.run().emulation->machine) {
    if (machine.instruction.kind != Kind::ffma) continue;
    machine.instruction.predicate = 7;
    machine.instruction.is_plain_ffma = at > 0;  // else it has a sign or a mode
    machine.instruction.destination = {at, 1};
    machine.instruction.sources = {{{64, 1}, {72, 1}, {at, 1}}};
    machine.instruction.reuse = at == 2 ? 1 : 0;
    machine.register_bank_conflicts = at == 2 ? 1 : 0;
    ++at;
  }
  const std::string text = code.report();
  CHECK_FALSE(contains(text, "FFMA R0, R64"));
  CHECK(contains(text, "         FFMA R1, R64, R72, R1\n"));
  CHECK(contains(text, "         FFMA R2, R64.reuse, R72, R2  bank conflict\n"));
  CHECK(contains(text, "FFMA R8, R64, R72, R8\n"));
  CHECK_FALSE(contains(text, "FFMA R9,"));
}

TEST_CASE("the legend has what is shown, the most executed first, and ten at most") {
  const std::string text = tile_code().report();
  const std::size_t ffma = text.find("\n         FFMA "), lds = text.find("\n         LDS ");
  REQUIRE(ffma != text.npos);
  REQUIRE(lds != text.npos);
  CHECK(ffma < lds);
  CHECK_FALSE(contains(text, "\n         IMAD "));
  CHECK(contains(tile_code().report(MachineDetail::all), "\n         IMAD "));

  CodeSample many;
  for (const char* name :
       {"FFMA", "FMUL", "FADD", "LDG", "STG", "LDL", "STL", "BAR", "IMAD", "LEA", "LOP3", "SHF"}) {
    many.add(1, name, Kind::integer, sum_line, inner_loop, 10);
  }
  many.add(1, "MOV", Kind::move, sum_line, inner_loop, 11);
  const Section section =
      machine_section(many.run(), machine_code(many.run()), MachineDetail::hot_loop);
  const auto& legend = std::get<Definitions>(section.parts.back().content).definitions;
  CHECK(legend.size() == 10);
  CHECK(plain_text(legend.front().name) == "MOV");
}

TEST_CASE("the function that the hot loop's code comes from is shown as well") {
  CodeSample code = tile_code();
  code.run().trace->source =
      "__device__ void far(float& sum, float a) {\n  sum += a;\n}\n" + code.run().trace->source;
  code.add(1, "FFMA", Kind::ffma, 2, inner_loop, 1000);
  CHECK(contains(code.report(),
                 "   2 │   sum += a;\n"
                 "     │ FFMA "));
}

TEST_CASE("a run without machine code has none to show") {
  const Sample sample = emulated_sample();
  const KernelRun& run = sample.run;
  CHECK_THROWS_AS(machine_code(run), Error);
  CHECK_THROWS_AS(lesson_json(run, true), Error);
  CHECK_THROWS_AS(source_section(run, {}, MachineDetail::all), Error);
}

TEST_CASE("a page has the machine code among its answers") {
  const CodeSample code = tile_code();
  const LessonReport report{.run = code.sample.run, .machine = MachineDetail::hot_loop};
  const std::string html = html_page(lesson_document(report));
  CHECK(contains(html,
                 "<div class=\"after\">\n<div class=\"facts\">\n<p><code>LDS.128 ×2</code>  "
                 "<code>FFMA ×32</code>  <code>LDS ×4</code>"));
  CHECK(contains(html, "<span class=\"beside\">  <span class=\"dim\">38,000</span></span>"));
  CHECK(contains(html, "<div class=\"after\">\n<section>\n<h2>The machine code</h2>"));
}

TEST_CASE("JSON has each line's machine code where it is asked for") {
  const CodeSample code = tile_code();
  CHECK_FALSE(contains(lesson_json(code.sample.run), "machine_code"));
  const Json json = Json::parse(lesson_json(code.sample.run, true))["counters"];
  CHECK(json["machine_code"] == Json::parse(R"([{"text": "BRA", "copies": 1, "executions": 100,
                                                 "in_hot_loop": false}])"));
  CHECK(json["lines"][2]["line"] == sum_line);
  CHECK(json["lines"][2]["machine_code"] ==
        Json::parse(
            R"([{"text": "LDS.128", "copies": 2, "executions": 2000, "in_hot_loop": true},
                {"text": "FFMA", "copies": 32, "executions": 32000, "in_hot_loop": true},
                {"text": "LDS", "copies": 4, "executions": 4000, "in_hot_loop": true},
                {"text": "IMAD", "copies": 3, "executions": 300, "in_hot_loop": false}])"));
}
