#include <fmt/format.h>

#include "checks.hpp"
#include "course/declaration.hpp"
#include "course/lesson.hpp"
#include "course/question.hpp"
#include "course_checks.hpp"
#include "run/launch_shape.hpp"
#include "run/stream_k_schedule.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

const std::string kernel = R"toml([kernel]
entry  = "ns::tile<BM, BN>"
values = { BN = 32, BM = 16 }
block  = ["BN / 2", "BM"]
tile   = ["BM", "BN", 8]
loads  = "M·N·K·(1/BM + 1/BN)"
stores = "M·N"
)toml";

const std::string exercise = R"toml([exercise]
kind  = "bug"
task  = """
Mend it.
"""
sizes = ["64", "67x45x33"]
hints = ["a", "b"]
[[exercise.goals]]
name = "loads"
unit = "floats"
count = "load_floats/blocks"
at_most = "K·(BM + BN)"
size = "64"
)toml";

// What is said of a declaration that is wrong.
Error error_in(const std::string& text) {
  INFO(text);
  return error_of([&] { read_declaration(text, "lesson.toml"); });
}

}  // namespace

TEST_CASE("a declared kernel has its settings in the order of its template") {
  const Declaration declared = read_declaration("title = \"T\"\n" + kernel, "lesson.toml");
  CHECK(declared.title == "T");
  CHECK_FALSE(declared.exercise);
  REQUIRE(declared.kernels.size() == 1);
  const Kernel& tile = declared.kernels.front();
  CHECK(tile.name == "ns::tile");
  CHECK(tile.settings == Settings{{"BM", 16}, {"BN", 32}});
  CHECK(tile.name_expression(tile.settings, {1, 1, 1}) == "ns::tile<16, 32>");
}

TEST_CASE("a declared launch and formula follow from the settings") {
  const Kernel declared = read_declaration(kernel, "lesson.toml").kernels.at(0);
  const Settings settings = {{"BM", 8}, {"BN", 64}};
  const LaunchShape shape = declared.shape(settings);
  CHECK(shape.block == simt::Dim3{32, 8});
  CHECK(shape.tile_rows == 8);
  CHECK(shape.tile_columns == 64);
  CHECK(shape.tile_depth == 8);
  CHECK_FALSE(shape.grid_x_along_rows);
  const auto value = [&](const std::string& formula, const Problem& problem) {
    return evaluated(formula, values_before(declared, settings, problem));
  };
  CHECK(value(declared.traffic.loads, {64, 64, 64}) == 64 * 64 * 64 * (1 / 8. + 1 / 64.));
  CHECK(value(declared.traffic.stores, {64, 32, 64}) == 64 * 32);
  CHECK(declared.traffic.whole_tiles_only);
  CHECK_THROWS_AS(declared.shape({{"BM", 8}, {"BN", 7}}), Error);  // 3.5 threads
}

TEST_CASE("a declared kernel may leave out what it does not need") {
  const Kernel declared = read_declaration(R"([kernel]
entry = "plain"
block = [256]
tile = [1, 256]
grid_x = "m"
shared = 1024
)",
                                           "lesson.toml")
                              .kernels.at(0);
  CHECK(declared.settings.empty());
  const LaunchShape shape = declared.shape({});
  CHECK(shape.block == simt::Dim3{256, 1});
  CHECK(shape.tile_depth == 1);
  CHECK(shape.grid_x_along_rows);
  CHECK(shape.dynamic_shared == "1024");
  CHECK(declared.traffic.loads.empty());
}

