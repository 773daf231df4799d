// Findings of one cause are one finding.
#include "simt/check/fault.hpp"

#include "catch.hpp"

namespace gemm_tutor::simt {
namespace {

Finding at(int line, Fault fault, const std::string& array,
           MemorySpace space = MemorySpace::shared) {
  FoundFault found{.fault = fault, .line = line, .count = 2};
  found.access.element = {.space = space, .array = array, .elements = 64};
  return finding_of(found);
}

Finding race(int line, const std::string& array, const Separation& separation,
             bool same_warp = false) {
  FoundFault found = *at(line, Fault::race, array).fault;
  found.separation = separation;
  found.other.same_warp = same_warp;
  return finding_of(found);
}

TEST_CASE("faults of one kind with one array have one cause") {
  for (const Fault fault : {Fault::race, Fault::outside, Fault::uninitialised, Fault::misaligned,
                            Fault::race_with_copy}) {
    const auto causes = one_per_cause({at(12, fault, "a"), at(19, fault, "a"), at(19, fault, "b"),
                                       at(31, fault, "a"), at(31, Fault::trap, "a")});
    REQUIRE(causes.size() == 3);
    CHECK(causes[0].line == 12);
    CHECK(causes[0].lines == std::vector{12, 19, 31});
    CHECK(causes[0].count == 6);
    CHECK(causes[1].lines == std::vector{19});
    CHECK(causes[2].fault->fault == Fault::trap);
  }
  CHECK(one_per_cause({at(1, Fault::missing_warps, ""), at(2, Fault::missing_warps, "")}).size() ==
        1);
  CHECK(one_per_cause({at(1, Fault::missing_warps, ""), at(2, Fault::bad_barrier, "")}).size() ==
        2);
  CHECK(one_per_cause({at(1, Fault::trap, ""), at(2, Fault::trap, "")}).size() == 2);
  CHECK(one_per_cause({}).empty());
}

TEST_CASE("races that one barrier would order have one cause, whatever their arrays") {
  const auto causes =
      one_per_cause({race(15, "a", {10, 15, true}), race(16, "b", {12, 16, true}),
                     race(20, "a", {16, 20, true}), race(21, "a", {10, 21, false, true})});
  REQUIRE(causes.size() == 3);
  CHECK(causes[0].lines == std::vector{15, 16});
  CHECK(causes[0].fault->separation->first_line == 12);
  CHECK(causes[0].fault->separation->second_line == 15);
  CHECK(causes[1].lines == std::vector{20});
  CHECK(causes[2].lines == std::vector{21});

  // __syncwarp() would order one of them only.
  const Finding of_warp = race(6, "a", {6, 9, false, true}, true);
  const Finding of_block = race(9, "b", {7, 9, false, true});
  const auto both = one_per_cause({of_warp, of_block});
  REQUIRE(both.size() == 1);
  CHECK_FALSE(both[0].fault->other.same_warp);
}

TEST_CASE("what comes from an edge is one cause, told by an access out of bounds") {
  std::vector<Finding> findings = {at(9, Fault::written_twice, "C", MemorySpace::global),
                                   at(12, Fault::outside, "A", MemorySpace::global),
                                   at(14, Fault::outside, "B", MemorySpace::global),
                                   at(14, Fault::outside, "s")};
  for (int i = 0; i < 3; ++i) findings[static_cast<std::size_t>(i)].edge = "M = 97 is too many";
  const auto causes = one_per_cause(findings);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].lines == std::vector{9, 12, 14});
  CHECK(causes[0].kind() == FindingKind::bounds);
  CHECK(causes[0].count == 6);
  CHECK(message(causes[0]).starts_with("M = 97 is too many: thread (0, 0, 0)"));
  CHECK(message(findings[1]).starts_with("thread (0, 0, 0)"));
}

}  // namespace
}  // namespace gemm_tutor::simt
