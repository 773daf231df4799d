// What mangled names say.
#include "simt/compile/kernel_name.hpp"

#include "catch.hpp"
#include "simt/compiler.hpp"

namespace gemm_tutor::simt {

using Types = std::vector<std::string>;

TEST_CASE("names are read as the file's own code would write them") {
  CHECK(readable_name("_Z1kPKfS0_Pfiii") == "k");
  CHECK(readable_name("_ZN2ns2v2ILi32EfEEvPKT0_i") == "ns::v2<32, float>");
  CHECK(readable_name("_ZN12_GLOBAL__N_11kEPf") == "k");
  CHECK(readable_name("unmangled") == "unmangled");
}

TEST_CASE("the types of the parameters, templates' own resolved") {
  CHECK(parameter_types("_Z1kPKfS0_Pfiii") ==
        Types{"float const*", "float const*", "float*", "int", "int", "int"});
  CHECK(parameter_types("_ZN2ns2v2ILi32EfEEvPKT0_i") == Types{"float const*", "int"});
  CHECK(parameter_types("_Z1kPdfm") == Types{"double*", "float", "unsigned long"});
  CHECK(parameter_types("_Z1k4PairIifEPf") == Types{"Pair<int, float>", "float*"});
  CHECK(parameter_types("_Z1kPFfffE") == Types{"float (*)(float, float)"});
  CHECK(parameter_types("_Z1kv").empty());
  CHECK(parameter_types("unmangled").empty());
}

}  // namespace gemm_tutor::simt