TEST_CASE("a declared kernel may scale, add to C, split K and have operands transposed") {
  const std::string text = R"([kernel]
entry = "plain<PARTS>"
values = { PARTS = 4 }
block = [256]
tile = [1, 256]
grid_z = "PARTS"
alpha = 1.5
beta = -0.5
c = "random"
transposed = ["B"]
)";
  const Kernel declared = read_declaration(text, "l").kernels.at(0);
  CHECK(declared.shape(declared.settings).blocks_of_tile == 4);
  CHECK(text_of(declared.arguments) == "A, B, C, M, N, K, 1.5, -0.5");
  CHECK(declared.c_before == InitialC::random);
  CHECK(declared.transposed == Transposed{.a = false, .b = true});
  const KernelSource source = kernel_source(declared, declared.settings, {1, 1, 1});
  CHECK(source.arguments == declared.arguments);
  CHECK(source.c_before == declared.c_before);
  CHECK(source.transposed == declared.transposed);
  const auto said = [&](const std::string& from, const std::string& to) {
    return std::string(error_in(replaced(text, from, to)).what());
  };
  CHECK(said("random", "ones").find("'c' must be") != std::string::npos);
  CHECK(said("[\"B\"]", "[\"C\"]").find("'transposed' may have") != std::string::npos);
  CHECK(said("1.5", "\"x\"").find("'alpha' must be a number") != std::string::npos);
}

TEST_CASE("a declared exercise") {
  const ExerciseTerms terms = read_declaration(kernel + exercise, "l").exercise.value();
  CHECK(terms.kind == ExerciseKind::bug);
  CHECK(terms.task == "Mend it.");
  CHECK(terms.sizes == std::vector<Problem>{{64, 64, 64}, {67, 45, 33}});
  CHECK(terms.hints.size() == 2);
  REQUIRE(terms.goals.size() == 1);
  CHECK(terms.goals[0].count == "load_floats/blocks");
  CHECK(terms.goals[0].limit == "K·(BM + BN)");
  CHECK(terms.goals[0].bound == Goal::Bound::at_most);
  CHECK(terms.goals[0].problem == Problem{64, 64, 64});
  CHECK(terms.timed_at == Problem{2048, 2048, 2048});
  const std::string timed = replaced(exercise, "sizes =", "timed_at = \"64x64x9999\"\nsizes =");
  CHECK(read_declaration(kernel + timed, "l").exercise->timed_at == Problem{64, 64, 9999});
}

TEST_CASE("an exercise may be about a kernel that is declared elsewhere") {
  const Kernel& lesson = find_lesson("5").kernels.front();
  const std::string text = replaced(exercise, "load_floats/blocks", "load_floats/steps/TM");
  CHECK(read_declaration(text, "l", &lesson).exercise->goals.size() == 1);
}

TEST_CASE("an exercise may have other settings than the kernel that it is about") {
  const Kernel& lesson = find_lesson("5").kernels.front();
  const auto with_values = [](const std::string& values) {
    return replaced(exercise, "sizes =", "values = { " + values + " }\nsizes =");
  };
  const Settings settings =
      read_declaration(with_values("BM = 64, BN = 64, BK = 16, TM = 4, TN = 4"), "l", &lesson)
          .exercise->settings;
  CHECK(settings == Settings{{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}});
  CHECK(read_declaration(exercise, "l", &lesson).exercise->settings == lesson.settings);
  const auto said = [&](const std::string& values) {
    return std::string(error_in(kernel + with_values(values)).what());
  };
  CHECK(said("BQ = 8").find("'BQ' of 'values' is not a setting of") != std::string::npos);
  CHECK(said("BM = 0").find("must be a whole number from 1") != std::string::npos);
}

