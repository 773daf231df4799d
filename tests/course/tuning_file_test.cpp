// The fastest settings that were found: stored, found again, and left aside where they cannot be
// used.
#include "course/tuning_file.hpp"

#include <cstdlib>
#include <fstream>

#include "course_checks.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

const Kernel& tuned_kernel() { return find_lesson("9").kernels.front(); }

simt::GpuSpec h200() { return simt::find_gpu("h200"); }

StoredTuning some_tuning(const Problem& problem = {2048, 2048, 2048}) {
  return {.settings = {{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 8}, {"TN", 8}},
          .problem = problem,
          .median_ms = 0.5,
          .percent_of_cublas = 98.25,
          .date = "2026-11-21",
          .version = "0.1.0"};
}

struct Stored {
  TemporaryDirectory directory;
  fs::path path = directory.path() / "deeper" / "tuning.json";

  TuningFileChange store(const StoredTuning& tuning = some_tuning()) const {
    return store_tuning(path, "NVIDIA H200", tuned_kernel().name, tuning);
  }
  StoredChoice find(const simt::GpuSpec& gpu = h200(),
                    const Problem& problem = {2000, 2048, 2048}) const {
    return stored_settings(tuned_kernel(), gpu, problem, path);
  }
  void write(const std::string& contents) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
  }
};

}  // namespace

TEST_CASE("size classes are powers of two of the cube root, and whether rows are aligned") {
  CHECK(size_class({2048, 2048, 2048}) == SizeClass{2048, true});
  CHECK(size_class({1449, 1449, 1449}) == SizeClass{2048, false});  // just above 1024·sqrt(2)
  CHECK(size_class({1448, 1448, 1448}) == SizeClass{1024, true});
  CHECK(size_class({64, 4096, 512}) == SizeClass{512, true});
  CHECK(size_class({1, 1, 1}) == SizeClass{1, false});
  CHECK(size_class({100, 102, 100}).aligned == false);
  CHECK(key_of({2048, true}) != key_of({2048, false}));
  CHECK(words_for({2048, true}) == "sizes near 2,048 with N a multiple of 4");
  CHECK(words_for({2048, false}) == "sizes near 2,048 with N no multiple of 4");
}

TEST_CASE("what is stored is found again for its GPU, its kernel and its size class alone") {
  const Stored stored;
  CHECK_FALSE(stored.find().tuning.has_value());
  CHECK(stored.find().note == "");  // nothing there is nothing to speak of
  const TuningFileChange change = stored.store();
  CHECK(change.done);
  CHECK(contains(change.words, stored.path.string()));
  REQUIRE(stored.find().tuning.has_value());
  CHECK(*stored.find().tuning == some_tuning());
  CHECK(stored.find().note == "");
  CHECK_FALSE(stored.find(h200(), {512, 512, 512}).tuning.has_value());
  CHECK_FALSE(stored.find(h200(), {2048, 2047, 2048}).tuning.has_value());
  const Kernel& other = find_lesson("9").kernels.back();
  CHECK_FALSE(stored_settings(other, h200(), {2048, 2048, 2048}, stored.path).tuning.has_value());
}

TEST_CASE("a new winner takes the place of the old, and what is beside it stays") {
  const Stored stored;
  stored.store();
  stored.store(some_tuning({512, 512, 512}));
  StoredTuning faster = some_tuning();
  faster.settings.set("BK", 8);
  faster.percent_of_cublas.reset();
  stored.store(faster);
  CHECK(*stored.find().tuning == faster);
  CHECK(*stored.find(h200(), {512, 512, 512}).tuning == some_tuning({512, 512, 512}));
}

TEST_CASE("tuning of another GPU is ignored with a word") {
  const Stored stored;
  stored.store();
  const StoredChoice choice = stored.find(simt::find_gpu("a100"));
  CHECK_FALSE(choice.tuning.has_value());
  CHECK(contains(choice.note, "NVIDIA H200"));
  CHECK(contains(choice.note, "A100"));
}

