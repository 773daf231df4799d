#include "cli/several_gpus.hpp"

#include "cli/options.hpp"
#include "errors.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

KernelRun run_on(const std::string& gpu) {
  KernelRun run;
  run.backend = Backend::emulator;
  run.gpu = find_gpu(gpu);
  run.launch = KernelLaunch();
  run.verification.passed = true;
  run.estimate = Estimate();
  run.estimate->gpu = run.gpu->full_name;
  return run;
}

}  // namespace

TEST_CASE("several GPUs: the run's own estimate is the first, the others have runs of their own") {
  KernelRun run = run_on("h200");
  std::vector<std::string> asked;
  RunOptions options;
  options.trace = TraceRequest();
  const auto run_other = [&](const RunOptions& other) {
    CHECK(other.backend == Backend::emulator);
    CHECK(other.one_of_many);
    CHECK_FALSE(other.trace);
    asked.push_back(other.gpu);
    return run_on(other.gpu);
  };
  cli::estimate_on_each(run, {"h200", "a100", "t4"}, options, run_other);
  CHECK(asked == std::vector<std::string>{"a100", "t4"});
  REQUIRE(run.estimates.size() == 3);
  for (const GpuEstimate& on : run.estimates) CHECK(on.estimate->gpu == on.gpu.full_name);
  CHECK(run.estimates[2].gpu.name == "t4");
}

TEST_CASE("several GPUs: one alone, a kernel without a launch and a wrong one have no column") {
  const auto never = [](const RunOptions&) -> KernelRun { throw std::logic_error("was run"); };
  KernelRun run = run_on("h200");
  cli::estimate_on_each(run, {"h200"}, {}, never);
  run.verification.passed = false;
  cli::estimate_on_each(run, {"h200", "a100"}, {}, never);
  run = run_on("h200");
  run.launch.reset();
  cli::estimate_on_each(run, {"h200", "a100"}, {}, never);
  CHECK(run.estimates.empty());
}

TEST_CASE("several GPUs are read in their order, each once, where a command takes several") {
  cli::RunSettings settings{.gpu = "A100,t4,a100", .takes_several_gpus = true};
  CHECK(settings.gpus() == std::vector<std::string>{"a100", "t4"});
  CHECK(settings.run_options({1, 1, 1}).gpu == "a100");
  settings.takes_several_gpus = false;
  CHECK_THROWS_AS(settings.gpus(), Error);
  settings.gpu = "a100";
  CHECK(settings.gpus() == std::vector<std::string>{"a100"});
}

TEST_CASE("several GPUs where one is of use are an error") {
  for (const char* command : {"compare", "trace 3", "tune", "learn 3"}) {
    INFO(command);
    check_error(run_program(std::string(command) + " --gpu a100,t4"), 2,
                {"--gpu 'a100,t4' names several GPUs", "--gpu a100"});
  }
  check_error(run_program("lesson 3 --size 64 --gpu a100,"), 2, {"there is no GPU named ''"});
  check_error(run_program("lesson 3 --size 64 --gpu a100,a10000"), 2, {"'a10000'"});
}