TEST_CASE("each thing wrong in a declaration is said with its line") {
  const std::string good = "title = \"T\"\n" + kernel + exercise;
  CHECK_NOTHROW(read_declaration(good, "lesson.toml"));
  struct Wrong {
    std::string from, to;
    int line;
    std::string said;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"title = ", "title  ", 1, "no TOML"},
      {"title = \"T\"", "title = 3", 1, "'title' must be a text"},
      {"title", "tittle", 1, "no key 'tittle' at the top"},
      {"entry  = \"ns::tile<BM, BN>\"\n", "", 2, "'entry' is missing in [kernel]"},
      {"<BM, BN>", "<BM, 32>", 3, "'32' in 'entry' is not the name"},
      {"<BM, BN>", "<BM, BN", 3, "< without its >"},
      {"<BM, BN>", "<BM, BN, BK>", 3, "'BK' of 'entry' is not among 'values'"},
      {"<BM, BN>", "<BM>", 3, "'BN' of 'values' is not a parameter"},
      {"BN = 32", "BN = 0", 4, "'BN' must be a whole number from 1"},
      {"BN = 32", "BN = \"32\"", 4, "must be a whole number"},
      {"block  = [\"BN / 2\", \"BM\"]", "block = 32", 5, "'block' must be a list"},
      {"\"BN / 2\"", "\"BN / 64 / 3\"", 5, "is not a whole number from 1"},
      {"\"BN / 2\"", "\"BN /\"", 5, ""},
      {"\"BN / 2\"", "\"XN\"", 5, "XN"},
      {"\"BN / 2\", \"BM\"", "1, 2, 3", 5, "'block' must have 1 or 2 entries, not 3"},
      {"tile   = [\"BM\", \"BN\", 8]", "tile = [1]", 6, "'tile' must have 2 or 3"},
      {"tile   = [\"BM\", \"BN\", 8]", "tile = [1.5, 2]", 6, "'tile' must be a list of whole"},
      {"loads ", "loads = \"M\"\nshred ", 8, "no key 'shred' in [kernel]"},
      {"1/BM", "1/BX", 7, "BX"},
      {"stores = \"M·N\"\n", "", 2, "'stores' is missing in [kernel]"},
      {"stores = ", "grid_x = \"k\"\nstores = ", 8, "'grid_x' must be \"n\" or \"m\""},
      {"stores = ", "shared = -1\nstores = ", 8, "'shared' must be a whole number from 0"},
      {"\"bug\"", "\"bugs\"", 10, "'kind' must be"},
      {"\"67x45x33\"", "\"67x45\"", 14, "'67x45' is no size"},
      {"\"67x45x33\"", "\"0\"", 14, "'0' is no size"},
      {"\"67x45x33\"", "\"99999999999\"", 14, "is no size"},
      {"\"67x45x33\"", "\"5000\"", 14, "too large"},
      {"hints = [\"a\", \"b\"]", "hints = []", 15, "'hints' must be a list"},
      {"[[exercise.goals]]", "[exercise.goals]", 16, "'goals' must be a list"},
      {"load_floats", "load_flots", 19, "load_flots"},
      {"at_most = \"K·(BM + BN)\"", "", 16, "'at_most', 'at_least' and 'exactly'"},
      {"at_most = ", "exactly = \"1\"\nat_most = ", 16, "'at_most', 'at_least' and 'exactly'"},
      {"BM + BN)\"", "BM + load_floats)\"", 20, "load_floats"},
      {"K·(BM + BN)", "K/(2·BM - BN)", 20, "2·BM - BN is 0"},
  }));
  const std::string text = replaced(good, wrong.from, wrong.to);
  const Error error = error_in(text);
  INFO(text << "\n" << error.what() << "\n" << error.help());
  CHECK(error.status() == ExitStatus::usage);
  const std::string said = error.what();
  CHECK(said.starts_with(fmt::format("lesson.toml:{}: ", wrong.line)));
  CHECK(said.find(wrong.said) != said.npos);
  CHECK(said.find('\n') == said.npos);
  CHECK_FALSE(error.help().empty());
}

TEST_CASE("an exercise without any kernel is refused") {
  CHECK(std::string(error_in(exercise).what()).find("[kernel] is missing") != std::string::npos);
}

