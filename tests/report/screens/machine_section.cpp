// The machine code of a run that is filled in by hand.
#include "report/lesson_document.hpp"
#include "report/sample_machine_code.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

using Kind = simt::InstructionKind;

std::string code_of(const CodeSample& code, MachineDetail detail = MachineDetail::hot_loop) {
  const std::string report = code.report(detail, 80);
  return sections(report, "Source", "Machine");
}

const Screens hot_loop("machine_code", [](const Show& show) {
  show("the hot loop", code_of(tile_code()));
  show("all of it", code_of(tile_code(), MachineDetail::all));
  CodeSample code;
  code.add(2, "FFMA", Kind::ffma, sum_line, no_loop, 10);
  show("no loop", code_of(code));
  code = tile_code();
  code.run().emulation->total.ptx.shared_load_requests = 4000;
  code.add(2, "LDL", Kind::local_load, sum_line, inner_loop, 1000)
      .add(3, "STL", Kind::local_store, sum_line, outer_loop, 100);
  show("joined loads, and arrays in local memory", code_of(code));
  code.run().launch->resources.spill_store_bytes = 12;
  show("spilled registers", section_of(code.report(MachineDetail::hot_loop, 80), "Machine"));
});

const Screens registers("machine_registers", [](const Show& show) {
  CodeSample code = tile_code();
  int at = 0;
  for (simt::MachineInstruction& machine : code.run().emulation->machine) {
    if (machine.kind != Kind::ffma) continue;
    const bool is_plain = at > 0;  // else it has a sign or a mode
    machine.ffma = simt::machine::text_with_operands({.name = "FFMA",
                                                      .destination = {at, 1},
                                                      .sources = {{{64, 1}, {72, 1}, {at, 1}}},
                                                      .reuse = at == 2 ? 1 : 0});
    if (!is_plain) machine.ffma.clear();
    machine.register_bank_conflicts = at == 2 ? 1 : 0;
    ++at;
  }
  show("the first FFMAs of the hot loop, with their registers and a bank conflict", code_of(code));
});

}  // namespace
}  // namespace gemm_tutor
