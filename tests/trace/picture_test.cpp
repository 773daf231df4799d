// Pictures of requests whose sectors, banks and sentences were worked out by hand.
#include "trace/picture.hpp"

#include "catch.hpp"
#include "sample_trace.hpp"

namespace gemm_tutor {
namespace {

using simt::MemorySpace;

constexpr Request load_shared{MemorySpace::shared};
constexpr int row_of_64 = 64 * 4;  // bytes of A

GlobalPicture global(const OffsetOfLane& offset, const Request& request = {}) {
  const AccessPicture picture = draw(sample_trace(), access_of(request, offset));
  REQUIRE(picture.global() != nullptr);
  return *picture.global();
}

SharedPicture shared(const OffsetOfLane& offset, const Request& request = load_shared) {
  Trace trace = sample_trace();
  trace.result.accesses = {access_of(request, offset)};
  const AccessPicture picture = draw(trace, trace.result.accesses.front());
  REQUIRE(picture.shared() != nullptr);
  return *picture.shared();
}

}  // namespace

TEST_CASE("neighbours of a row fill four sectors of a line") {
  const GlobalPicture picture = global([](int lane) { return 3 * row_of_64 + 4 * lane; });
  REQUIRE(picture.sectors.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(picture.sectors[i].lanes == 0xffu << 8 * i);
    CHECK(picture.sectors[i].bytes_used == 32);
    CHECK(picture.sectors[i].first.text() == "A[3][" + std::to_string(8 * i) + "]");
  }
  CHECK(picture.first.text() == "A[3][0]");
  CHECK(picture.lines == 1);
  CHECK(picture.bytes_used == 128);
  CHECK(picture.bytes_moved == 128);
  CHECK(picture.least_sectors == 4);
  CHECK(picture.stride == 4);
  CHECK(picture.why == "32 neighbouring floats: no fewer sectors could hold them");
}

TEST_CASE("why a global request costs what it does") {
  CHECK(global([](int) { return 8; }).why ==
        "all 32 lanes want the same float: one sector serves them");
  CHECK(global([](int) { return 8; }, {.active = 0xff}).why ==
        "all 8 active lanes want the same float: one sector serves them");
  CHECK(global([](int) { return 8; }, {.active = 4}).why == "one lane alone wants a float");
  CHECK(global([](int lane) { return 4 * lane + 12; }).why ==
        "32 neighbouring floats, but the first lies 12 bytes into a sector: that costs 1 sector "
        "more");
  CHECK(global([](int lane) { return lane / 2 * 4; }).why ==
        "16 neighbouring floats (each for 2 lanes): no fewer sectors could hold them");
  CHECK(global([](int lane) { return row_of_64 * lane; }).why ==
        "each lane is in another row, 256 bytes apart: each row's sector is moved for one float");
  CHECK(global([](int lane) { return lane / 16 * 8 * row_of_64; }).why ==
        "the lanes are in 2 rows, 2,048 bytes apart: each row's sector is moved for one float "
        "(each for 16 lanes)");
  CHECK(global([](int lane) { return 16 * lane; }).why ==
        "32 floats lie 16 bytes apart: what is between them is moved unused");
  CHECK(global([](int lane) { return lane / 8 * row_of_64 + lane % 8 * 4; }).why ==
        "8 neighbouring floats at a time, in 4 rows, 256 bytes apart: each fills its sectors");
  CHECK(global([](int lane) { return lane / 4 * row_of_64 + lane % 4 * 4; }).why ==
        "4 neighbouring floats at a time, in 8 rows, 256 bytes apart: they do not fill their "
        "sectors");
  CHECK(global([](int lane) { return lane / 16 * row_of_64 + lane % 16 * 8; }).why ==
        "in each of 2 rows 16 floats lie 8 bytes apart: what is between them is moved unused");
  CHECK(global([](int lane) { return lane * lane * 4; }).why ==
        "32 floats lie in 31 places, at uneven distances");  // 0 and 1 are neighbours
  CHECK(global([](int lane) { return 16 * lane; }, {.bytes = 16}).why ==
        "32 neighbouring 16-byte values: no fewer sectors could hold them");
  Trace trace = sample_trace();
  trace.kernel.source += "float4 values;";
  const auto wide = access_of({.bytes = 16}, [](int lane) { return 16 * lane; });
  CHECK(draw(trace, wide).global()->why ==
        "32 neighbouring float4s: no fewer sectors could hold them");
  CHECK(global([](int) { return 8; }, {.bytes = 8, .active = 4}).why ==
        "one lane alone wants an 8-byte value");
}

TEST_CASE("rows that are shorter than a sector share sectors") {
  Trace trace = sample_trace();
  trace.matrices[0] = {"A", 5, 5};
  const auto column = access_of({.active = 0x1f}, [](int lane) { return 20 * lane; });
  CHECK(draw(trace, column).global()->why ==
        "each lane is in another row, 20 bytes apart: what is between them is moved unused");
  trace.matrices[0] = {"A", 8, 8};
  const auto sectors = access_of({.active = 0xff}, [](int lane) { return 32 * lane; });
  CHECK(draw(trace, sectors).global()->why ==
        "each lane is in another row, 32 bytes apart: each row's sector is moved for one float");
  // Places further apart than a row are in no common row.
  trace.matrices[0] = {"A", 64, 4};
  const auto groups = access_of({}, [](int lane) { return lane / 16 * 2048 + lane % 16 * 48; });
  CHECK(draw(trace, groups).global()->why ==
        "in each of 2 places 16 floats lie 48 bytes apart: what is between them is moved unused");
}

TEST_CASE("what would bring as many bytes in fewer sectors") {
  const auto remedy_of = [](const OffsetOfLane& offset, const Request& request = {}) {
    return global(offset, request).remedy;
  };
  CHECK(remedy_of([](int lane) { return 4 * lane; }).empty());
  CHECK(remedy_of([](int) { return 8; }).empty());
  CHECK(remedy_of([](int lane) { return lane * lane * 4; }).empty());
  CHECK(remedy_of([](int lane) { return 4 * lane + 12; }) ==
        "from a multiple of 32 bytes on, as many would fit in 4 sectors");
  CHECK(remedy_of([](int lane) { return row_of_64 * lane; }) ==
        "neighbouring lanes would have to take neighbouring floats: 32 of them fit in 4 sectors");
  CHECK(remedy_of([](int lane) { return lane / 16 * 4 * row_of_64 + lane % 16 * 32; },
                  {.bytes = 16}) ==
        "neighbouring lanes would have to take neighbouring 16-byte values: 32 of them fit in 16 "
        "sectors");
  CHECK(remedy_of([](int lane) { return lane / 4 * row_of_64 + lane % 4 * 4; }) ==
        "8 neighbouring floats at a time, from multiples of 32 bytes on, would fill their sectors");
  CHECK(remedy_of([](int lane) { return lane / 8 * row_of_64 + lane % 8 * 4 + 4; }) ==
        "from multiples of 32 bytes on, they would fill their sectors");
}

TEST_CASE("a store is told of as a store: of lanes at one place one value stays") {
  CHECK(global([](int) { return 8; }, {.store = true}).why ==
        "all 32 lanes write the same float: which of their values stays is not defined");
  CHECK(global([](int) { return 8; }, {.store = true, .active = 4}).why ==
        "one lane alone writes a float");
  CHECK(global([](int lane) { return lane / 2 * 4; }, {.store = true}).why ==
        "16 neighbouring floats (each by 2 lanes, of which one stays): no fewer sectors could hold "
        "them");
  CHECK(global([](int lane) { return row_of_64 * lane; }, {.store = true}).why ==
        "each lane is in another row, 256 bytes apart: each row's sector is written for one float");
  CHECK(global([](int lane) { return 16 * lane; }, {.store = true}).why ==
        "32 floats lie 16 bytes apart: what is between them in their sectors is not written");
  const SharedPicture same = shared([](int) { return 20; }, {MemorySpace::shared, true});
  CHECK(same.why ==
        "all 32 lanes write the same float: which of their values stays is not defined");
  CHECK(same.broadcasts == 0);
  CHECK(same.groups[0].passes[0].words[0].lanes == every_lane);
  const SharedPicture bytes = shared([](int lane) { return lane; }, {MemorySpace::shared, true, 1});
  CHECK(bytes.why == "no bank has two words to take");
  CHECK(bytes.broadcasts == 0);
  CHECK(shared([](int lane) { return lane / 2 * 4; }, {MemorySpace::shared, true}).why ==
        "no bank has two words to take; of lanes that write to the same place, which one's value "
        "stays is not defined");
  CHECK(shared([](int lane) { return 128 * lane; }, {MemorySpace::shared, true})
            .why.starts_with("the lanes write 32 different words of bank 0"));
}

TEST_CASE("an odd distance is advised where the distance is even") {
  Trace trace = sample_trace();
  trace.result.shared_arrays[0].extents = {};
  const auto remedy_of = [&](const OffsetOfLane& offset) {
    return draw(trace, access_of(load_shared, offset)).shared()->remedy;
  };
  CHECK(remedy_of([](int lane) { return 8 * lane; }) ==
        "neighbouring words would be in different banks, and so would those that are an odd number "
        "of floats apart");
  CHECK(remedy_of([](int lane) { return lane / 8 * 36 + lane % 8 * 4; }) ==
        "neighbouring words would be in different banks");
}

TEST_CASE("a lane is misaligned whose place is no multiple of its bytes") {
  const auto misaligned = [](const OffsetOfLane& offset, const Request& request) {
    return draw(sample_trace(), access_of(request, offset)).misaligned;
  };
  CHECK(misaligned([](int lane) { return 16 * lane; }, {.bytes = 16}) == 0);
  CHECK(misaligned([](int lane) { return 16 * lane + 4; }, {.bytes = 16}) == every_lane);
  CHECK(misaligned([](int lane) { return 8 * lane; }, {MemorySpace::shared, false, 16}) ==
        0xaaaaaaaa);
}

TEST_CASE("bytes used are distinct ones, of the sectors that are moved") {
  const GlobalPicture same = global([](int) { return 40; });
  CHECK(same.bytes_used == 4);
  CHECK(same.bytes_moved == 32);
  CHECK(same.least_sectors == 1);
  const GlobalPicture apart =
      global([](int lane) { return 2 * row_of_64 * lane; }, {.active = 0xffff});
  CHECK(apart.bytes_used == 64);
  CHECK(apart.bytes_moved == 512);
  CHECK(apart.least_sectors == 2);
  CHECK(apart.lines == 16);
  const GlobalPicture overlapping = global([](int lane) { return lane / 2 * 16; }, {.bytes = 16});
  CHECK(overlapping.bytes_used == 256);
  CHECK(overlapping.sectors[0].lanes == 0xf);
}

TEST_CASE("a request is costly when its bytes would fit in fewer sectors, or by a conflict") {
  const auto is_costly = [](const OffsetOfLane& offset, const Request& request = {}) {
    return draw(sample_trace(), access_of(request, offset)).is_costly();
  };
  CHECK_FALSE(is_costly([](int lane) { return 4 * lane; }));
  CHECK_FALSE(is_costly([](int) { return 0; }));
  CHECK(is_costly([](int lane) { return 4 * lane + 4; }));
  CHECK(is_costly([](int lane) { return 8 * lane; }));
  CHECK_FALSE(is_costly([](int lane) { return 4 * lane; }, load_shared));
  CHECK(is_costly([](int lane) { return 8 * lane; }, load_shared));
}

TEST_CASE("a column of a tile 32 wide is 32 passes of one bank, and a padded one none too many") {
  const SharedPicture picture = shared([](int lane) { return 128 * lane + 20; });
  CHECK(picture.wavefronts == 32);
  CHECK(picture.conflicts == 31);
  CHECK(picture.broadcasts == 0);
  CHECK(picture.first.text() == "tile[0][5]");
  CHECK(picture.stride == 128);
  REQUIRE(picture.groups.size() == 1);
  const GroupPicture& group = picture.groups.front();
  CHECK(group.lanes == every_lane);
  REQUIRE(group.passes.size() == 32);
  for (std::size_t pass = 0; pass < 32; ++pass) {
    REQUIRE(group.passes[pass].words.size() == 1);
    CHECK(group.passes[pass].words[0].bank == 5);
    CHECK(group.passes[pass].words[0].word == 32 * pass + 5);
    CHECK(group.passes[pass].words[0].lanes == 1u << pass);
  }
  CHECK(picture.why ==
        "the lanes want 32 different words of bank 5: words 32 floats apart fall into 1 of the 32 "
        "banks");
  CHECK(picture.remedy == "rows padded to tile[32][33] would cause 0 conflicts here instead of 31");
}

TEST_CASE("one word for many lanes is a broadcast, and no conflict") {
  const SharedPicture picture = shared([](int lane) { return lane / 16 * 64; });
  CHECK(picture.wavefronts == 1);
  CHECK(picture.broadcasts == 2);
  CHECK(picture.remedy.empty());
  REQUIRE(picture.groups[0].passes[0].words.size() == 2);
  CHECK(picture.groups[0].passes[0].words[0].lanes == 0xffff);
  CHECK(picture.groups[0].passes[0].words[1].bank == 16);
  CHECK(picture.why == "no bank has two words to deliver; lanes that want the same word share it");
  CHECK(shared([](int) { return 4; }).why ==
        "all 32 lanes want the same float: one wavefront brings it to all");
}

TEST_CASE("wide accesses are drawn by the halves and quarters that are served together") {
  const SharedPicture halves = shared([](int lane) { return 8 * lane; },
                                      {.space = MemorySpace::shared, .store = true, .bytes = 8});
  REQUIRE(halves.groups.size() == 2);
  CHECK(halves.groups[1].first_lane == 16);
  CHECK(halves.groups[1].last_lane == 31);
  CHECK(halves.groups[1].lanes == 0xffff0000);
  REQUIRE(halves.groups[1].passes.size() == 1);
  CHECK(halves.groups[1].passes[0].words[31].bank == 31);
  CHECK(halves.groups[1].passes[0].words[31].lanes == 1u << 31);

  const Request float4_load{MemorySpace::shared, false, 16};
  const SharedPicture quarters = shared([](int lane) { return 16 * lane; }, float4_load);
  CHECK(quarters.groups.size() == 4);
  CHECK(quarters.wavefronts == 4);
  CHECK(quarters.conflicts == 0);
  CHECK(quarters.why ==
        "8 lanes are served at a time, as 16 bytes each fill the 32 banks; no bank has two words "
        "to deliver");

  // Neighbours that share an address join two quarters.
  const SharedPicture joined = shared([](int lane) { return lane / 2 * 16; }, float4_load);
  REQUIRE(joined.groups.size() == 2);
  CHECK(joined.groups[0].last_lane == 15);
  CHECK(joined.wavefronts == 2);
  CHECK(joined.groups[0].passes[0].words[3].lanes == 3);
  CHECK(joined.broadcasts == 64);
  CHECK(joined.why ==
        "16 lanes are served at a time, as two and two want the same 16 bytes; no bank has two "
        "words to deliver");

  const SharedPicture conflicts = shared([](int lane) { return 128 * lane; }, float4_load);
  CHECK(conflicts.wavefronts == 32);
  CHECK(conflicts.why == "lanes 0 to 7 want 8 different words of bank 0");
  CHECK(conflicts.remedy ==
        "rows padded to tile[32][36] would cause 0 conflicts here instead of 28");
}

TEST_CASE("groups without an active lane are not drawn") {
  const SharedPicture picture =
      shared([](int lane) { return 16 * lane; }, {MemorySpace::shared, true, 16, 0x00ff0000});
  REQUIRE(picture.groups.size() == 1);
  CHECK(picture.groups[0].first_lane == 16);
  CHECK(picture.wavefronts == 1);
}

TEST_CASE("padding is advised by all that the warp does to the array") {
  Trace trace = sample_trace();
  // A column, and rows four floats at a time: a float4 must stay aligned.
  const auto column = access_of(load_shared, [](int lane) { return 128 * lane; });
  const auto wide = access_of({MemorySpace::shared, true, 16}, [](int lane) { return 16 * lane; });
  trace.result.accesses = {column, wide};
  const AccessPicture picture = draw(trace, column);
  // 36 floats: 8 rows begin in different fours of banks, so four lanes want each bank used.
  CHECK(picture.shared()->remedy ==
        "rows padded to tile[32][36] would cause 3 conflicts here instead of 31");
  // An instruction's later turns count too.
  trace.result.accesses.push_back(column);
  trace.result.accesses.back().step = 1;
  CHECK(draw(trace, column).shared()->remedy ==
        "rows padded to tile[32][36] would cause 3 conflicts here instead of 31, and all that the "
        "warp ever does to tile would cause 6 instead of 62");
  trace.result.all_accesses = false;
  CHECK(draw(trace, column).shared()->remedy ==
        "rows padded to tile[32][36] would cause 3 conflicts here instead of 31");
  trace.result.all_accesses = true;
  // One float more would do for two rows, but would bring a diagonal into one bank.
  const auto diagonal =
      access_of(load_shared, [](int lane) { return 128 * lane + (32 - lane) % 32 * 4; });
  const auto two_rows = access_of(load_shared, [](int lane) { return lane % 2 * 128; });
  trace.result.accesses = {two_rows};
  CHECK(draw(trace, two_rows).shared()->remedy ==
        "rows padded to tile[32][33] would cause 0 conflicts here instead of 1");
  trace.result.accesses = {two_rows, two_rows, diagonal};
  CHECK(draw(trace, two_rows).shared()->remedy ==
        "rows padded to tile[32][34] would cause 0 conflicts here instead of 1, and all that the "
        "warp ever does to tile would cause 0 instead of 2");
}

TEST_CASE("wider loads are advised where the line loads all four floats of each lane") {
  Trace trace = sample_trace();
  trace.result.shared_arrays[0].extents = {};
  for (int part = 0; part < 4; ++part) {
    trace.result.accesses.push_back(
        access_of(load_shared, [=](int lane) { return 16 * lane + 4 * part; }));
    trace.result.accesses.back().cost = 4;
  }
  const std::string advice =
      "one float4 per lane would take 4 wavefronts for what four requests like this take 16";
  CHECK(draw(trace, trace.result.accesses[2]).shared()->remedy == advice);
  trace.result.accesses.pop_back();
  CHECK(draw(trace, trace.result.accesses[2]).shared()->remedy != advice);
}

TEST_CASE("lanes out of bounds are told from those within") {
  const Trace trace = sample_trace();
  const auto outside = [&](const OffsetOfLane& offset, const Request& request = {}) {
    return draw(trace, access_of(request, offset)).outside;
  };
  CHECK(outside([](int lane) { return 4 * lane; }) == 0);
  CHECK(outside([](int lane) { return 4 * lane - 16; }) == 0xf);
  CHECK(outside([](int lane) { return 64 * row_of_64 - 64 + 4 * lane; }) == 0xffff0000);
  CHECK(outside([](int lane) { return 4096 - 4 * lane; }, load_shared) == 1);
  CHECK(draw(trace, access_of({}, [](int) { return -4; })).global()->first.text() == "A[-1][63]");
}

TEST_CASE("a variable of the module has one index, and no access to it is out of bounds") {
  const Trace trace = sample_trace();
  simt::Access access = access_of({}, [](int lane) { return 4 * lane; });
  access.buffer = trace.matrices.size() + 2;
  CHECK(lanes_outside(trace, access) == 0);
  CHECK(element_at(trace, access, 8).text() == Element{"", {2}}.text());
  CHECK(draw(trace, access).global()->sectors.size() == 4);
}

TEST_CASE("an array without known extents has one index") {
  Trace trace = sample_trace();
  trace.result.shared_arrays = {{{"first", {}, 4}, 0, 128}, {{"second", {2, 4, 8}, 4}, 128, 256}};
  const auto at = [&](std::uint64_t offset) {
    return element_at(trace, access_of(load_shared, [](int) { return 0; }), offset).text();
  };
  CHECK(at(124) == "first[31]");
  CHECK(at(128) == "second[0][0][0]");
  CHECK(at(128 + 4 * (32 + 3 * 8 + 7)) == "second[1][3][7]");
  CHECK(at(4096) == "[1024]");
}

TEST_CASE("elements of two bytes have their own names, and a row has half of the bytes") {
  Trace trace = sample_trace();
  trace.matrices[0].element_bytes = 2;  // A has rows of 64
  const simt::Access pairs = access_of({}, [](int lane) { return lane / 4 * 128 + lane % 4 * 4; });
  const GlobalPicture picture = *draw(trace, pairs).global();
  CHECK(picture.sectors[1].first.text() == "A[1][0]");
  CHECK(element_at(trace, pairs, 128 + 6).text() == "A[1][3]");
  CHECK(picture.why ==
        "4 neighbouring pieces of 2 elements at a time, in 8 rows, 128 bytes apart: they do not "
        "fill their sectors");
  trace.result.shared_arrays = {{{"tile", {8, 16}, 2}, 0, 256}};
  const simt::Access shared = access_of(load_shared, [](int) { return 0; });
  CHECK(element_at(trace, shared, 2 * (3 * 16 + 5)).text() == "tile[3][5]");
  CHECK(element_bytes_of(trace, shared) == 2);
}

}  // namespace gemm_tutor