TEST_CASE("keys that are nested too deeply are refused") {
  for (const std::string begin : {"", "["}) {
    std::string text = begin;
    for (int i = 0; i < 100'000; ++i) text += "a.";
    const Error error = error_in(text + (begin.empty() ? "a = 1" : "a]"));
    CHECK(std::string(error.what()).find("nested too deeply") != std::string::npos);
    CHECK_FALSE(error.help().empty());
  }
}

// What a lesson.toml may say of its kernels, and each mistake in it with its line.
namespace gemm_tutor {
namespace {

const std::string tile_source = R"(
template <int BM, int BN, int BK, bool inside>
__global__ void tile(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * BM;
  float sum = 0.0f;
  sum += A[row];
  sum += B[row];
}

// excerpt: plain
__global__ void plain(const float* A, const float* B, float* C, int M, int N, int K) {
  C[0] = 0.0f;
}
// end excerpt
)";

const std::string declaration = R"toml(changes = 2
page_size = "96x192x48"
change = "What is new."

[[kernel]]
entry = "tile<BM, BN, BK, inside>"
title = "the first"
values = { BM = 32, BN = 64, BK = 8 }
flags = { inside = "M % BM == 0 and N % BN == 0" }
block = ["BN/2", "BM/2"]
tile = ["BM", "BN", "BK"]
shared_floats = "BK·(BM + BN)"
stream_k = { blocks = "4·BK", group_rows = 2, second_pass = "add" }
compute_capability = 80
constraints = [
  "BM % BK == 0",
  { holds = "threads <= 512 or BK > BM", text = "{threads} threads do not share {BM·BK}", help = "Try BK=16." },
  "BN > BK",
]
loads = "M·N·K·(1/BM + 1/BN) + P"
stores = "M·N + P"
symbol = { name = "P", value = "partial_pieces", words = "parts of tiles" }
notes = [
  { code = "const int row", text = "The first row." },
  { code = "float sum", text = "The sum." },
]

[[kernel.questions]]
id = "how-many"
ask = "How many floats are {BK·BM}, and how many {threads} threads?"
unit = "floats"
work = "BM·BK + P"
count = "load_floats/blocks"
why = "There are {steps} steps."
line = "sum += A"
whole_tiles = true

[[kernel.questions]]
id = "which"
ask = "Which of them?"
choices = [
  { text = "the {BM}", holds = "store_floats == BM" },
  { text = "the other", holds = "shared_bytes > BM" },
]
why = "So it is."

[[kernel]]
entry = "plain"
title = "the second"
block = [16]
tile = [16, 16]
loads = "2·M·N·K"
stores = "M·N"
exact_at_edges = true
)toml";

Declaration declared(const std::string& text = declaration) {
  return read_declaration(text, "lesson.toml", nullptr, tile_source);
}

// Of a lesson that changes the one with those kernels.
constexpr const char* variant = R"toml(changes = 2
change = "The tile is wider."

[kernel]
name = "wide_tile"
of = "tile"
values = { BM = 16, BN = 128 }
notes = [ { code = "const int row", text = "The first row." } ]
)toml";

// Of lesson.toml beside a kernel.cu, if there is one.
Declaration declared_variant(const std::string& text, const std::string& own_source = {}) {
  Lesson changed;
  changed.number = 2;
  changed.source = tile_source;
  changed.kernels = declared().kernels;
  return read_declaration(text, "lesson.toml", nullptr, own_source, {changed});
}

// What is said of settings that are not as the declaration wants them.
Error refusal(const std::string& assignment) {
  const Kernel kernel = declared().kernels.front();
  Settings settings = kernel.settings;
  apply_setting(settings, assignment);
  return error_of([&] { kernel.shape(settings); });
}

}  // namespace

TEST_CASE("a lesson may declare several kernels, and what it changes") {
  const Declaration lesson = declared();
  CHECK(lesson.named_lessons.front().name == "2");
  CHECK(lesson.change == "What is new.");
  CHECK((lesson.page_size == Problem{96, 192, 48}));
  REQUIRE(lesson.kernels.size() == 2);
  CHECK(lesson.kernels[0].title == "the first");
  CHECK(lesson.kernels[1].name == "plain");
  CHECK(lesson.kernels[0].traffic.whole_tiles_only);
  CHECK_FALSE(lesson.kernels[1].traffic.whole_tiles_only);
}

