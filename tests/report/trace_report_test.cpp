// Drawn requests, character by character.
#include "report/trace_report.hpp"

#include "catch.hpp"
#include "report/json.hpp"
#include "report/requests.hpp"
#include "trace/sample_trace.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr Request load_shared{MemorySpace::shared};

struct DrawnTrace {
  Trace trace = sample_trace();
  Selection selection;

  explicit DrawnTrace(const std::vector<Access>& accesses) { trace.result.accesses = accesses; }

  std::string text(const Terminal& terminal = {}) const {
    const std::vector<SelectedLine> lines = select(trace, selection);
    return terminal_text(trace_document({trace, selection, lines}, traced(trace)), terminal);
  }
  Json json() const {
    const std::vector<SelectedLine> lines = select(trace, selection);
    return Json::parse(trace_json({trace, selection, lines}, traced(trace)));
  }
};

std::string drawn(const Access& access, const Terminal& terminal = {}) {
  return DrawnTrace({access}).text(terminal);
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
  CHECK(DrawnTrace({access_of(store, [](int) {
          return 20;
        })}).json()["lines"][0]["accesses"][0]["broadcasts"] == 0);
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
  CHECK(DrawnTrace({access}).json()["lines"][0]["accesses"][0]["misaligned"].size() == 32);
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

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {50, 60, 80, 100}) {
    for (const bool unicode : {true, false}) {
      Terminal terminal;
      terminal.width = width;
      terminal.unicode = unicode;
      CHECK(widest(DrawnTrace(all).text(terminal)) <= width);
    }
  }
}

TEST_CASE("the same as JSON") {
  const Json json = DrawnTrace(all).json();
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
