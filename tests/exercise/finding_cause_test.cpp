// What is said of a finding's cause.
#include "catch.hpp"
#include "exercise/diagnosis.hpp"

namespace gemm_tutor {
namespace {

using emulator::AccessKind;
using emulator::Element;
using emulator::Fault;
using emulator::Finding;
using emulator::MemorySpace;
using emulator::OtherAccess;

struct Case {
  Finding finding;
  std::string says;  // part of the cause
};

Finding finding(Fault fault, AccessKind kind = AccessKind::load, const Element& element = {},
                const OtherAccess& other = {}) {
  Finding result{.fault = fault, .line = 1, .thread = {1, 0, 0}};
  result.access = {.kind = kind, .element = element};
  result.other = other;
  return result;
}

Element matrix(const std::string& name, std::int64_t index) {
  return {.array = name, .index = index, .elements = 256, .extents = {16, 16}};
}

Element tile(std::int64_t index) {
  return {.space = MemorySpace::shared, .array = "a_tile", .index = index, .elements = 64};
}

constexpr AccessKind load = AccessKind::load, store = AccessKind::store;
const OtherAccess read{.store = false}, wrote{.store = true};
const OtherAccess read_in_warp{.store = false, .same_warp = true};
const OtherAccess wrote_in_warp{.store = true, .same_warp = true};

const std::vector<Case> cases = {
    {finding(Fault::outside, load, matrix("A", 256)), "row < M and k < K"},
    {finding(Fault::outside, load, matrix("B", 256)), "k < K and column < N"},
    {finding(Fault::outside, store, matrix("C", 256)), "must not store there"},
    {finding(Fault::outside, AccessKind::copy_from, matrix("A", 256)), "row < M and k < K"},
    {finding(Fault::outside, store, matrix("C", -1)), "falls below 0"},
    {finding(Fault::outside, load, tile(64)), "its extents"},
    {finding(Fault::read_only, store, matrix("A", 0)), "only read: store to C"},
    {finding(Fault::misaligned, load, matrix("A", 1)), "where its length is a multiple of 4"},
    {finding(Fault::misaligned, load, tile(1)), "alignas(16)"},
    {finding(Fault::uninitialised, load, matrix("C", 0)), "= for +="},
    {finding(Fault::uninitialised, load, tile(31)), "write every element"},
    {finding(Fault::race, load, tile(3), wrote), "between filling the tile and reading it"},
    {finding(Fault::race, store, tile(3), read),
     "between reading it and the next step that fills it again: one of"},
    {finding(Fault::race, store, tile(3), wrote), "Two threads write one element"},
    {finding(Fault::race, load, tile(1), wrote_in_warp), "after the tiles are filled and before"},
    {finding(Fault::race, store, tile(1), read_in_warp), "between the last read and the next"},
    {finding(Fault::race_with_copy, load, tile(1)), "__pipeline_wait_prior"},
    {finding(Fault::simultaneous_write, store, tile(0)), "chance decides"},
    {finding(Fault::written_twice, store, matrix("C", 0)), "the same element of C"},
    {finding(Fault::divergent_barrier), "take it out of the if"},
    {finding(Fault::missing_warps), "guard only the loads and the store"},
    {finding(Fault::different_barriers), "after the branches"},
    {finding(Fault::not_in_mask), "0xffffffff"},
    {finding(Fault::missing_lane), "0xffffffff"},
    {finding(Fault::returned_lane), "A shuffle"},
    {finding(Fault::endless), "never becomes false"},
    {finding(Fault::end_of_body), "give every way through the function a return"},
    {finding(Fault::unwritten), "No thread stores"},
};

}  // namespace

TEST_CASE("every kind of finding has a cause") {
  for (const Case& example : cases) {
    const std::string cause = cause_of(example.finding);
    INFO(message(example.finding) << ": " << cause);
    CHECK(cause.find(example.says) != std::string::npos);
    CHECK(cause.ends_with("."));
  }
}

TEST_CASE("an array of the kernel's own may have a matrix's name") {
  Element shared = tile(64);
  shared.array = "A";
  CHECK(cause_of(finding(Fault::outside, load, shared)).find("its extents") != std::string::npos);
}

TEST_CASE("of several findings the one that shows the cause is explained") {
  const Finding read_a = finding(Fault::outside, load, matrix("A", 256));
  const Finding write_c = finding(Fault::outside, store, matrix("C", 256));
  const Finding race = finding(Fault::race, load, tile(3), wrote);
  const Finding race_in_warp = finding(Fault::race, load, tile(3), wrote_in_warp);
  const Finding barrier = finding(Fault::different_barriers);
  CHECK(cause_of({race, barrier}) == cause_of(barrier));
  CHECK(cause_of({read_a, write_c}) == cause_of(write_c));
  CHECK(cause_of({race, race_in_warp}) == cause_of(race_in_warp));
  CHECK(cause_of({race, write_c}) == cause_of(race));
}

}  // namespace gemm_tutor
