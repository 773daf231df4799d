#include "course/declaration.hpp"

#include <fmt/format.h>

#include "checks.hpp"
#include "course/lesson.hpp"
#include "course/question.hpp"
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
    return Expression::parse(formula).value(values_before(declared, settings, problem));
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