TEST_CASE("a declared kernel has flags, shared memory, stream-K and what a GPU must have") {
  const Kernel kernel = declared().kernels.front();
  CHECK(kernel.settings == Settings{{"BM", 32}, {"BN", 64}, {"BK", 8}});
  CHECK(kernel.compute_capability == 80);
  CHECK(kernel.second_pass == "add");
  CHECK(kernel.name_expression(kernel.settings, {64, 64, 5}) == "tile<32, 64, 8, true>");
  CHECK(kernel.second_name_expression(kernel.settings, {64, 65, 5}) == "add<32, 64, 8, false>");
  const LaunchShape shape = kernel.shape(kernel.settings);
  CHECK(shape.block == simt::Dim3{32, 16});
  CHECK(shape.tile_depth == 8);
  CHECK(shape.static_shared_floats == 8 * (32 + 64));
  REQUIRE(shape.stream_k);
  CHECK(shape.stream_k->blocks == 32);
  CHECK(shape.stream_k->group_rows == 2);
}

TEST_CASE("a formula's symbol has a value, and a name that questions know") {
  const Kernel kernel = declared().kernels.front();
  const Problem problem{96, 64, 64};
  const double parts =
      static_cast<double>(StreamKSchedule(kernel.shape(kernel.settings), problem).partial_pieces());
  CHECK(parts > 0);
  const Values values = values_before(kernel, kernel.settings, problem);
  CHECK(values.at("P") == parts);
  CHECK(evaluated(kernel.traffic.stores, values) == 96 * 64 + parts);
  CHECK(kernel.traffic.symbol->words == "parts of tiles");
}

TEST_CASE("declared notes and questions") {
  const Kernel kernel = declared().kernels.front();
  REQUIRE(kernel.notes.size() == 2);
  CHECK(kernel.notes[1].code == "float sum");
  CHECK(kernel.notes[1].text == "The sum.");
  REQUIRE(kernel.questions.size() == 2);
  const Question& number = kernel.questions[0];
  CHECK(number.id == "how-many");
  CHECK(number.unit == "floats");
  CHECK(number.work == "BM·BK + P");
  CHECK(number.count == "load_floats/blocks");
  CHECK(number.line == "sum += A");
  CHECK(number.whole_tiles);
  const Question& choice = kernel.questions[1];
  REQUIRE(choice.choices.size() == 2);
  CHECK(choice.choices[0].text == "the {BM}");
  CHECK(choice.choices[0].holds == "store_floats == BM");
  CHECK(choice.work.empty());
  CHECK_FALSE(choice.whole_tiles);
}

TEST_CASE("a constraint that does not hold is said with the settings and what to do") {
  const Error multiple = refusal("BM=36");
  CHECK(multiple.status() == ExitStatus::usage);
  CHECK(std::string(multiple.what()) == "BM=36, BN=64, BK=8: BM is not a multiple of BK");
  CHECK(multiple.help() == "Change another setting with it, by a second --set.");

  const Error share = refusal("BN=128");
  CHECK(contains(share.what(), ": 1,024 threads do not share 256"));
  CHECK(share.help() == "Try BK=16.");

  CHECK(contains(refusal("BN=8").what(), ": BN > BK does not hold"));
  CHECK(contains(refusal("BN=33").what(), ": BN/2 = 16.5 is not a whole number from 1"));
  CHECK(contains(refusal("BK=2000000000").what(), "BM is not a multiple of BK"));
}

TEST_CASE("an extent that no int holds is said to be that") {
  const std::string text = R"([kernel]
entry = "plain<BM>"
values = { BM = 8 }
block = ["BM·BM"]
tile = [1, 1]
)";
  const Kernel kernel = read_declaration(text, "l").kernels.at(0);
  const Error error = error_of([&] { kernel.shape({{"BM", 1 << 16}}); });
  CHECK(contains(error.what(), "BM=65536: BM·BM is more than an int holds"));
}

