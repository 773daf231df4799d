// Drawn requests, character by character.
#include "documents/trace_report.hpp"

#include "catch.hpp"
#include "documents/access_words.hpp"
#include "documents/json.hpp"
#include "trace/sample_trace.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

using emulator::Access;
using emulator::MemorySpace;

constexpr Request load_shared{MemorySpace::shared};

struct Drawing {
  Trace trace = sample_trace();
  Selection selection;

  explicit Drawing(const std::vector<Access>& accesses) { trace.result.accesses = accesses; }

  std::string text(const Terminal& terminal = {}) const {
    const std::vector<SelectedLine> lines = select(trace, selection);
    return terminal_text(trace_document({trace, selection, lines}), terminal);
  }
  Json json() const {
    const std::vector<SelectedLine> lines = select(trace, selection);
    return Json::parse(trace_json({trace, selection, lines}));
  }
};

std::string drawn(const Access& access, const Terminal& terminal = {}) {
  return Drawing({access}).text(terminal);
}

const Access row = access_of({}, [](int lane) { return 4 * lane; });
const Access column = access_of({}, [](int lane) { return 256 * lane; });
const Access bank_column = access_of(load_shared, [](int lane) { return 128 * lane; });
const Access float4_row =
    access_of({MemorySpace::shared, false, 16}, [](int lane) { return 16 * lane; });

const std::vector<Access> all = {row, column, bank_column, float4_row};

}  // namespace

TEST_CASE("lanes as ranges, as every so many, and all") {
  CHECK(lanes_text(0xffffffff) == "all 32");
  CHECK(lanes_text(1) == "0");
  CHECK(lanes_text(0xff00) == "8-15");
  CHECK(lanes_text(0x80000001) == "0,31");
  CHECK(lanes_text(0x11111111) == "0,4..28");
  CHECK(lanes_text(0x00ff00f1) == "0,4-7,16-23");
}

TEST_CASE("a global request is a row of sectors for each line of 128 bytes") {
  CHECK(contains(drawn(row),
                 "   2 │   first;\n"
                 "     │ global load from A[0][0] on · 4 bytes per lane\n"
                 "     │ 4 sectors in 1 line of 128 bytes · 128 of 128 bytes used\n"
                 "     │ lanes in      │sector 0     │sector 1     │sector 2     │sector 3     │\n"
                 "     │ A[0][0]       │0-7          │8-15         │16-23        │24-31        │\n"
                 "     │ 32 neighbouring floats: no fewer sectors could hold them.\n"));
}

TEST_CASE("of many lines the first and the last are drawn") {
  CHECK(contains(drawn(column),
                 "     │ ! global load from A[0][0] on · 4 bytes per lane\n"
                 "     │ 32 sectors in 32 lines of 128 bytes · 128 of 1,024 bytes used\n"
                 "     │ lanes in      │sector 0     │sector 1     │sector 2     │sector 3     │\n"
                 "     │ A[0][0]       │0            │             │             │             │\n"
                 "     │ A[1][0]       │1            │             │             │             │\n"
                 "     │ A[2][0]       │2            │             │             │             │\n"
                 "     │ A[3][0]       │3            │             │             │             │\n"
                 "     │ … 27 lines more\n"
                 "     │ A[31][0]      │31           │             │             │             │\n"
                 "     │ Each lane is in another row, 256 bytes apart: each row's sector is moved\n"
                 "     │ for one float.\n"
                 "     │ → Neighbouring lanes would have to take neighbouring floats: 32 of them\n"
                 "     │   fit in 4 sectors.\n"));
}

TEST_CASE("a shared request is a row of banks for each pass, with what would help") {
  CHECK(contains(
      drawn(bank_column),
      "     │ ! shared load from tile[0][0] on · 4 bytes per lane\n"
      "     │ 32 wavefronts, 31 by bank conflicts\n"
      "     │ bank       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
      "     │ pass 1     0\n"
      "     │ pass 2     1\n"
      "     │ pass 3     2\n"
      "     │ pass 4     3\n"
      "     │ … 27 passes more\n"
      "     │ pass 32   31\n"
      "     │ banks 16 to 31 deliver nothing\n"
      "     │ The lanes want 32 different words of bank 0: words 32 floats apart fall\n"
      "     │ into 1 of the 32 banks.\n"
      "     │ → Rows padded to tile[32][33] would cause 0 conflicts here instead of 31.\n"));
}

TEST_CASE("quarters of a warp are drawn one after the other, in both halves of the banks") {
  CHECK(contains(
      drawn(float4_row),
      "     │ bank       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
      "     │ 0-7 p1     0   0   0   0   1   1   1   1   2   2   2   2   3   3   3   3\n"
      "     │ 8-15 p1    8   8   8   8   9   9   9   9  10  10  10  10  11  11  11  11\n"
      "     │ 16-23 p1  16  16  16  16  17  17  17  17  18  18  18  18  19  19  19  19\n"
      "     │ 24-31 p1  24  24  24  24  25  25  25  25  26  26  26  26  27  27  27  27\n"
      "     │ bank      16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
      "     │ 0-7 p1     4   4   4   4   5   5   5   5   6   6   6   6   7   7   7   7\n"));
  CHECK(contains(drawn(float4_row), "     │ 0-7 p1: the first pass for the lanes 0 to 7\n"));
}

