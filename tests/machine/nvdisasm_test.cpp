// The decoder against nvdisasm itself, where a CUDA Toolkit has it; nvdisasm.csv is what is left of
// it elsewhere.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "simt/compiler.hpp"
#include "simt/machine/code.hpp"
#include "support/text.hpp"
#include "temporary_directory.hpp"

namespace gemm_tutor::simt::machine {
namespace {

std::string output_of(const std::string& command) {
  std::string output;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char part[4096];
  while (const std::size_t length = std::fread(part, 1, sizeof part, pipe)) {
    output.append(part, length);
  }
  pclose(pipe);
  return output;
}

// "        /*0090*/              @!P0 BRA `(.L_x_0) ;": the instruction of each address.
std::map<std::uint32_t, std::string> listed_by_address(const std::string& listing) {
  std::map<std::uint32_t, std::string> result;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    unsigned address = 0;
    char text[256] = "";
    if (std::sscanf(line.c_str(), " /*%x*/ %255[^;]", &address, text) < 2) continue;
    if (text[0] == '.') continue;  // data of another section
    result[address] = trimmed(text);
  }
  return result;
}

// "BRA" of it.
std::string mnemonic_of_instruction(const std::string& text) {
  const std::size_t begin = text.starts_with('@') ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find_first_of(" .", begin) - begin);
}

struct Sample {
  const char *lesson, *name;
};

}  // namespace

TEST_CASE("instructions are named, and FFMAs have their operands, as nvdisasm prints them",
          "[long]") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  if (std::system("nvdisasm --version >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no nvdisasm");
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "kernel.cubin").string();
  for (const Sample& sample : {Sample{"03-shared-memory-tile", "shared_memory_tile<32, 32, 32>"},
                               Sample{"05-thread-tile", "thread_tile<32, 32, 16, 2, 2>"},
                               Sample{"05-thread-tile", "thread_tile<64, 32, 8, 8, 4>"},
                               Sample{"07-vectorized-loads", "vectorized_b<64, 64, 16, 4, 4>"},
                               Sample{"08-bank-conflicts", "padded_tiles<32, 32, 16, 2, 2, 1>"}}) {
    std::ifstream text(std::string(PROJECT_SOURCE_DIR "/lessons/") + sample.lesson + "/kernel.cu");
    CompileRequest request;
    request.source.assign(std::istreambuf_iterator<char>(text), {});
    request.file_name = "kernel.cu";
    request.name_expression = sample.name;
    for (const char* architecture : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
      INFO(sample.name << " for " << architecture);
      request.architecture = architecture;
      const CompiledKernel kernel = compile(request, {});
      std::ofstream(file, std::ios::binary).write(kernel.cubin.data(), kernel.cubin.size());
      const auto expected = listed_by_address(output_of("nvdisasm " + file));
      const Code code = read_code(kernel.cubin, kernel.lowered_name);
      for (const Instruction& instruction : code.instructions) {
        INFO("at " << instruction.address);
        REQUIRE(expected.count(instruction.address) == 1);
        const std::string& listed = expected.at(instruction.address);
        CHECK(instruction.name == mnemonic_of_instruction(listed));
        if (instruction.is_plain_ffma) CHECK(text_with_operands(instruction) == listed);
      }
    }
  }
}

}  // namespace gemm_tutor::simt::machine
