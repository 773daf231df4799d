#include "course/question.hpp"
#include "simt/compiler.hpp"

#include "course_checks.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

const Values values = {{"M", 512}, {"N", 256}, {"K", 128},       {"BM", 32}, {"BN", 64},
                       {"BK", 8},  {"TM", 2},  {"threads", 256}, {"TN", 2},  {"steps", 16}};

Question number_of(std::string unit) {
  Question question;
  question.id = "test";
  question.unit = std::move(unit);
  return question;
}

Question choice_of(std::vector<std::string> texts) {
  Question question;
  question.id = "test";
  for (std::string& text : texts) question.choices.push_back({std::move(text), "1"});
  return question;
}

double number(std::string_view typed, const std::string& unit = "floats") {
  INFO("'" << typed << "' of " << unit);
  const auto parsed = parse_answer(number_of(unit), typed, values);
  if (const auto* why = std::get_if<std::string>(&parsed)) FAIL(*why);
  CHECK_FALSE(std::get<Answer>(parsed).choice);
  return std::get<Answer>(parsed).number.value();
}

std::string refusal(std::string_view typed, const std::string& unit = "floats") {
  INFO("'" << typed << "' of " << unit);
  const auto parsed = parse_answer(number_of(unit), typed, values);
  REQUIRE(std::holds_alternative<std::string>(parsed));
  return std::get<std::string>(parsed);
}

const Kernel& kernel_of(const char* lesson, const char* name = "") {
  return find_kernel(find_lesson(lesson), name);
}

}  // namespace

TEST_CASE("questions are for the lesson's own size where the reader chose nothing") {
  const auto usual = [](const Problem& size) { return Settings{{"BM", size.m / 8}}; };
  const Problem usual_size{1024, 1024, 1024}, own{96, 192, 48};
  Lesson lesson;
  Kernel kernel;
  const auto asked = [&](const Problem& size, const Settings& settings) {
    return subject_of_questions(lesson, kernel, {size, settings}, usual);
  };
  CHECK(asked(usual_size, {{"BM", 128}}).problem == usual_size);
  lesson.page_size = own;
  CHECK(asked(usual_size, {{"BM", 128}}).problem == own);
  CHECK(asked(usual_size, {{"BM", 128}}).settings == Settings{{"BM", 12}});
  CHECK(asked({512, 512, 512}, {{"BM", 64}}).problem == Problem{512, 512, 512});
  CHECK(asked(usual_size, {{"BM", 7}}).problem == usual_size);
  CHECK(asked(usual_size, {{"BM", 7}}).settings == Settings{{"BM", 7}});
  // Where there is nothing to ask about, it is that size, too.
  kernel.questions = {{.id = "parts", .ask = "", .needs = "M > BM"}};
  CHECK(asked({512, 512, 512}, {{"BM", 64}}).problem == Problem{512, 512, 512});
  CHECK(asked({64, 512, 512}, {{"BM", 64}}).problem == own);
  CHECK(asked({64, 512, 512}, {{"BM", 64}}).settings == Settings{{"BM", 12}});
  lesson.page_size.reset();
  CHECK(asked({64, 512, 512}, {{"BM", 64}}).problem == usual_size);
}

TEST_CASE("a number, however it is written") {
  for (const char* typed :
       {"2048",  "2,048", "2 048",   "2_048",   "2'048",     " 2048 ", "\t2048",  "2048.0",
        "2^11",  "2**11", "2.048e3", "=2048",   "= 2048",    "~2048",  "≈ 2,048", "8*256",
        "8·256", "8×256", "8x256",   "8 X 256", "(8)x(256)", "4096/2"}) {
    CHECK(number(typed) == 2048);
  }
  CHECK(number("67 108 864") == 67108864);
  CHECK(number("4/3") == 4.0 / 3);
  CHECK(number("1.33") == 1.33);
  CHECK(number("1e6") == 1e6);
  CHECK(number("0") == 0);
}

TEST_CASE("a number by the names of values, capitals or not") {
  CHECK(number("BM*BK + BK*BN") == 768);
  CHECK(number("bm*bk + bk·bn") == 768);
  CHECK(number("BM x BK") == 256);
  CHECK(number("m*n") == 512 * 256);
  CHECK(number("⌈K/BM⌉") == 4);
  CHECK(number("ceil(k/bm)") == 4);
  CHECK(number("Threads") == 256);
  CHECK(number("2*threads", "threads") == 512);
  CHECK(number("2*threads threads", "threads") == 512);
  CHECK(number("K") == 128);
}