TEST_CASE("a broadcast is marked with a plus, and said to be one") {
  const std::string text = drawn(access_of(load_shared, [](int lane) { return lane / 16 * 8; }));
  CHECK(contains(text, "     │ 1 wavefront · 2 broadcasts\n"));
  CHECK(contains(text, "     │ pass 1     0+     16+\n"));
  CHECK(contains(text, "+ other lanes want the same word: a broadcast brings it to all\n"));
  CHECK_FALSE(contains(drawn(bank_column), "broadcast"));
}

TEST_CASE("lanes that store to the same word are no broadcast") {
  const Request store{MemorySpace::shared, true};
  const std::string same = drawn(access_of(store, [](int) { return 20; }));
  CHECK(contains(same, "     │ 1 wavefront\n"));
  CHECK(contains(same,
                 "     │ + other lanes write to the same word: which of their values stays is not\n"
                 "     │   defined\n"));
  CHECK(contains(same, "banks 16 to 31 take nothing\n"));
  CHECK_FALSE(contains(same, "broadcast"));
  const Request bytes{MemorySpace::shared, true, 1};
  const std::string beside = drawn(access_of(bytes, [](int lane) { return lane; }));
  CHECK(contains(beside, "     │ + other lanes write to other bytes of the same word\n"));
  CHECK_FALSE(contains(beside, "not defined"));
  CHECK(Drawing({access_of(store, [](int) {
          return 20;
        })}).json()["lines"][0]["accesses"][0]["broadcasts"] == 0);
}

TEST_CASE("a row is named by its own first element, touched or not") {
  const std::string text =
      drawn(access_of({.active = 3}, [](int lane) { return 260 * lane + 96; }));
  CHECK(contains(text, "     │ A[0][0]       │             │             │             │0"));
  CHECK(contains(text, "     │ A[1][0]       │             │             │             │1"));
}

TEST_CASE("a misaligned request is told, not drawn") {
  const Access access = access_of({.bytes = 16}, [](int lane) { return 16 * lane + 4; });
  const std::string text = drawn(access);
  CHECK(contains(text, "     │ ✗ misaligned: all 32 lanes\n"));
  CHECK(contains(text, "sectors counted · not drawn\n"));
  CHECK_FALSE(contains(text, "! "));
  CHECK(contains(text, "The 16 bytes of a lane must begin at a multiple of 16"));
  CHECK_FALSE(contains(text, "lanes in"));
  CHECK_FALSE(contains(text, "bytes used"));
  CHECK(Drawing({access}).json()["lines"][0]["accesses"][0]["misaligned"].size() == 32);
}

TEST_CASE("a narrow terminal has fewer sectors and banks beside one another, in columns") {
  Terminal narrow;
  narrow.width = 60;
  const std::string sectors = drawn(row, narrow);
  CHECK(contains(sectors,
                 "     │ lanes in      │sector 0     │sector 1     │\n"
                 "     │ A[0][0]       │0-7          │8-15         │\n"
                 "     │ lanes in      │sector 2     │sector 3     │\n"
                 "     │ A[0][0]       │16-23        │24-31        │\n"));
  CHECK(contains(drawn(bank_column, narrow),
                 "     │ bank       0   1   2   3   4   5   6   7\n"
                 "     │ pass 1     0\n"));
  CHECK(contains(drawn(bank_column, narrow), "     │ banks 8 to 31 deliver nothing\n"));
  CHECK(contains(drawn(float4_row, narrow),
                 "     │ bank      24  25  26  27  28  29  30  31\n"
                 "     │ 0-7 p1     6   6   6   6   7   7   7   7\n"));
}

TEST_CASE("lanes out of bounds, lanes that rest and copies are named") {
  CHECK(contains(drawn(access_of({}, [](int lane) { return 4 * lane - 8; })),
                 "     │ ✗ out of bounds: lanes 0-1\n"));
  CHECK(contains(drawn(access_of({.active = 0xff}, [](int lane) { return 4 * lane; })),
                 "4 bytes per lane of 8 lanes\n"));
  Access copy = float4_row;
  copy.asynchronous = true;
  copy.store = true;
  CHECK(contains(drawn(copy), "     │ shared store by cp.async from tile[0][0] on"));
  CHECK(contains(drawn(copy), "4 wavefronts · not counted as a request\n"));
}

TEST_CASE("a copy whose pieces are more than its sectors says what is counted") {
  Access copy = access_of({.bytes = 16}, [](int lane) { return 16 * lane; });
  copy.asynchronous = true;
  copy.cost = 16;
  CHECK_FALSE(contains(drawn(copy), "counted as"));
  copy.cost = 20;
  CHECK(contains(drawn(copy), "counted as"));
  CHECK(words_of({draw(sample_trace(), copy), 0}).cost ==
        "16 sectors in 4 lines of 128 bytes · 512 of 512 bytes used · counted as 20, by where they "
        "go");
}

