// What requests cost, worked out by hand: sectors of 32 bytes, and 32 banks of 4 bytes.
#include "simt/count/access_cost.hpp"

#include <array>
#include <functional>

#include "catch.hpp"

using namespace gemm_tutor::simt;

namespace {

constexpr std::uint32_t all_lanes = 0xffffffff;
constexpr std::uint32_t even_lanes = 0x55555555;

using Offset = std::function<int(int lane)>;  // in bytes

std::uint32_t sectors(int bytes, const Offset& offset, std::uint32_t active = all_lanes) {
  std::array<std::uint64_t, 32> addresses{};
  for (int lane = 0; lane < 32; ++lane)
    addresses[static_cast<std::size_t>(lane)] =
        static_cast<std::uint64_t>((1 << 20) + offset(lane));
  return global_sectors(addresses.data(), active, bytes);
}

std::uint32_t wavefronts(bool store, int bytes, const Offset& offset, std::uint32_t active) {
  std::array<std::uint32_t, 32> addresses{};
  for (int lane = 0; lane < 32; ++lane)
    addresses[static_cast<std::size_t>(lane)] =
        static_cast<std::uint32_t>((1 << 20) + offset(lane));
  return shared_cost(addresses.data(), active, bytes, store).wavefronts;
}

// Where loads and stores cost the same.
std::uint32_t wavefronts(int bytes, const Offset& offset, std::uint32_t active = all_lanes) {
  const std::uint32_t of_load = wavefronts(false, bytes, offset, active);
  CHECK(wavefronts(true, bytes, offset, active) == of_load);
  return of_load;
}

Offset strided(int bytes, int from = 0) {
  return [=](int lane) { return from + lane * bytes; };
}

int same(int) { return 64; }

}  // namespace

TEST_CASE("sectors of consecutive global accesses are their bytes over 32") {
  CHECK(sectors(1, strided(1)) == 1);     // 32 bytes
  CHECK(sectors(2, strided(2)) == 2);     // 64
  CHECK(sectors(4, strided(4)) == 4);     // 128
  CHECK(sectors(8, strided(8)) == 8);     // 256
  CHECK(sectors(16, strided(16)) == 16);  // 512
}

TEST_CASE("sectors of global accesses that begin within a sector") {
  CHECK(sectors(4, strided(4, 4)) == 5);      // bytes 4 to 131: sectors 0 to 4
  CHECK(sectors(4, strided(4, 28)) == 5);     // bytes 28 to 155
  CHECK(sectors(4, strided(4, 32)) == 4);     // bytes 32 to 159: sectors 1 to 4
  CHECK(sectors(4, strided(4, -4)) == 5);     // from the sector before
  CHECK(sectors(1, strided(1, 31)) == 2);     // bytes 31 to 62
  CHECK(sectors(8, strided(8, 8)) == 9);      // bytes 8 to 263
  CHECK(sectors(16, strided(16, 16)) == 17);  // bytes 16 to 527
}

TEST_CASE("sectors of strided global accesses") {
  CHECK(sectors(4, strided(8)) == 8);     // 31·8 + 4 = 252 bytes, every sector met
  CHECK(sectors(4, strided(12)) == 12);   // 31·12 + 4 = 376 bytes
  CHECK(sectors(4, strided(28)) == 28);   // 31·28 + 4 = 872 bytes
  CHECK(sectors(4, strided(32)) == 32);   // one each
  CHECK(sectors(4, strided(400)) == 32);  // a column of a matrix of 100
  CHECK(sectors(4, strided(-4)) == 5);    // bytes -124 to 3: sectors -4 to 0
  CHECK(sectors(16, strided(32)) == 32);  // half a sector each
}

TEST_CASE("lanes that read the same global memory share its sectors, in any order") {
  CHECK(sectors(4, same) == 1);
  CHECK(sectors(4, [](int lane) { return lane / 8 * 4096; }) == 4);  // 4 rows
  CHECK(sectors(4, [](int lane) { return lane % 16 * 4 + lane / 16 * 400; }) ==
        2 + 3);  // from 400: 16 bytes into a sector
  CHECK(sectors(4, [](int lane) { return (31 - lane) * 4; }) == 4);  // reversed
  CHECK(sectors(4, [](int lane) { return (lane ^ 5) * 4; }) == 4);
  CHECK(sectors(4, [](int lane) { return lane * 13 % 32 * 4; }) == 4);
  CHECK(sectors(4, [](int lane) { return lane % 2 * 4096 + lane / 2 * 4; }) == 4);  // 2 · 64 bytes
}

TEST_CASE("only lanes that take part in a global access cost sectors") {
  CHECK(sectors(4, strided(4), 0x000000ff) == 1);  // bytes 0 to 31
  CHECK(sectors(4, strided(4), 0x000001ff) == 2);  // one more
  CHECK(sectors(4, strided(4), even_lanes) == 4);
  CHECK(sectors(4, strided(32), even_lanes) == 16);
  CHECK(sectors(4, strided(4), 0x80000000) == 1);
  CHECK(sectors(16, strided(16), 0x0000ffff) == 8);  // 256 bytes
  CHECK(sectors(4, strided(4), 0) == 0);
}