TEST_CASE("a magnitude after a number is not read: a thousand, 1,024 or the value of K?") {
  for (const char* typed : {"8k", "8 K", "1M", "2G", "1.5k + 1k", "64K floats", "1m"}) {
    CHECK(contains(refusal(typed), fmt::format("'{}'", typed)));
  }
}

TEST_CASE("bytes are converted where the question asks for floats or sectors") {
  CHECK(number("8 KiB") == 2048);
  CHECK(number("8kib") == 2048);
  CHECK(number("8 KB") == 2048);
  CHECK(number("1 MiB") == 262144);
  CHECK(number("1MB") == 262144);
  CHECK(number("1 GiB") == 268435456);
  CHECK(number("64 bytes") == 16);
  CHECK(number("64B") == 16);
  CHECK(number("8 KiB", "bytes") == 8192);
  CHECK(number("8kb", "bytes") == 8192);
  CHECK(number("4*BM*BK bytes", "bytes") == 1024);
  CHECK(number("2048 floats", "bytes") == 8192);
  CHECK(number("512 bytes", "sectors") == 16);
  CHECK(number("1 KiB", "sectors") == 32);
}

TEST_CASE("the question's own unit may be said, in the singular too") {
  CHECK(number("16 floats") == 16);
  CHECK(number("1 Float") == 1);
  CHECK(number("2*BK FLOATS") == 16);
  CHECK(number("16sectors", "sectors") == 16);
  CHECK(number("1 sector", "sectors") == 1);
  CHECK(number("64 load requests", "requests") == 64);
  CHECK(number("6 wavefronts", "wavefronts") == 6);
  CHECK(number("2 barriers", "barriers") == 2);
  CHECK(number("64 blocks", "blocks") == 64);
  CHECK(number("4 multiply-adds", "multiply-adds") == 4);
  CHECK(number("4 FFMAs", "multiply-adds") == 4);
  CHECK(number("16 %", "percent") == 16);
  CHECK(number("16 percent", "percent") == 16);
  for (const char* typed : {"32x", "32×", "32 ×", "32 times", "32X", "32"}) {
    CHECK(number(typed, "times") == 32);
  }
}

TEST_CASE("another unit is told from the question's") {
  CHECK(refusal("16 wavefronts", "sectors") ==
        "That is wavefronts; the question asks for sectors.");
  CHECK(refusal("1 sector", "floats") == "That is sectors; the question asks for floats.");
  CHECK(refusal("8 floats", "sectors") == "That is floats; the question asks for sectors.");
  CHECK(refusal("8 KiB", "requests") == "That is bytes; the question asks for requests.");
  CHECK(refusal("16 %", "times") == "That is percent; the question asks for times.");
}

TEST_CASE("what is no number is answered with an example") {
  for (const char* typed :
       {"sixteen",   "?",     "no idea", "16 bananas", "NaN", "inf",      "-inf", "½",      "1e999",
        "10^10^10",  "1/0",   "0x10",    "1,5",        "--",  "1..5",     "2 3",  "floats", "((((",
        "\x1b[31m5", "5\x01", "5\n6",    "\xff\xff",   "💥",   "$(reboot)"}) {
    const std::string why = refusal(typed);
    INFO(typed << ": " << why);
    CHECK(contains(why, "for example 96, 1,500, 2^9 or 3*128"));
    CHECK(contains(why, "number of floats"));
    CHECK(why.find_first_of("\x01\x1b\n") == why.npos);
    CHECK(why.size() < 250);
  }
  CHECK(contains(refusal(""), "Type a number of floats"));
  CHECK(contains(refusal("  \t"), "Type a number of floats"));
  CHECK(contains(refusal("sixteen"), "BK, BM, BN, K, M, N, TM, TN"));
  CHECK(contains(refusal("-5"), "never below 0"));
  CHECK(contains(refusal("1e308 KiB"), "No count is so large"));
  CHECK(contains(refusal("BK - BM"), "never below 0"));
}