TEST_CASE("a variant has the declaration of another kernel, with other values") {
  const Kernel of = declared().kernels.front(), kernel = declared_variant(variant).kernels.at(0);
  CHECK(kernel.name == "wide_tile");
  CHECK(kernel.function == "tile");
  CHECK(kernel.settings == Settings{{"BM", 16}, {"BN", 128}, {"BK", 8}});
  CHECK(kernel.name_expression(kernel.settings, {64, 128, 5}) == "tile<16, 128, 8, true>");
  CHECK(kernel.second_name_expression(kernel.settings, {64, 5, 5}) == "add<16, 128, 8, false>");
  CHECK(kernel.shape(kernel.settings).block == simt::Dim3{64, 8});
  CHECK(kernel.compute_capability == of.compute_capability);
  CHECK(kernel.traffic.loads == of.traffic.loads);
  CHECK(kernel.traffic.symbol->name == "P");
  CHECK(kernel.title.empty());
  REQUIRE(kernel.notes.size() == 1);
  CHECK(kernel.questions.empty());

  const std::string without_values = replaced(variant, "values = { BM = 16, BN = 128 }\n", "");
  CHECK(declared_variant(without_values).kernels.at(0).settings == of.settings);
}

TEST_CASE("a variant with a source of its own is that function") {
  const std::string own = replaced(tile_source, "void tile(", "void wide_tile(");
  const Kernel kernel = declared_variant(variant, own).kernels.at(0);
  CHECK(kernel.function == "wide_tile");
  CHECK(kernel.name_expression(kernel.settings, {64, 128, 5}) == "wide_tile<16, 128, 8, true>");
  const std::string other_note = replaced(variant, "const int row", "const int column");
  CHECK(contains(error_of([&] { declared_variant(other_note, own); }).what(), "in no lines"));
}

TEST_CASE("a variant with other values does not choose its settings") {
  Lesson changed;
  changed.number = 2;
  changed.source = tile_source;
  changed.kernels = declared().kernels;
  Kernel& of = changed.kernels.front();
  of.choose = [usual = of.settings](const simt::GpuSpec&, const Problem&) { return usual; };
  of.configurations = [usual = of.settings](const simt::GpuSpec&, const Problem&) {
    return std::vector<Settings>{usual};
  };
  const auto read = [&](const std::string& text) {
    return read_declaration(text, "l", nullptr, {}, {changed}).kernels.at(0);
  };
  CHECK_FALSE(read(variant).choose);
  CHECK_FALSE(read(variant).configurations);
  CHECK(read(replaced(variant, "values = { BM = 16, BN = 128 }\n", "")).choose);
}

TEST_CASE("the first values are taken that fit the shared memory of the GPU's blocks") {
  const std::string text = replaced(declaration, "shared_floats = \"BK·(BM + BN)\"",
                                    "shared = \"1024·BK\"\n"
                                    "less_shared = [{ BK = 4, BN = 32 }, { BK = 2 }]");
  const Kernel kernel = declared(text).kernels.at(0);
  const auto on = [&](int kibibytes) {
    simt::GpuSpec gpu;
    gpu.shared_bytes_per_block_optin = kibibytes * 1024;
    const Settings settings = effective_settings(kernel, gpu, {64, 64, 64});
    return fmt::format("{} {}", settings["BN"], settings["BK"]);
  };
  CHECK(on(8) == "64 8");
  CHECK(on(7) == "32 4");
  CHECK(on(3) == "64 2");
  CHECK(on(1) == "64 8");  // none fits: the error names what the lesson is about
}

