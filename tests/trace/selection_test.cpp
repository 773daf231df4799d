#include "trace/selection.hpp"

#include "checks.hpp"
#include "sample_trace.hpp"
#include "simt/check/fault.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

// Line 2 has a costly store behind neighbours that are alike, line 3 but neighbours, in two steps
// of warp 0.
Trace trace_of_two_lines() {
  Trace trace = sample_trace();
  const Access row = access_of({}, [](int lane) { return 4 * lane; });
  const Access next = access_of({}, [](int lane) { return 256 + 4 * lane; });
  const Access column = access_of({.store = true}, [](int lane) { return 256 * lane; });
  const auto on_line = [](Access access, int line, std::uint64_t step) {
    access.line = line;
    access.step = step;
    return access;
  };
  trace.result.accesses = {on_line(row, 2, 0),  on_line(row, 3, 0), on_line(next, 3, 0),
                           on_line(next, 3, 0), on_line(row, 3, 1), on_line(column, 3, 1),
                           on_line(row, 0, 0)};  // the last in another file
  Access of_warp_1 = row;
  of_warp_1.warp = 1;
  of_warp_1.line = 4;
  trace.result.accesses.push_back(of_warp_1);
  return trace;
}

Error selection_error(const Trace& trace, const Selection& selection) {
  const Error error = error_of([&] { select(trace, selection); });
  CHECK(error.status() == ExitStatus::usage);
  return error;
}

void check_error(const Selection& selection, const std::string& what, const std::string& help) {
  const Error error = selection_error(trace_of_two_lines(), selection);
  CHECK(std::string(error.what()) == what);
  CHECK(std::string(error.help()) == help);
}

}  // namespace

TEST_CASE("requests that differ only in where they begin are one, with their number") {
  const std::vector<SelectedLine> lines = select(trace_of_two_lines(), {});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].line == 2);
  CHECK(lines[0].text == "  first;");
  CHECK(lines[0].accesses.size() == 1);
  CHECK(lines[0].accesses[0].alike == 0);
  CHECK(lines[1].line == 3);
  REQUIRE(lines[1].accesses.size() == 1);
  CHECK(lines[1].accesses[0].alike == 2);
  CHECK(lines[1].accesses[0].picture.global()->first.text() == "A[0][0]");
}

TEST_CASE("what costs more than it must comes first") {
  Trace trace = trace_of_two_lines();
  const std::vector<SelectedLine> second = select(trace, {.step = 1});
  REQUIRE(second.size() == 1);
  REQUIRE(second[0].accesses.size() == 2);
  CHECK(second[0].accesses[0].picture.is_costly());  // though it ran last
  CHECK_FALSE(second[0].accesses[1].picture.is_costly());

  for (Access& access : trace.result.accesses) access.step = 0;
  const std::vector<SelectedLine> all = select(trace, {});
  REQUIRE(all.size() == 2);
  CHECK(all[0].line == 3);
  CHECK(all[0].is_costly());
  CHECK_FALSE(all[1].is_costly());
}

TEST_CASE("one line of one warp") {
  CHECK(select(trace_of_two_lines(), {.line = 2}).size() == 1);
  const std::vector<SelectedLine> lines = select(trace_of_two_lines(), {.warp = 1});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].line == 4);
}

TEST_CASE("errors say which warps, lines and steps there are") {
  check_error({.warp = 2}, "there is no warp 2 in a block of 64 threads", "Give one from 0 to 1.");
  check_error({.line = 1}, "warp 0 makes no access to memory in line 1",
              "It does in the lines 2, 3.");
  check_error({.line = 4}, "warp 0 makes no access to memory in line 4", "Other warps do: 1.");
  check_error({.line = 3, .step = 2}, "there is no step 2 of line 3: warp 0 executes it 2 times",
              "Give one from 0 to 1.");
  check_error({.line = 2, .step = 1}, "there is no step 1 of line 2: warp 0 executes it 1 time",
              "The only step is 0.");
  check_error({.step = 2}, "there is no step 2: warp 0 executes no line more than 2 times",
              "Give one from 0 to 1.");
}

TEST_CASE("a line that is missing because the kernel failed says so") {
  Trace trace = trace_of_two_lines();
  trace.findings.push_back(simt::finding_of({.fault = simt::Fault::end_of_body, .line = 3}));
  CHECK(std::string(selection_error(trace, {.line = 7}).help()) ==
        "It does in the lines 2, 3. The kernel failed in line 3: " + message(trace.findings[0]));
}

TEST_CASE("a warp that does nothing to memory has no lines") {
  Trace trace = sample_trace();
  CHECK(select(trace, {}).empty());
  CHECK(std::string(selection_error(trace, {.line = 2}).help()) == "It accesses no memory at all.");
}

}  // namespace gemm_tutor