TEST_CASE("text without end is no answer either") {
  for (const std::string piece : {"(", "9", "^9", "1 000 ", "k", "x", "-", "💥", "{", " "}) {
    std::string typed;
    while (typed.size() < 5000) typed += piece;
    INFO(piece);
    const std::string why = refusal(typed);
    CHECK(why.size() < 300);
    std::string shorter = typed.substr(0, 199);
    refusal(shorter[0] == ' ' || shorter[0] == '9' ? shorter + "$" : shorter);
  }
}

TEST_CASE("a choice by its number or its first letters") {
  const Question question =
      choice_of({"as many as before", "{BM} times fewer", "Half as many", "half of them"});
  const auto choice = [&](std::string_view typed) {
    const auto parsed = parse_answer(question, typed, values);
    if (const auto* why = std::get_if<std::string>(&parsed)) return *why;
    CHECK(!std::get<Answer>(parsed).number);
    return std::to_string(std::get<Answer>(parsed).choice.value());
  };
  CHECK(choice("1") == "0");
  CHECK(choice(" 4 ") == "3");
  CHECK(choice("2.") == "1");
  CHECK(choice("2)") == "1");
  CHECK(choice("as") == "0");
  CHECK(choice("As Many") == "0");
  CHECK(choice("32 t") == "1");
  CHECK(choice("half a") == "2");
  CHECK(contains(choice("half"), "Several choices begin with 'half'"));
  for (const char* typed : {"0", "5", "12", "-1", "1.0", "x", "½", "\x01", "NaN"}) {
    INFO(typed);
    CHECK(contains(choice(typed), "1 to 4"));
  }
  CHECK(contains(choice(""), "1 to 4"));
  CHECK(contains(choice(std::string(5000, 'a')), "too long"));
}

TEST_CASE("braces are filled in with values") {
  CHECK(filled_in("a step of {BK}: {2·M·N·K} floats", values) == "a step of 8: 33,554,432 floats");
  CHECK(filled_in("{1/3}", values) == "0.3333");
  CHECK(filled_in("no braces", values) == "no braces");
  CHECK(filled_in("", values).empty());
  for (const char* text : {"{", "}", "{BK", "BK}", "{{BK}}", "{BK}}", "{B{K}}"}) {
    INFO(text);
    CHECK_THROWS_AS(filled_in(text, values), std::logic_error);
  }
  CHECK_THROWS_AS(filled_in("{}", values), Error);
  CHECK_THROWS_AS(filled_in("{XY}", values), Error);
}

TEST_CASE("a quantity has its unit, one of it the singular") {
  CHECK(quantity_text(2048, "floats") == "2,048 floats");
  CHECK(quantity_text(1, "sectors") == "1 sector");
  CHECK(quantity_text(2.5, "sectors") == "2.5 sectors");
}

TEST_CASE("a question of whole tiles is asked of the next larger problem that has them") {
  Question question;
  const Kernel& kernel = kernel_of("double-buffer");
  const auto problem = [&](const Problem& asked) {
    return problem_of(question, kernel, kernel.settings, asked);
  };
  CHECK(problem({100, 200, 300}) == Problem{100, 200, 300});
  question.whole_tiles = true;
  CHECK(problem({100, 200, 300}) == Problem{128, 256, 304});
  CHECK(problem({128, 256, 8}) == Problem{128, 256, 8});
  CHECK(problem({1, 1, 1}) == Problem{128, 128, 8});
  CHECK(problem({1, 1, 2147483647}) == Problem{128, 128, 2147483647});
  CHECK(problem_of(question, kernel_of("cublas"), {}, {1, 2, 3}) == Problem{1, 2, 3});
  CHECK(problem_of(question, kernel_of("cpu-loop"), {}, {1, 2, 3}) == Problem{1, 2, 3});
}

TEST_CASE("values before a run are of the problem, the settings and the launch") {
  const Kernel& kernel = kernel_of("thread-tile");
  const Values before = values_before(kernel, kernel.settings, {100, 70, 40});
  const Values expected = {{"M", 100},          {"N", 70},
                           {"K", 40},           {"BM", 32},
                           {"BN", 32},          {"BK", 16},
                           {"TM", 2},           {"TN", 2},
                           {"tile_rows", 32},   {"tile_columns", 32},
                           {"tile_depth", 16},  {"threads", 256},
                           {"warps", 8},        {"blocks", 12},
                           {"grid_x", 3},       {"grid_y", 4},
                           {"warps_total", 96}, {"steps", 3}};
  CHECK(before == expected);
  CHECK(values_before(kernel_of("cpu-loop"), {}, {2, 3, 4}) ==
        Values{{"M", 2}, {"N", 3}, {"K", 4}});
}

