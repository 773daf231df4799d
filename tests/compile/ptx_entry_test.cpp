// What the PTX of a kernel says of its launch.
#include "simt/compile/ptx_entry.hpp"
#include "catch.hpp"
#include "simt/compiler.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr const char* module = R"(
.extern .shared .align 16 .b8 tile[];
.visible .entry first(
	.param .u64 .ptr .align 1 first_param_0,
	.param .f32 first_param_1,
	.param .align 4 .b8 first_param_2[16],
	.param .f64 first_param_3
)
.maxntid 32, 4, 2
.minnctapersm 2
.explicitcluster
.reqnctapercluster 2, 4
{
	mov.u32 	%r1, tiles;
	ret;
}
.visible .entry first_of_all()
.reqntid 64
{
	st.shared.f32 	[tile+4], %f1;
	ret;
}
)";

}  // namespace

TEST_CASE("an entry's parameters, the threads it allows, and its dynamic shared memory") {
  const PtxEntry first = ptx_entry(module, "first");
  CHECK(first.parameter_types == std::vector<std::string>{"u64", "f32", "", "f64"});
  CHECK(first.parameter_bytes == std::vector<int>{8, 4, 16, 8});
  CHECK(first.most_threads == 256);
  CHECK(first.cluster == Dim3{2, 4, 1});
  CHECK(first.exact_threads == 0);
  CHECK_FALSE(first.uses_dynamic_shared);

  const PtxEntry other = ptx_entry(module, "first_of_all");
  CHECK(other.parameter_types.empty());
  CHECK(other.most_threads == 0);
  CHECK(other.exact_threads == 64);
  CHECK(other.uses_dynamic_shared);
}

TEST_CASE("an entry's shared memory has room for what its arrays' alignments leave out") {
  const PtxEntry entry = ptx_entry(R"(
.shared .align 4 .b8 of_another[512];
.visible .entry k()
{
	.shared .align 4 .b8 small[20];
	.shared .align 1024 .b8 large[2048];
	.shared .align 8 .f64 one;
	st.shared.f32 	[small], %f1;
	st.shared.f32 	[large], %f1;
	st.shared.f64 	[one], %fd1;
	ret;
}
)",
                                   "k");
  CHECK(entry.static_shared_bytes == 1024 + 2048 + 8);
}

TEST_CASE("of an entry that is not there, or is cut off, nothing is known") {
  for (const char* text : {"", ".visible .entry k(", ".visible .entry k(\n.param .u64", module}) {
    const PtxEntry entry = ptx_entry(text, "k");
    CHECK(entry.parameter_types.size() <= 1);
    CHECK(entry.most_threads == 0);
    CHECK_FALSE(entry.uses_dynamic_shared);
  }
}

TEST_CASE("as the compiler writes it") {
  if (!compiler_status().available) SKIP_BECAUSE(compiler_status().problem);
  CompileRequest request;
  request.source =
      "extern __shared__ float tile[];\n"
      "__global__ void __launch_bounds__(128, 2) k(float* C, float alpha, size_t n) {\n"
      "  tile[threadIdx.x] = alpha;\n  __syncthreads();\n  C[n] = tile[0];\n}\n";
  request.file_name = "kernel.cu";
  request.architecture = "sm_90";
  const CompiledKernel kernel = compile(request, "");
  const PtxEntry entry = ptx_entry(kernel.ptx, kernel.lowered_name);
  CHECK(entry.parameter_types == std::vector<std::string>{"u64", "f32", "u64"});
  CHECK(entry.parameter_bytes == std::vector<int>{8, 4, 8});
  CHECK(entry.most_threads == 128);
  CHECK(entry.uses_dynamic_shared);
}

// What mangled names say.
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
