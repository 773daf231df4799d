#include "cli/options.hpp"
#include "errors.hpp"
#include "report/lesson_document.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

KernelRun run_on(const std::string& gpu) {
  KernelRun run;
  run.backend = Backend::emulator;
  run.gpu = simt::find_gpu(gpu);
  run.launch = KernelLaunch();
  run.verification.passed = true;
  run.estimate = simt::Estimate();
  run.estimate->gpu = run.gpu->full_name;
  return run;
}

}  // namespace

TEST_CASE("several GPUs: the run's own estimate is the first, the others have runs of their own") {
  std::vector<std::string> asked;
  ReportRequest request{.options = {}, .gpus = {"h200", "a100", "t4"}};
  request.options.gpu = request.gpus.front();
  request.options.trace = TraceRequest();
  const auto run_once = [&](const RunOptions& on) {
    const bool is_other = !asked.empty();
    CHECK((on.backend == Backend::emulator) == is_other);
    CHECK(on.one_of_many == is_other);
    CHECK(on.trace.has_value() != is_other);
    asked.push_back(on.gpu);
    return run_on(on.gpu);
  };
  const KernelRun run = kernel_report(request, run_once).run;
  CHECK(asked == request.gpus);
  REQUIRE(run.estimates.size() == 3);
  for (const GpuEstimate& on : run.estimates) CHECK(on.estimate->gpu == on.gpu.full_name);
  CHECK(run.estimates[2].gpu.name == "t4");
}

TEST_CASE("several GPUs: one alone, a kernel without a launch and a wrong one have no column") {
  KernelRun run = run_on("h200");
  int runs = 0;
  const auto has_column = [&](const std::vector<std::string>& gpus) {
    const auto count = [&](const RunOptions&) {
      ++runs;
      return run;
    };
    return !kernel_report({.options = {}, .gpus = gpus}, count).run.estimates.empty();
  };
  CHECK_FALSE(has_column({"h200"}));
  run.verification.passed = false;
  CHECK_FALSE(has_column({"h200", "a100"}));
  run = run_on("h200");
  run.launch.reset();
  CHECK_FALSE(has_column({"h200", "a100"}));
  CHECK(runs == 3);
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
