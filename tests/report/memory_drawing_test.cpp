// A line's requests in one row, character by character.
#include "report/memory_drawing.hpp"

#include "catch.hpp"
#include "trace/sample_trace.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr Request load_shared{MemorySpace::shared};
constexpr Terminal unicode{false, true, 80}, ascii{false, false, 80};

// With the cost that the emulator would have counted.
Access counted(const Request& request, const OffsetOfLane& offset) {
  Access access = access_of(request, offset);
  const AccessPicture picture = draw(sample_trace(), access);
  const GlobalPicture* global = picture.global();
  access.cost = static_cast<std::uint32_t>(global != nullptr ? global->sectors.size()
                                                             : picture.shared()->wavefronts);
  return access;
}

std::vector<SelectedLine> lines_of(const std::vector<Access>& accesses) {
  Trace trace = sample_trace();
  trace.result.accesses = accesses;
  return select(trace, {});
}

std::string drawn(const std::vector<Access>& accesses, const Terminal& terminal = unicode) {
  // Below lines of source that have no code.
  std::string text;
  for (const SelectedLine& line : lines_of(accesses)) {
    const Listing listing{.lines = {{.number = "    ", .below = {memory_drawing(line)}}}};
    const std::string rows = terminal_text({.parts = {listing}}, terminal);
    text += rows.substr(rows.find('\n') + 1);
  }
  return text;
}

const Access row_request = counted({}, [](int lane) { return 4 * lane; });
const Access column_request = counted({}, [](int lane) { return 256 * lane; });
const Access one_place = counted({}, [](int) { return 8; });
const Access bank_row = counted(load_shared, [](int lane) { return 4 * lane; });
const Access bank_column = counted(load_shared, [](int lane) { return 128 * lane; });
const Access bank_pairs = counted(load_shared, [](int lane) { return 8 * lane; });
const Access one_bank = counted(load_shared, [](int) { return 12; });
const Access float4_banks =
    counted({MemorySpace::shared, false, 16}, [](int lane) { return 16 * lane; });

}  // namespace

TEST_CASE("sectors are drawn in lines of four, full, in part or not at all") {
  CHECK(drawn({row_request}) == "     │ ╰ ████  4 sectors · 128 of 128 bytes used\n");
  CHECK(drawn({row_request}, ascii) == "     | ^ ####  4 sectors - 128 of 128 bytes used\n");
  CHECK(drawn({one_place}) == "     │ ╰ ▒...  1 sector · 4 of 32 bytes used\n");
  const Access shifted = counted({}, [](int lane) { return 4 * lane + 112; });
  CHECK(drawn({shifted}) == "     │ ╰ ...▒ ███▒  5 sectors · 128 of 160 bytes used\n");
}

TEST_CASE("lines of sectors that have no room are left out, and their number is told") {
  CHECK(drawn({column_request}) ==
        "     │ ╰ ▒... ▒... ▒... ▒... …  32 sectors in 32 lines · 128 of 1,024 bytes used\n");
  CHECK(drawn({column_request}, {false, true, 60}) ==
        "     │ ╰ ▒... ▒... ▒... ▒... …  32 sectors in 32 lines ·\n"
        "     │   128 of 1,024 bytes used\n");
  CHECK(drawn({column_request}, ascii) ==
        "     | ^ +... +... +... ...  32 sectors in 32 lines - 128 of 1,024 bytes used\n");
}

TEST_CASE("banks have the number of words that are asked of them") {
  CHECK(drawn({bank_row}) == "     │ ╰ 11111111 11111111 11111111 11111111  1 wavefront\n");
  CHECK(drawn({bank_pairs}) ==
        "     │ ╰ 2.2.2.2. 2.2.2.2. 2.2.2.2. 2.2.2.2.  2 wavefronts, 1 conflict\n");
  CHECK(drawn({float4_banks}) == "     │ ╰ 44444444 44444444 44444444 44444444  4 wavefronts\n");
  CHECK(drawn({one_bank}, ascii) ==
        "     | ^ ...1.... ........ ........ ........  1 wavefront - broadcast\n");
  CHECK(contains(drawn({bank_column}), "╰ *....... ........ ........ ........  32 wavefronts"));
}