TEST_CASE("requests that are alike are drawn once") {
  CHECK(contains(Drawing({row, access_of({}, [](int lane) { return 256 + 4 * lane; })}).text(),
                 "global load from A[0][0] on · 4 bytes per lane · 2 such requests\n"));
}

TEST_CASE("passes have colours, and ASCII keeps the columns") {
  Terminal color;
  color.color = true;
  const std::string painted = drawn(bank_column, color);
  CHECK(contains(painted, "pass 1   \033[32m  0"));
  CHECK(contains(painted, "pass 2   \033[1;31m  1"));
  CHECK(contains(painted, "pass 3   \033[33m  2"));

  Terminal ascii;
  ascii.unicode = false;
  const std::string plain = Drawing(all).text(ascii);
  CHECK(is_ascii(plain));
  CHECK(contains(plain, "     | A[0][0]       |0-7          |8-15         |16-23        |24-31"));
  CHECK(contains(plain, "     | -> Rows padded"));
}

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {50, 60, 80, 100}) {
    for (const bool unicode : {true, false}) {
      Terminal terminal;
      terminal.width = width;
      terminal.unicode = unicode;
      CHECK(widest(Drawing(all).text(terminal)) <= width);
    }
  }
}

TEST_CASE("the head says which block, warp and step, and how large the problem is") {
  Drawing drawing({row});
  drawing.trace.result.accesses[0].warp = 1;
  drawing.selection.warp = 1;
  const std::string text = drawing.text();
  CHECK(contains(text, "Trace of kernel.cu"));
  CHECK(contains(text, "M = N = K = 64\n"));
  CHECK(contains(text, "block 1,0 of 4×2 · warp 1 of 2 · step 0\n"));
}

TEST_CASE("a kernel that fails says what was found, and then how far the warp had come") {
  Drawing drawing({row});
  drawing.trace.findings = {{.fault = emulator::Fault::divergent_barrier, .line = 3}};
  drawing.trace.result.stopped = true;
  const std::string text = drawing.text();
  const std::size_t finding =
      text.find("✗ barrier, line 3: __syncthreads() is reached by only some");
  const std::size_t reached = text.find("made 1 request of memory");
  const std::size_t memory = text.find("global load from");
  REQUIRE(finding != std::string::npos);
  REQUIRE(reached != std::string::npos);
  CHECK(finding < reached);
  CHECK(reached < memory);
  CHECK(contains(text, "The emulator stopped there; before, warp 0"));

  drawing.trace.result.accesses.clear();
  CHECK(contains(drawing.text(), "warp 0 made no request of memory."));
}

TEST_CASE("accesses that were not kept are spoken of") {
  Drawing drawing({row});
  CHECK_FALSE(contains(drawing.text(), "are kept"));
  drawing.trace.result.all_accesses = false;
  CHECK(contains(drawing.text(), "There were more accesses than are kept"));
}

TEST_CASE("the same as JSON") {
  const Json json = Drawing(all).json();
  CHECK_FALSE(json.contains("lesson"));
  CHECK(json["file"] == "kernel.cu");
  CHECK(json["problem"] == Json{{"m", 64}, {"n", 64}, {"k", 64}});
  CHECK(json["block"] == Json::array({1, 0, 0}));
  CHECK(json["warp"] == 0);
  CHECK(json["all_accesses"] == true);
  CHECK(json["findings"].empty());
  REQUIRE(json["lines"].size() == 1);
  CHECK(json["lines"][0]["line"] == 2);
  CHECK(json["lines"][0]["text"] == "  first;");
  const Json& accesses = json["lines"][0]["accesses"];
  REQUIRE(accesses.size() == 4);  // the costly ones first
  const Json &global = accesses[0], &shared = accesses[1];
  CHECK(global["space"] == "global");
  CHECK(global["kind"] == "load");
  CHECK(global["costly"] == true);
  CHECK(global["bytes_used"] == 128);
  CHECK(global["bytes_moved"] == 1024);
  CHECK(global["stride_bytes"] == 256);
  CHECK(global["sectors"].size() == 32);
  CHECK(global["sectors"][3] ==
        Json{{"first", {{"array", "A"}, {"indices", {3, 0}}}}, {"lanes", {3}}, {"bytes_used", 4}});
  CHECK(shared["space"] == "shared");
  CHECK(shared["wavefronts"] == 32);
  CHECK(shared["conflicts"] == 31);
  CHECK(shared["groups"][0]["passes"][2] ==
        Json::array({{{"bank", 0}, {"word", 64}, {"lanes", {2}}}}));
  CHECK(shared.contains("remedy"));
  CHECK_FALSE(accesses[2].contains("remedy"));
}

}  // namespace gemm_tutor
