// Drawn requests of memory.
#include "report/trace_report.hpp"
#include "screens.hpp"
#include "simt/check/fault.hpp"
#include "trace/sample_trace.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr Request load_shared{MemorySpace::shared}, store_shared{MemorySpace::shared, true};

struct Drawing {
  Trace trace = sample_trace();
  Selection selection;

  explicit Drawing(const std::vector<Access>& accesses) { trace.result.accesses = accesses; }

  std::string text(const Terminal& terminal = golden_terminal) const {
    const std::vector<SelectedLine> lines = select(trace, selection);
    return terminal_text(trace_document({trace, selection, lines}, traced(trace)), terminal);
  }
};

std::string drawn(const Access& access, const Terminal& terminal = golden_terminal) {
  return section_of(Drawing({access}).text(terminal), "Memory");
}

const Access row = access_of({}, [](int lane) { return 4 * lane; });
const Access column = access_of({}, [](int lane) { return 256 * lane; });
const Access bank_column = access_of(load_shared, [](int lane) { return 128 * lane; });
const Access float4_row =
    access_of({MemorySpace::shared, false, 16}, [](int lane) { return 16 * lane; });

const Screens global("trace_global", [](const Show& show) {
  show("a row", Drawing({row}).text());
  show("a column", drawn(column));
  const Access other_row = access_of({}, [](int lane) { return 256 + 4 * lane; });
  show("two rows alike", section_of(Drawing({row, other_row}).text(), "Memory"));
  show("two lanes", drawn(access_of({.active = 3}, [](int lane) { return 260 * lane + 96; })));
  show("misaligned", drawn(access_of({.bytes = 16}, [](int lane) { return 16 * lane + 4; })));
  show("out of bounds", drawn(access_of({}, [](int lane) { return 4 * lane - 8; })));
  show("eight lanes", drawn(access_of({.active = 0xff}, [](int lane) { return 4 * lane; })));
  show("in colours", drawn(column, {true, true, 80}));
  show("60 columns wide", drawn(row, {false, true, 60}));
});

const Screens shared("trace_shared", [](const Show& show) {
  show("a column of banks", drawn(bank_column));
  show("16 bytes per lane", drawn(float4_row));
  show("a broadcast", drawn(access_of(load_shared, [](int lane) { return lane / 16 * 8; })));
  show("stores to the same word", drawn(access_of(store_shared, [](int) { return 20; })));
  show("stores to other bytes of the same word",
       drawn(access_of({MemorySpace::shared, true, 1}, [](int lane) { return lane; })));
  Access copy = float4_row;
  copy.asynchronous = copy.store = true;
  show("an asynchronous copy", drawn(copy));
  show("in colours", drawn(bank_column, {true, true, 80}));
  show("in ASCII", drawn(bank_column, {false, false, 80}));
  show("60 columns wide", drawn(bank_column, {false, true, 60}));
  show("16 bytes per lane, 60 columns wide", drawn(float4_row, {false, true, 60}));
});

const Screens head("trace_head", [](const Show& show) {
  Drawing drawing({row});
  drawing.trace.result.accesses[0].warp = 1;
  drawing.selection.warp = 1;
  show("another warp", drawing.text());
  drawing = Drawing({row});
  drawing.trace.result.all_accesses = false;
  show("more accesses than are kept", drawing.text());
  drawing = Drawing({row});
  drawing.trace.findings = {simt::finding_of(
      {.fault = simt::Fault::divergent_barrier, .line = 3, .threads = {{5, 0, 0}, {6, 0, 0}}})};
  drawing.trace.result.stopped = true;
  show("stopped at a barrier", drawing.text());
  drawing.trace.result.accesses.clear();
  show("stopped before any request", drawing.text());
});

}  // namespace
}  // namespace gemm_tutor