TEST_CASE("every kernel of the course fits each GPU that has its instructions") {
  constexpr Problem problem{512, 512, 512};
  for (const simt::GpuSpec& gpu : simt::known_gpus()) {
    for (const Lesson& lesson : lessons()) {
      for (const Kernel& kernel : lesson.kernels) {
        if (!kernel.shape || kernel.compute_capability > gpu.compute_capability()) continue;
        INFO(gpu.full_name << ", " << kernel.name);
        const LaunchShape shape = kernel.shape(effective_settings(kernel, gpu, problem));
        CHECK(launch_for(shape, problem).dynamic_shared_bytes <=
              static_cast<std::uint32_t>(gpu.shared_bytes_per_block_optin));
      }
    }
  }
}

TEST_CASE("each mistake in the declaration of a variant is said with its line") {
  struct Wrong {
    std::string from, to;
    int line;
    std::string said;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"changes = 2\n", "", 5, "'of' needs 'changes', the lesson of that kernel"},
      {"of = \"tile\"", "of = \"tiles\"", 6, "lesson 2 has no kernel 'tiles'"},
      {"of = \"tile\"", "of = 2", 6, "'of' must be a text"},
      {"name = \"wide_tile\"\n", "", 4, "'name' is missing in [kernel]"},
      {"\"wide_tile\"", "\"wide tile\"", 5, "'name' must be a new name"},
      {"\"wide_tile\"", "\"tile\"", 5, "'name' must be a new name"},
      {"BN = 128", "BX = 128", 7, "'BX' of 'values' is not a setting of tile"},
      {"BN = 128", "inside = 1", 7, "'inside' of 'values' is not a setting of tile"},
      {"BN = 128", "BN = 0", 7, "'BN' must be a whole number from 1"},
      {"BM = 16", "BM = 32", 7, "1,024 threads do not share 256"},
      {"const int row", "const int column", 8, "is in no lines of the kernel"},
      {"of = ", "entry = \"tile<BM>\"\nof = ", 6, "no key 'entry' in [kernel]"},
      {"of = ", "block = [16]\nof = ", 6, "no key 'block' in [kernel]"},
      {"of = ", "loads = \"M\"\nof = ", 6, "no key 'loads' in [kernel]"},
      {"of = \"tile\"\n", "", 4, "'entry' is missing in [kernel]"},
  }));
  CHECK_NOTHROW(declared_variant(variant));
  const std::string text = replaced(variant, wrong.from, wrong.to);
  const Error error = error_of([&] { declared_variant(text); });
  INFO(wrong.from << " -> " << wrong.to << "\n" << error.what() << "\n" << error.help());
  CHECK(error.status() == ExitStatus::usage);
  const std::string said = error.what();
  CHECK(said.starts_with(fmt::format("lesson.toml:{}: ", wrong.line)));
  CHECK(contains(said, wrong.said));
  CHECK_FALSE(contains(said, "\n"));
  CHECK_FALSE(error.help().empty());
}