TEST_CASE("wavefronts of shared accesses of 4 bytes: the most words that one bank has") {
  CHECK(wavefronts(4, strided(4)) == 1);
  CHECK(wavefronts(4, strided(4, 4)) == 1);  // turned by a bank
  CHECK(wavefronts(4, strided(8)) == 2);     // 16 banks, 2 words in each
  CHECK(wavefronts(4, strided(12)) == 1);    // 3 and 32 have no common factor
  CHECK(wavefronts(4, strided(16)) == 4);    // 8 banks
  CHECK(wavefronts(4, strided(32)) == 8);    // 4 banks
  CHECK(wavefronts(4, strided(64)) == 16);   // 2 banks
  CHECK(wavefronts(4, strided(128)) == 32);  // 1 bank: a column of a tile 32 wide
  CHECK(wavefronts(4, strided(132)) == 1);   // a column of a tile 33 wide
  CHECK(wavefronts(4, strided(48)) == 4);    // 12 words: greatest common factor with 32 is 4
}

TEST_CASE("lanes that read the same word of shared memory share its wavefront") {
  CHECK(wavefronts(4, same) == 1);
  CHECK(wavefronts(4, [](int lane) { return lane / 16 * 64; }) == 1);   // words 0 and 16
  CHECK(wavefronts(4, [](int lane) { return lane / 16 * 128; }) == 2);  // words 0 and 32: bank 0
  CHECK(wavefronts(4, [](int lane) { return lane / 8 * 128; }) == 4);
  CHECK(wavefronts(4, [](int lane) { return lane / 8 * 132; }) == 1);  // words 0, 33, 66, 99
  CHECK(wavefronts(4, [](int lane) { return lane % 2 * 128 + lane / 2 * 4; }) ==
        2);                               // 16 banks twice
  CHECK(wavefronts(1, strided(1)) == 1);  // 8 words, 4 lanes each
  CHECK(wavefronts(2, strided(2)) == 1);  // 16 words
  CHECK(wavefronts(1, strided(128)) == 32);
}

TEST_CASE("any order of the lanes costs a shared access the same") {
  CHECK(wavefronts(4, [](int lane) { return (31 - lane) * 4; }) == 1);
  CHECK(wavefronts(4, [](int lane) { return (lane ^ 21) * 4; }) == 1);
  CHECK(wavefronts(4, [](int lane) { return lane * 13 % 32 * 4; }) == 1);
  CHECK(wavefronts(4, [](int lane) { return (31 - lane) * 128; }) == 32);
  CHECK(wavefronts(4, [](int lane) { return lane * 128 + lane * 4; }) == 1);  // a diagonal
}

TEST_CASE("only lanes that take part in a shared access cost wavefronts") {
  CHECK(wavefronts(4, strided(128), 0x0000000f) == 4);
  CHECK(wavefronts(4, strided(8), 0x0000ffff) == 1);  // words 0 to 30
  CHECK(wavefronts(4, strided(8), even_lanes) == 2);  // 4 words apart: 16 lanes in 8 banks
  CHECK(wavefronts(4, strided(128), 0x80000000) == 1);
  CHECK(wavefronts(4, strided(4), 0) == 0);
}

TEST_CASE("wide shared accesses need as many wavefronts as their bytes fill") {
  CHECK(wavefronts(8, strided(8)) == 2);      // 256 bytes of 128 a pass
  CHECK(wavefronts(16, strided(16)) == 4);    // 512 bytes
  CHECK(wavefronts(8, strided(16)) == 4);     // 16 lanes, 64 words apart: each bank used has 2
  CHECK(wavefronts(16, strided(32)) == 8);    // 16 lanes: half of the banks, 4 words in each
  CHECK(wavefronts(16, strided(128)) == 32);  // every lane in the same 4 banks
  CHECK(wavefronts(8, strided(128)) == 32);
}

// A pass serves two groups of lanes together when neighbours read the same: half-warps of 8-byte
// loads, quarters of 16-byte ones. Stores never share.
TEST_CASE("neighbours that read the same share the wavefronts of wide loads") {
  const Offset pairs_of_8 = [](int lane) { return lane / 2 * 8; };    // 16 · 8 = 128 bytes
  const Offset pairs_of_16 = [](int lane) { return lane / 2 * 16; };  // 16 · 16 = 256 bytes
  CHECK(wavefronts(false, 8, pairs_of_8, all_lanes) == 1);
  CHECK(wavefronts(true, 8, pairs_of_8, all_lanes) == 2);
  CHECK(wavefronts(false, 16, pairs_of_16, all_lanes) == 2);
  CHECK(wavefronts(true, 16, pairs_of_16, all_lanes) == 4);
  CHECK(wavefronts(false, 8, same, all_lanes) == 1);
  CHECK(wavefronts(true, 8, same, all_lanes) == 2);
}