TEST_CASE("values counted are the run's counters, or those of one line") {
  const LessonRun run = run_lesson(4, {128, 128, 16});
  Question question;
  const Values all = values_counted(question, run);
  const simt::Counters& total = run.emulation->total;
  CHECK(number_text(all.at("load_floats")) == with_thousands(*run.traffic.counted_loads));
  CHECK(all.at("store_floats") == 128 * 128);
  CHECK(all.at("ffma") == 128 * 128 * 16);
  CHECK(all.at("global_load_sectors") == static_cast<double>(total.global_load_sectors));
  CHECK(all.at("warp_instructions") == static_cast<double>(total.warp_instructions()));
  CHECK(all.at("ffma_instructions") == 128 * 128 * 16 / 32);
  CHECK(all.at("blocks_total") == 1);
  CHECK(all.at("shared_bytes") == 0);
  if (simt::compiler_status().has_assembler) {
    CHECK(all.at("registers_per_thread") == run.launch->resources.registers_per_thread);
    CHECK(all.at("blocks_per_sm") == run.launch->occupancy.blocks_per_multiprocessor);
  } else {
    for (const char* name : {"registers_per_thread", "blocks_per_sm", "occupancy"}) {
      CHECK_FALSE(all.contains(name));
    }
  }
  CHECK(all.contains("register_bank_conflicts") == simt::compiler_status().has_assembler);
  CHECK(all.at("multiprocessors") == run.gpu->multiprocessors);
  CHECK(all.at("TM") == 8);

  question.line = "b[j] = column + j < N";
  const Values of_b = values_counted(question, run);
  question.line = "a[i] = row + i < M";
  const Values of_a = values_counted(question, run);
  CHECK(of_a.at("load_floats") + of_b.at("load_floats") == all.at("load_floats"));
  CHECK(of_a.at("ffma") == 0);
  question.line = "float sum[TM][TN] = {};";
  CHECK(values_counted(question, run).at("global_load_requests") == 0);
  for (const char* line : {"not in the kernel", "for (int i = 0; i < TM; ++i)"}) {
    question.line = line;
    CHECK_THROWS_AS(values_counted(question, run), std::logic_error);
  }
}

TEST_CASE("an answer is checked against the count, with the arithmetic for the learner's numbers") {
  const LessonRun run = run_lesson(3, {64, 64, 64});
  Question question;
  question.unit = "floats";
  question.work = "BM·BK + BK·BN";
  question.count = "load_floats/(blocks·steps)";
  question.why = "A tile of A and one of B: {BM·BK} each.";
  const Checked right = check(question, {.number = 2048, .choice = {}}, run);
  CHECK(right.right);
  CHECK(right.counted == "2,048 floats");
  CHECK(right.arithmetic == "BM·BK + BK·BN = 32·32 + 32·32 = 2,048");
  CHECK(right.why == "A tile of A and one of B: 1,024 each.");
  CHECK_FALSE(check(question, {.number = 1024, .choice = {}}, run).right);
  CHECK_FALSE(check(question, {.number = {}, .choice = {}}, run).right);

  question.work = "32 + 1";
  const Checked odd = check(question, {.number = 2048, .choice = {}}, run);
  CHECK(odd.right);
  CHECK(odd.arithmetic.empty());
  CHECK(contains(odd.why, "usually it would be 32 + 1 = 33"));
  question.count = "32 + 1";
  CHECK(check(question, {.number = 33, .choice = {}}, run).arithmetic == "32 + 1 = 33");
}