TEST_CASE("each mistake in the declaration of a kernel is said with its line") {
  CHECK_NOTHROW(declared());
  struct Wrong {
    std::string from, to;
    int line;
    std::string said;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"changes = 2", "changes = 2.5", 1, "'changes' must be a lesson's number or name"},
      {"change = \"What is new.\"", "change = 3", 3, "'change' must be a text"},
      {", inside>", ">", 6, "'inside' of 'flags' is not a parameter"},
      {"BK, inside", "inside, BK", 6, "the flags must come last"},
      {"M % BM == 0 and", "M % BX == 0 and", 9, "BX"},
      {"[\"BN/2\", \"BM/2\"]", "[\"BN/3\"]", 10, "BN/3 = 21.3333 is not a whole number"},
      {"BK·(BM + BN)\"", "BK·(BM + BX)\"", 12, "BX"},
      {"\"4·BK\"", "\"BK/3\"", 13, "not a whole number"},
      {", second_pass = \"add\"", "", 13, "'second_pass' is missing in [kernel.stream_k]"},
      {"group_rows", "rows", 13, "'group_rows' is missing"},
      {"compute_capability = 80", "compute_capability = 8.0", 14, "must be a whole number"},
      {"compute_capability = 80", "less_shared = [{ BX = 1 }]", 14,
       "'BX' of 'less_shared' is not a setting of tile"},
      {"compute_capability = 80", "less_shared = [{ BM = 33 }]", 14, "is not a multiple of BK"},
      {"compute_capability = 80", "less_shared = [{ BK = 4 }]", 14, "needs 'shared'"},
      {"compute_capability = 80", "less_shared = 2", 14, "'less_shared' must be"},
      {"\"BM % BK == 0\"", "\"BM % 3 == 0\"", 16, "BM % 3 == 0 does not hold"},
      {"\"BM % BK == 0\"", "\"BM %\"", 16, "is no arithmetic"},
      {"\"BM % BK == 0\"", "12", 16, "'constraints' must be a list of texts or tables"},
      {"holds = \"threads", "hold = \"threads", 17, "'holds' is missing"},
      {"help = \"Try", "hlp = \"Try", 17, "no key 'hlp' in [kernel.constraints]"},
      {"\"M·N·K·(1/BM + 1/BN) + P\"", "\"M·N·Q\"", 20, "Q"},
      {"value = \"partial_pieces\"", "value = \"pieces\"", 22, "pieces"},
      {"words = ", "word = ", 22, "'words' is missing in [kernel.symbol]"},
      {"code = \"const int row\"", "code = \"const int rows\"", 24, "is in no lines of the kernel"},
      {"code = \"float sum\"", "code = \"sum\"", 25, "is in 3 lines of the kernel"},
      {"text = \"The sum.\"", "txt = \"The sum.\"", 25, "'text' is missing in [kernel.notes]"},
      {"id = \"how-many\"", "id = \"How many\"", 29, "'How many' is not an 'id'"},
      {"{BM·BK}", "{BM·BX}", 17, "BX"},
      {"{BM·BK}", "{BM·BK", 17, "an unmatched brace"},
      {"{BK·BM}", "{BX·BM}", 30, "BX"},
      {"{BK·BM}", "{BK·BM", 30, "an unmatched brace"},
      {"unit = \"floats\"\n", "", 28, "'unit' is missing in [kernel.questions]"},
      {"work = \"BM·BK + P\"", "work = \"load_floats\"", 32, "load_floats"},
      {"load_floats/blocks", "load_flots/blocks", 33, "load_flots"},
      {"{steps}", "{step}", 34, "step"},
      {"line = \"sum += A\"", "line = \"sum += \"", 35, "is in 2 lines"},
      {"whole_tiles = true", "whole_tiles = 1", 36, "'whole_tiles' must be true or false"},
      {"id = \"which\"", "id = \"how-many\"", 5, "there is a question 'how-many' already"},
      {"  { text = \"the other\", holds = \"shared_bytes > BM\" },\n", "", 41,
       "two choices at least"},
      {"shared_bytes > BM", "shared_byte > BM", 43, "shared_byte"},
      {"why = \"So it is.\"", "", 38, "'why' is missing"},
      {"entry = \"plain\"", "entry = \"tile\"", 47, "there is a kernel 'tile' already"},
      {"block = [16]", "runs_on = \"tpu\"\nblock = [16]", 50, "'runs_on' must be"},
      {"exact_at_edges = true", "exact = true", 54, "no key 'exact' in [kernel]"},
  }));
  const std::string text = replaced(declaration, wrong.from, wrong.to);
  const Error error = error_of([&] { declared(text); });
  INFO(wrong.from << " -> " << wrong.to << "\n" << error.what() << "\n" << error.help());
  CHECK(error.status() == ExitStatus::usage);
  const std::string said = error.what();
  CHECK(said.starts_with(fmt::format("lesson.toml:{}: ", wrong.line)));
  CHECK(contains(said, wrong.said));
  CHECK_FALSE(contains(said, "\n"));
  CHECK_FALSE(error.help().empty());
}

}  // namespace gemm_tutor
