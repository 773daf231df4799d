// Addresses of shared memory: what a kernel sees of them is what the hardware gives, and what lies
// beyond an array is found all the same.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "address_kernels.hpp"
#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/check/fault.hpp"
#include "simt/emulator.hpp"
#include "simt/machine/cubin.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

CompiledKernel compiled(const std::string& architecture) {
  return compile({address_kernels, "kernel.cu", architecture, "", {}}, {});
}

std::vector<std::uint32_t> addresses_of(const std::string& ptx, const AddressKernel& kernel) {
  std::vector<std::uint32_t> addresses(kernel.offsets.size());
  Options options;
  options.check = false;
  Program::decode(ptx, kernel.entry, "kernel.cu")
      .run(address_kernels_launch, {buffer_of(addresses)}, {Argument::pointer(0)}, options);
  return addresses;
}

// The bits of the low half of each instruction above its opcode and registers: an immediate.
std::vector<std::uint32_t> immediates(const CompiledKernel& kernel, const std::string& entry) {
  std::vector<std::uint32_t> result;
  const machine::KernelImage image = machine::read_cubin(kernel.cubin, entry);
  for (std::size_t word = 0; word < image.words.size(); word += 2) {
    result.push_back(static_cast<std::uint32_t>(image.words[word] >> 32));
  }
  return result;
}

}  // namespace

TEST_CASE("a kernel that looks at addresses of shared memory sees those of the hardware") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const auto& [architecture, begin] : std::vector<std::pair<std::string, std::uint32_t>>{
           {"sm_80", 0}, {"sm_89", 0}, {"sm_90", 1024}, {"sm_120", 1024}}) {
    const CompiledKernel kernel = compiled(architecture);
    for (const AddressKernel& expected : address_kernel_table) {
      INFO(architecture << ", " << expected.entry);
      const std::vector<std::uint32_t> addresses = addresses_of(kernel.ptx, expected);
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        INFO("address " << i);
        CHECK(addresses[i] == begin + expected.offsets[i]);
      }
    }
  }
}

TEST_CASE("the assembler places arrays in shared memory where the emulator has them") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const std::string architecture : {"sm_80", "sm_90", "sm_120"}) {
    const CompiledKernel kernel = compiled(architecture);
    if (kernel.cubin.empty()) SKIP_BECAUSE("clang makes no machine code");
    for (const AddressKernel& expected : address_kernel_table) {
      INFO(architecture << ", " << expected.entry);
      const std::vector<std::uint32_t> numbers = immediates(kernel, expected.entry);
      for (const std::uint32_t offset : expected.offsets) {
        INFO("offset " << offset);
        CHECK((offset == 0 || std::ranges::count(numbers, offset) > 0));
      }
    }
  }
}

namespace {

// Two buffers of 1,024 floats in one array, switched by a bit of the address as in the first
// kernel, or of an offset.
std::string switched(const std::string& how) {
  return R"(extern "C" __global__ void kernel(float* C) {
  __shared__ float __align__(8192) s[2048];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s)) + 4 * threadIdx.x;
  unsigned offset = 4 * threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(1.0f + i));
)" + how +
         R"(
  }
  __syncthreads();
  C[threadIdx.x] = s[threadIdx.x] + s[1024 + threadIdx.x];
})";
}

Result run_switched(const std::string& how, const std::string& architecture,
                    std::vector<float>& c) {
  const std::string ptx = compile({switched(how), "kernel.cu", architecture, "", {}}, {}).ptx;
  return Program::decode(ptx, "kernel", "kernel.cu")
      .run({{1, 1, 1}, {1024, 1, 1}, 0}, {buffer_of(c, "C")}, {Argument::pointer(0)});
}

bool are_all_three(const std::vector<float>& c) {
  return std::ranges::all_of(c, [](float value) { return value == 3; });
}

}  // namespace

TEST_CASE("buffers that a bit of the address switches need the alignment that they ask for") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  std::vector<float> c(1024);
  const Result ada = run_switched("at ^= 4096;", "sm_89", c);
  CHECK(kinds(ada) == "");
  CHECK(ada.notes.empty());
  CHECK(are_all_three(c));

  const Result hopper = run_switched("at ^= 4096;", "sm_90", c);
  CHECK(!hopper.findings.empty());
  CHECK_FALSE(are_all_three(c));
  REQUIRE(hopper.notes.size() == 1);
  CHECK(hopper.notes[0].fault->fault == Fault::array_alignment);
  CHECK(hopper.notes[0].array == "s");
  CHECK(hopper.notes[0].fault->access.element.address == 1024);
  CHECK(hopper.notes[0].fault->access.bytes == 8192);

  const Result mended = run_switched("at += (offset ^ 4096) - offset; offset ^= 4096;", "sm_90", c);
  CHECK(kinds(mended) == "");
  CHECK(are_all_three(c));
}

TEST_CASE("an access beyond an array is found where another array begins, and named") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    std::vector<float> c(32);
    const std::string source = R"(extern "C" __global__ void kernel(float* C, int n) {
  __shared__ float first[32], second[32];
  first[threadIdx.x] = second[threadIdx.x] = 1;
  __syncwarp();
  C[threadIdx.x] = first[threadIdx.x + n] + second[threadIdx.x - n];
})";
    const std::string ptx = compile({source, "kernel.cu", architecture, "", {}}, {}).ptx;
    const Result result = Program::decode(ptx, "kernel", "kernel.cu")
                              .run({{1, 1, 1}, {32, 1, 1}, 0}, {buffer_of(c, "C")},
                                   {Argument::pointer(0), Argument::integer(32)});
    INFO(architecture << ": " << kinds(result));
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings[0].kind() == FindingKind::bounds);
    CHECK(result.findings[0].count == 64);
    CHECK(message(result.findings[0]).find("reads first[32], outside first, which has 32 floats") !=
          std::string::npos);
  }
}

TEST_CASE("addresses of several arrays compare, convert and print as the hardware's") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = R"(extern "C" __global__ void kernel(float* C) {
  __shared__ float first[32], second[32];
  const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(first));
  const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(second));
  C[0] = b;
  C[1] = b > a + 1024 ? 1 : 2;
  C[2] = b / 3;
  C[3] = (b & 0xffff) >> 2;
  printf("%u", b);
})";
  std::vector<float> c(4);
  const Result result =
      Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
          .run({{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(c, "C")}, {Argument::pointer(0)});
  CHECK(c == std::vector<float>{1152, 2, 384, 288});
  REQUIRE(result.printed.size() == 1);
  CHECK(result.printed[0].text == "1152");
}