TEST_CASE("of several requests the costliest is drawn, of like ones the first") {
  CHECK(drawn({one_place, row_request, one_place}) ==
        "     │ ╰ ████  4 sectors · 128 of 128 bytes used · 1 of 3\n");
  CHECK(drawn({one_place, row_request, row_request}) ==
        "     │ ╰ ████  4 sectors · 128 of 128 bytes used · 2 of 3 such\n");
  CHECK(drawn({row_request, row_request}) ==
        "     │ ╰ ████  4 sectors · 128 of 128 bytes used · 2 such\n");
  const std::string both = drawn({bank_row, row_request, one_bank});
  CHECK(contains(both, "╰ ████  4 sectors · 128 of 128 bytes used\n"));
  CHECK(contains(both, "╰ 11111111 11111111 11111111 11111111  1 wavefront · 1 of 2\n"));
}

TEST_CASE("what no counter counts is not drawn") {
  Access load = row_request,
         store = access_of({MemorySpace::shared, true}, [](int lane) { return 4 * lane; });
  load.asynchronous = store.asynchronous = true;
  CHECK(drawn({load, store}) == "     │ ╰ ████  4 sectors · 128 of 128 bytes used\n");
  load.cost = 5;
  CHECK(contains(drawn({load}), "4 sectors, counted as 5 · 128"));
  CHECK(drawn({store}).empty());
  CHECK(costliest_request(lines_of({store})[0], MemorySpace::shared).picture == nullptr);
}

TEST_CASE("read aloud the drawing is words") {
  Terminal spoken = unicode;
  spoken.spoken = true;
  CHECK(contains(drawn({column_request, bank_pairs, bank_pairs}, spoken),
                 "Global: 32 sectors in 32 lines · 128 of 1,024 bytes used\n"));
  CHECK(contains(drawn({bank_pairs, bank_pairs}, spoken), "Shared: 2 wavefronts"));
  CHECK_FALSE(contains(drawn({column_request, bank_pairs}, spoken), "."));
  const DrawingLegend legend = drawing_legend(lines_of({column_request, bank_pairs}), spoken);
  CHECK(legend.global.empty());
  CHECK(legend.shared.empty());
  CHECK_FALSE(legend.requests.empty());
}

TEST_CASE("the legend says what is drawn, and no more") {
  const auto legend = [](const std::vector<Access>& accesses) {
    return drawing_legend(lines_of(accesses), unicode);
  };
  CHECK(legend({}).requests.empty());
  CHECK(contains(breakable(legend({row_request}).global), "█ all bytes used, ▒ some, . none"));
  CHECK(legend({row_request}).shared.empty());
  CHECK(legend({bank_row}).global.empty());
  CHECK_FALSE(contains(legend({bank_row}).shared, "*"));
  CHECK(contains(breakable(legend({bank_column}).shared), "(* more than 9)"));
  CHECK_FALSE(contains(legend({bank_row}).shared, "broadcast"));
  CHECK(contains(legend({one_bank}).shared, "a broadcast brings a word to several lanes"));
  CHECK_FALSE(contains(legend({bank_row}).shared, "served in groups"));
  CHECK(contains(legend({float4_banks}).shared, "served in groups"));
  CHECK_FALSE(contains(legend({row_request, bank_row}).requests, "such"));
  CHECK(contains(legend({row_request, row_request}).requests, "4 of 8 such"));
}

TEST_CASE("no drawing is wider than the terminal, in ASCII or not") {
  for (const int width : {60, 80, 100}) {
    for (const bool shows_unicode : {true, false}) {
      const std::vector<Access> all = {row_request, column_request, one_place, bank_row,
                                       bank_column, bank_pairs,     one_bank,  float4_banks};
      for (const Access& access : all) {
        const std::string text =
            drawn({access, access, one_place, one_bank}, {false, shows_unicode, width});
        INFO(text);
        CHECK(widest(text) <= width);
        CHECK(is_ascii(text) != shows_unicode);
      }
    }
  }
}

}  // namespace gemm_tutor