TEST_CASE("a damaged tuning file is ignored with a word") {
  const std::string good = R"({"version": 1, "gpus": {}})";
  const Stored stored;
  stored.write(good);
  CHECK(stored.find().note == "");
  for (const std::string bad :
       {"", "{", "[]", "7", R"({"gpus": {}})", R"({"version": "1", "gpus": {}})",
        R"({"version": 1})", R"({"version": 1, "gpus": []})"}) {
    INFO(bad);
    stored.write(bad);
    CHECK_FALSE(stored.find().tuning.has_value());
    CHECK(contains(stored.find().note, "is damaged"));
    CHECK(read_file(stored.path) == bad);  // reading changes nothing
  }
  stored.write(R"({"version": 99})");
  CHECK(contains(stored.find().note, "newer"));
  fs::remove(stored.path);
  fs::create_directories(stored.path);
  CHECK(contains(stored.find().note, "is no file"));
  CHECK_FALSE(stored.store().done);
}

TEST_CASE("an entry that cannot be read is named and left out, and the others are used") {
  const std::string kernel = tuned_kernel().name;
  for (const std::string entry :
       {"{}", "7", "null", R"({"settings": {"BM": "64"}, "problem": {"m": 1, "n": 1, "k": 1},
                               "median_ms": 1, "date": "", "version": ""})",
        R"({"settings": {"BM": 64}, "problem": {"m": 1, "n": 1, "k": 1},
            "median_ms": -1, "date": "", "version": ""})"}) {
    INFO(entry);
    const Stored stored;
    stored.store();
    std::string text = read_file(stored.path).value();
    text.insert(text.find(kernel) + kernel.size() + 4, "\"mine\": " + entry + ",");
    stored.write(text);
    const StoredChoice choice = stored.find();
    CHECK(choice.tuning == some_tuning());
    CHECK(contains(choice.note, stored.path.string()));
    CHECK(contains(choice.note, "'NVIDIA H200, " + kernel + ", mine'"));
    CHECK(contains(choice.note, "cannot be read"));
    CHECK_FALSE(contains(choice.note, "is damaged"));
    CHECK(read_file(stored.path) == text);  // reading changes nothing

    const TuningFileChange change = stored.store(some_tuning({512, 512, 512}));
    CHECK(change.done);
    CHECK(contains(change.words, ".damaged"));
    CHECK(read_file(stored.path.string() + ".damaged") == text);
    CHECK(stored.find().tuning == some_tuning());
    CHECK(stored.find().note == "");
    CHECK(stored.find(h200(), {512, 512, 512}).tuning.has_value());
  }
}

TEST_CASE("a GPU or a kernel whose entries cannot be read is named alike") {
  const Stored stored;
  stored.store();
  std::string text = read_file(stored.path).value();
  text.insert(text.find("\"NVIDIA H200\""),
              R"("GPU 1": 7, "GPU 2": {"tile": []}, "GPU 3": null, "GPU 4": "x", "GPU 5": {},)");
  stored.write(text);
  CHECK(stored.find().tuning.has_value());
  CHECK(contains(stored.find().note, "'GPU 1', 'GPU 2, tile', 'GPU 3' and 1 more"));
  CHECK(forget_tunings(stored.path, "NVIDIA H200").done);
  CHECK(read_file(stored.path.string() + ".damaged") == text);
  CHECK(read_tunings(stored.path).tunings.empty());
}

TEST_CASE("settings that the kernel does not have, or refuses, are ignored with a word") {
  const Stored stored;
  StoredTuning tuning = some_tuning();
  tuning.settings = {{"BM", 64}, {"BN", 64}};
  stored.store(tuning);
  CHECK_FALSE(stored.find().tuning.has_value());
  CHECK(contains(stored.find().note, "other settings"));

  tuning = some_tuning();
  tuning.settings.set("BK", 6);
  stored.store(tuning);
  CHECK_FALSE(stored.find().tuning.has_value());
  CHECK(contains(stored.find().note, "multiples of 4"));

  tuning.settings = {{"BM", 1024}, {"BN", 1024}, {"BK", 16}, {"TM", 32}, {"TN", 32}};
  stored.store(tuning);
  CHECK_FALSE(stored.find().tuning.has_value());
  CHECK(contains(stored.find().note, "shared memory"));
}

