#include "simt/gpus/gpu_file.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "checks.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

std::string h200_text() {
  return std::ranges::find(embedded_gpu_files(), std::string("gpus/h200.toml"), &GpuFile::name)
      ->text;
}

// The file of the H200 with `old` replaced by `changed`.
std::string changed_text(const std::string& old, const std::string& changed) {
  return replaced(h200_text(), old, changed);
}

std::string problem_of(const std::string& text) {
  try {
    read_gpu(text, "mine.toml");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    CHECK_FALSE(error.help().empty());
    CHECK(std::ranges::count(std::string(error.what()), '\n') == 0);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every file of a GPU has each value, under a source, and is named as its GPU") {
  for (const GpuFile& file : embedded_gpu_files()) {
    INFO(file.name);
    const GpuSpec gpu = read_gpu(file.text, file.name);
    CHECK("gpus/" + gpu.name + ".toml" == file.name);
    std::multiset<std::string> keys;
    for (const SourcedKeys& sourced : gpu.details->sources) {
      CHECK(sourced.source.size() > 15);
      CHECK_FALSE(sourced.keys.empty());
      keys.insert(sourced.keys.begin(), sourced.keys.end());
    }
    keys.erase("l2_far_latency");                     // only where the cache has two halves
    keys.erase("l2_line_cycles");                     // only where it was measured
    keys.erase("light_clock_ghz");                    // only where it was read on such a board
    std::erase_if(keys, [](const std::string& key) {  // only where it is published
      return key.starts_with("tensor_") || key.ends_with("mma_share");
    });
    std::vector<std::string> expected = gpu_keys(gpu.compute_major);
    CHECK(keys == std::multiset<std::string>(expected.begin(), expected.end()));
  }
}

TEST_CASE("what a file says is what is read") {
  const GpuSpec gpu = read_gpu(h200_text(), "gpus/h200.toml");
  CHECK(gpu.full_name == "NVIDIA H200");
  CHECK(gpu.details->schedulers == 4);
  CHECK_FALSE(gpu.details->int32_shares_fp32);
  CHECK(gpu.details->l2_latency == 281);
  CHECK(gpu.details->dram_latency == 659);
  CHECK(gpu.details->l2_bytes == 60 * 1024 * 1024);
  CHECK(gpu.details->tensor_tf32_fmas == 1024);
  CHECK(gpu.details->mma_share == 0.667);
  CHECK(find_gpu("rtx3090").details->int32_shares_fp32);
  CHECK(find_gpu("h100").details->driver_names ==
        std::vector<std::string>{"NVIDIA H100 80GB HBM3"});
}

TEST_CASE("a file that is written is read again as the same GPU") {
  for (const GpuSpec& gpu : known_gpus()) {
    const std::string text = written_gpu(gpu);
    const GpuSpec again = read_gpu(text, "again.toml");
    CHECK(written_gpu(again) == text);
    CHECK(again.memory_bandwidth == gpu.memory_bandwidth);
    CHECK(again.details->int32_shares_fp32 == gpu.details->int32_shares_fp32);
    CHECK(again.details->sources.back().source == gpu.details->sources.back().source);
  }
}

TEST_CASE("a mistake in a file of a GPU is named with its line") {
  CHECK(problem_of("name = ").starts_with("mine.toml:1: no TOML"));
  CHECK(problem_of(changed_text("l2_latency = 281", "l2_latency = 281000")) ==
        "mine.toml:49: 'l2_latency' must be a number from 50 to 2000");
  CHECK(problem_of(changed_text("l2_latency = 281", "l2_latency = \"281\"")) ==
        "mine.toml:49: 'l2_latency' must be a number from 50 to 2000");
  CHECK(problem_of(changed_text("l2_latency", "l2_latncy")) ==
        "mine.toml:49: there is no key 'l2_latncy' in [values]");
  CHECK(problem_of(changed_text("l2_latency = 281\n", "")) ==
        "mine.toml:1: 'l2_latency' is missing in all of [[values]]");
  CHECK(problem_of(changed_text("l2_latency = 281\n", "l2_latency = 281\nschedulers = 4\n")) ==
        "mine.toml:50: 'schedulers' has a value in line 26 already");
  CHECK(problem_of(changed_text("multiprocessors = 132", "multiprocessors = 132.5")) ==
        "mine.toml:8: 'multiprocessors' must be a whole number from 0");
  CHECK(problem_of(changed_text("int32_shares_fp32 = false", "int32_shares_fp32 = 0")) ==
        "mine.toml:29: 'int32_shares_fp32' must be true or false");
  CHECK(problem_of(changed_text("source = \"NVIDIA H200 datasheet", "sources = \"NVIDIA H200")) ==
        "mine.toml:6: 'source' is missing in [values]");
}

TEST_CASE("a GPU is found in a file of one's own, by its path") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "mine.toml";
  std::ofstream(path) << changed_text("full_name = \"NVIDIA H200\"", "full_name = \"My own\"");
  const GpuSpec gpu = find_gpu(path);
  CHECK(gpu.full_name == "My own");
  CHECK(gpu.name == path);  // what --gpu takes
  std::ofstream(path) << "name = 7\n";
  const Error error = error_of([&] { find_gpu(path); });
  CHECK(error.what() == path + ":1: 'name' must be a text, in quotes");
  CHECK(error.help() == "docs/gpus.md has every key, with an example.");
  const Error absent = error_of([] { find_gpu("no/such/file"); });
  CHECK(absent.status() == ExitStatus::usage);
  CHECK(std::string(absent.what()) == "the file 'no/such/file' of a GPU cannot be read");
}
