#include "view/units.hpp"

#include "catch.hpp"
#include "view/style.hpp"

using namespace gemm_tutor;

namespace {

std::string printed(const std::string& text) { return paint({{text}}, {false, true, 80}); }

}  // namespace

TEST_CASE("a duration has three digits and the unit that fits") {
  CHECK(printed(duration_text(1.84)) == "1.84 ms");
  CHECK(printed(duration_text(184.4)) == "184 ms");
  CHECK(printed(duration_text(2314)) == "2.31 s");
  CHECK(printed(duration_text(3600e3)) == "3600 s");
  CHECK(printed(duration_text(0.0123)) == "12.3 µs");
  CHECK(printed(duration_text(0.00074)) == "740 ns");
  CHECK(printed(duration_text(0)) == "0.00 s");
}

TEST_CASE("rates, shares and factors") {
  CHECK(printed(flop_rate_text(9.34e12)) == "9.3 TFLOP/s");
  CHECK(printed(flop_rate_text(960e6)) == "960 MFLOP/s");
  CHECK(printed(flop_rate_text(2e15)) == "2000 TFLOP/s");
  CHECK(printed(bandwidth_text(4.8e12)) == "4.8 TB/s");
  CHECK(printed(percent_text(18.2)) == "18 %");
  CHECK(printed(percent_text(0.42)) == "0.4 %");
  CHECK(printed(percent_text(0.01)) == "< 0.1 %");
  CHECK(printed(percent_text(0)) == "0.0 %");
  CHECK(printed(factor_text(32)) == "32.0×");
}
