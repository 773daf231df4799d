#include "support/zip.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("a ZIP archive by hand: headers, checksum, mode") {
  // CRC-32 of "123456789" is 0xcbf43926, its published check value.
  const std::string zip = zip_of({{"a/run", "123456789", true}});
  const std::string about(
      "\x14\0\0\x08\0\0\0\0\x21\0\x26\x39\xf4\xcb\x09\0\0\0\x09\0\0\0\x05\0\0\0", 26);
  CHECK(zip.substr(0, 44) == "PK\3\4" + about + "a/run" + "123456789");
  CHECK(zip.substr(44, 6) == std::string("PK\1\2\x14\3", 6));
  CHECK(zip.substr(50, 26) == about);
  CHECK(zip.substr(82, 4) == std::string("\0\0\xed\x81", 4));  // 0100755, in the upper half
  CHECK(zip.substr(zip.size() - 22, 4) == "PK\5\6");
  CHECK(zip_of({}).size() == 22);
}