TEST_CASE("settings in another order are given in the kernel's") {
  const Stored stored;
  StoredTuning tuning = some_tuning();
  tuning.settings = {{"TN", 8}, {"TM", 8}, {"BK", 16}, {"BN", 64}, {"BM", 64}};
  stored.store(tuning);
  REQUIRE(stored.find().tuning.has_value());
  CHECK(stored.find().tuning->settings == some_tuning().settings);
}

TEST_CASE("a run says where its settings are from, or why what is stored is not used") {
  const Stored stored;
  Kernel kernel = tuned_kernel();
  kernel.configurations = [](const simt::GpuSpec&, const Problem&) {
    return std::vector<Settings>();
  };
  const Problem problem{2048, 2048, 2048};
  const auto words = [&](const Settings& settings, const simt::GpuSpec& gpu) {
    return tuning_words(kernel, settings, gpu, problem, stored.path);
  };
  CHECK(words(kernel.settings, h200()) == "");
  stored.store();
  CHECK(contains(words(some_tuning().settings, h200()), "2026-11-21"));
  CHECK(words(kernel.settings, h200()) == "");  // the user's own choice
  CHECK(contains(words(kernel.settings, simt::find_gpu("t4")), "ignored"));
  std::string text = read_file(stored.path).value();
  text.insert(text.find("\"NVIDIA H200\""), "\"GPU 1\": 7, ");
  stored.write(text);
  CHECK(contains(words(some_tuning().settings, h200()), "2026-11-21"));
  CHECK(contains(words(some_tuning().settings, h200()), "'GPU 1' cannot be read"));
  CHECK(contains(words(kernel.settings, h200()), "'GPU 1' cannot be read"));
  kernel.configurations = nullptr;
  CHECK(words(some_tuning().settings, h200()) == "");
}

TEST_CASE("what is stored is the default of a kernel that can be tuned") {
  const Stored stored;
  const EnvironmentVariable state("XDG_STATE_HOME", stored.directory.path());
  Kernel kernel = tuned_kernel();
  const Problem problem{2048, 2048, 2048};
  store_tuning(tuning_path(), "NVIDIA H200", kernel.name, some_tuning());
  CHECK(effective_settings(kernel, h200(), problem) == kernel.settings);
  kernel.configurations = [](const simt::GpuSpec&, const Problem&) {
    return std::vector<Settings>();
  };
  CHECK(effective_settings(kernel, h200(), problem) == some_tuning().settings);
  CHECK(untuned_settings(kernel, h200(), problem) == kernel.settings);
  CHECK(effective_settings(kernel, h200(), {64, 64, 64}) == kernel.settings);
  CHECK(effective_settings(kernel, simt::find_gpu("t4"), problem) == kernel.settings);
}

TEST_CASE("a damaged tuning file is kept aside when something is stored") {
  const Stored stored;
  stored.write("not JSON");
  const TuningFileChange change = stored.store();
  CHECK(change.done);
  CHECK(contains(change.words, ".damaged"));
  CHECK(read_file(stored.path.string() + ".damaged") == "not JSON");
  CHECK(stored.find().tuning.has_value());
}

TEST_CASE("forgetting removes one GPU's, and no other's") {
  const Stored stored;
  stored.store();
  store_tuning(stored.path, "NVIDIA T4", tuned_kernel().name, some_tuning());
  CHECK(contains(forget_tunings(stored.path, "NVIDIA A100").words, "Nothing is stored"));
  CHECK(forget_tunings(stored.path, "NVIDIA H200").done);
  CHECK_FALSE(stored.find().tuning.has_value());
  CHECK(read_tunings(stored.path).tunings.contains("NVIDIA T4"));

  stored.write("not JSON");
  CHECK_FALSE(forget_tunings(stored.path, "NVIDIA T4").done);
  CHECK(read_file(stored.path) == "not JSON");
}