TEST_CASE("decimals are right as far as they go") {
  const LessonRun run = run_lesson(3, {64, 64, 64});
  Question question;
  question.work = question.count = "4/3";
  const auto is_right = [&](double number) {
    return check(question, {.number = number, .choice = {}}, run).right;
  };
  for (const double number : {1.3, 1.33, 1.333, 1.333333333, 4.0 / 3}) CHECK(is_right(number));
  for (const double number : {1.0, 1.4, 1.34, 1.3334, 13.0}) CHECK_FALSE(is_right(number));
  question.work = question.count = "16";
  CHECK(is_right(16));
  CHECK_FALSE(is_right(16.1));
  question.work = question.count = "16.5";
  CHECK(is_right(16.5));
  CHECK_FALSE(is_right(16));
  CHECK_FALSE(is_right(17));
}

TEST_CASE("a choice is right when it holds") {
  const LessonRun run = run_lesson(3, {64, 64, 64});
  Question question;
  question.choices = {{"less than {BM}", "barriers < 0"},
                      {"in every step of {BK}", "barriers/warps_total == 2·steps"},
                      {"also", "steps == 2"}};
  const auto chosen = [&](std::size_t choice) {
    return check(question, {.number = {}, .choice = choice}, run);
  };
  CHECK_FALSE(chosen(0).right);
  CHECK(chosen(0).counted == "in every step of 32");
  CHECK(chosen(1).right);
  CHECK(chosen(1).arithmetic.empty());
  CHECK(chosen(2).right);
  CHECK(chosen(2).counted == "also");
  question.choices = {{"never", "0"}};
  CHECK_FALSE(chosen(0).right);
  CHECK(chosen(0).counted == "none of these");
  CHECK(contains(chosen(0).why, "differs"));
}

TEST_CASE("what a run has not counted is an Error, not a wrong answer") {
  const LessonRun run = run_lesson(10, {8, 8, 8});
  Question question;
  question.work = "1";
  question.count = "barriers";
  const Error error = error_of([&] { check(question, {.number = 1, .choice = {}}, run); });
  CHECK(contains(error.what(), "'barriers'"));
}

TEST_CASE("register bank conflicts are counted in the machine code, in all or on one line") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("there is no machine code");
  const LessonRun run = run_lesson(7, {128, 128, 64});
  const double all = values_counted({}, run).at("register_bank_conflicts");
  CHECK(all == static_cast<double>(run.emulation->total.register_bank_conflicts));
  CHECK(all > 0);
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  double of_lines = 0;
  for (const simt::LineCounters& line : run.emulation->lines) {
    of_lines += values_counted_in(line.line, before, run).at("register_bank_conflicts");
  }
  CHECK(of_lines == all);
}

TEST_CASE("without machine code no answer is right about what is counted in it, and why is said") {
  LessonRun run = run_lesson(3, {64, 64, 64});
  run.emulation->total.machine = {};
  run.compiler = "clang 14.0.6";
  CHECK_FALSE(values_counted({}, run).contains("register_bank_conflicts"));
  Question question = number_of("conflicts");
  question.work = "0";
  question.count = "register_bank_conflicts/(ffma/32)";
  const Checked checked = check(question, {{0}, {}}, run);
  CHECK_FALSE(checked.right);
  CHECK(checked.counted == "nothing");
  CHECK(contains(checked.why, "in machine code, which clang 14.0.6 does not make. NVRTC makes it"));
}

TEST_CASE("what a run did nothing of is no Error, and no answer to it is right") {
  const LessonRun run = run_lesson(2, {64, 64, 64});  // without shared memory
  Question number = number_of("wavefronts");
  number.work = "1";
  number.count = "shared_load_wavefronts/shared_load_requests";
  const Checked checked = check(number, {{1}, {}}, run);
  CHECK_FALSE(checked.right);
  CHECK(checked.counted == "nothing");
  CHECK(contains(checked.why, "shared_load_requests is 0"));

  Question choice = choice_of({"one", "two"});
  choice.choices.front().holds = "shared_load_wavefronts/shared_load_requests == 1";
  CHECK(check(choice, {{}, 0}, run).counted == "nothing");
}

TEST_CASE("matrices by columns are their transposes by rows") {
  for (const int size : {2, 3, 8, 64}) {
    const CallOrder order = call_order(size);
    CHECK(order.passed_a_first == order.b_times_a);
    CHECK(order.passed_a_first != order.a_times_b);
    CHECK(order.passed_a_first != order.a_times_b_transposed);
    CHECK(order.a_times_b != order.a_times_b_transposed);
  }
}

}  // namespace gemm_tutor
