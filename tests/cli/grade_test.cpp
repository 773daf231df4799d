// gemm-tutor grade, with submissions of all sorts, by running the program.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "errors.hpp"
#include "exercise/exercise.hpp"
#include "report/json.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

const Exercise& tile() { return find_exercise("shared-memory-tile"); }
const std::string& solution() { return tile().solution; }

// Submissions, a place for temporary files and one for what is kept, all gone with the test.
struct Class {
  TemporaryDirectory directory;
  fs::path submissions = directory.path() / "submissions", temporary = directory.path() / "tmp",
           state = directory.path() / "state", reports = directory.path() / "reports";

  Class() {
    for (const fs::path& path : {submissions, temporary, reports}) fs::create_directory(path);
  }

  void add(const std::string& student, const std::string& contents) const {
    REQUIRE(write_file_atomically(submissions / (student + ".cu"), contents));
  }

  std::string environment() const {
    return fmt::format("TMPDIR='{}' XDG_STATE_HOME='{}'", temporary.string(), state.string());
  }
  std::string arguments(const std::string& options) const {
    return fmt::format(
        "grade '{0}' --exercises 3 --seed 1 --csv '{1}/g.csv' --json '{1}/g.json' --html "
        "'{1}/g.html' {2}",
        submissions.string(), reports.string(), options);
  }
  ProgramResult grade(const std::string& options = "") const {
    return run_program(arguments(options), environment());
  }
  std::string report(const std::string& name) const {
    return read_file(reports / name).value_or("");
  }
  // All that a teacher sees, in one text.
  std::string everything(const ProgramResult& result) const {
    return result.output + result.error + report("g.csv") + report("g.json") + report("g.html");
  }
  Json mark(const std::string& student) const {
    const Json book = Json::parse(report("g.json"));
    for (const Json& one : book["students"]) {
      if (one["student"] == student) return one["exercises"][0];
    }
    return {};
  }
  bool left_nothing() const {
    return fs::is_empty(temporary) && !fs::exists(state / "gemm-tutor/grading")
               ? true
               : fs::is_empty(temporary) && fs::is_empty(state / "gemm-tutor/grading");
  }
};

// The solution with `statement` at the begin of its kernel: declarations that no kernel needs are
// left out before they are compiled.
std::string solution_with(const std::string& statement) {
  std::string text = solution();
  text.insert(text.find('{', text.find("__global__")) + 1, "\n  " + statement + "\n");
  return text;
}

// An XML reader takes what `command` prints.
bool prints_xml(const std::string& command, const std::string& environment) {
  const std::string reader =
      "python3 -c 'import sys, xml.etree.ElementTree as x; x.parse(sys.stdin.buffer)'";
  return run_shell("\"$PROGRAM\" " + command + " | " + reader, environment).status == 0;
}

// For an autograder, a student's file has the same points, in texts that every reader takes. One
// whose mark depends on a limit of time, has any points.
void check_adapters(const Class& all, const std::string& file, std::optional<int> points) {
  std::string path = (all.submissions / file).string();
  for (std::size_t at = 0; (at = path.find('\'', at)) != path.npos; at += 4) {
    path.replace(at, 1, "'\\''");
  }
  const std::string command = fmt::format("check '{}' --exercise 3 --format ", path);
  const ProgramResult result = run_program(command + "gradescope", all.environment());
  INFO(result.output << result.error);
  CHECK(result.error == "");
  const int score = Json::parse(result.output, nullptr, false).value("score", -1);
  CHECK(score == points.value_or(score));
  CHECK(score >= 0);
  CHECK(result.status == (score == 100 ? 0 : 1));
  CHECK_FALSE(contains(result.output, "QUETZALCOATL"));  // in a file of the teacher
  if (is_installed("python3")) CHECK(prints_xml(command + "junit", all.environment()));
  CHECK(all.left_nothing());
}

// A hostile submission loses its points, and no other submission does.
void check_hostile(const std::string& source, const std::vector<std::string>& reasons,
                   const std::string& options = "") {
  const Class all;
  all.add("anna", solution());
  all.add("mallory", source);
  all.add("zoe", solution());
  const ProgramResult result = all.grade(options);
  INFO(result.output << result.error);
  REQUIRE(result.status == 0);
  CHECK(result.error == "");
  CHECK(all.mark("anna")["points"] == 100);
  CHECK(all.mark("zoe")["points"] == 100);
  const Json mark = all.mark("mallory");
  CHECK(mark["points"] == 0);
  const std::string reason = mark.value("reason", "");
  INFO(reason);
  CHECK(std::ranges::any_of(reasons, [&](const auto& part) { return contains(reason, part); }));
  CHECK(all.left_nothing());
  if (takes_all()) check_adapters(all, "mallory.cu", 0);
}

// The program in the background, as a shell's job.
class Background {
 public:
  Background(const std::string& arguments, const std::string& environment) : process_(fork()) {
    if (process_ != 0) return;
    const std::string command = fmt::format("exec env {} '{}/gemm-tutor' {} >/dev/null 2>&1",
                                            environment, PROJECT_BINARY_DIR, arguments);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  // How it ended, as waitpid() tells it.
  int end_by(int signal) {
    kill(process_, signal);
    int how = 0;
    waitpid(process_, &how, 0);
    return how;
  }

 private:
  pid_t process_;
};

// Marks that are kept of a grading under way.
std::ptrdiff_t marks_kept(const Class& all) {
  std::ptrdiff_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(all.state / "gemm-tutor/grading", error)) {
    const std::vector<std::string> lines = split_lines(read_file(entry.path()).value_or(""));
    count += std::ranges::count_if(lines, [](const auto& l) { return contains(l, "\"mark\""); });
  }
  return count;
}

void wait_for_marks(const Class& all, std::ptrdiff_t least) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 6000 && marks_kept(all) < least; ++i) std::this_thread::sleep_for(10ms);
  REQUIRE(marks_kept(all) >= least);
}

bool has_compiler() { return simt::compiler_status().available; }

// Every trick is graded, and some go through the adapters.
void check_tricks() {
  Class all;
  const fs::path canary = all.directory.path() / "canary.h";
  REQUIRE(write_file_atomically(canary, "QUETZALCOATL says what no report may say\n"));
  REQUIRE(write_file_atomically(all.submissions / "victim.cu", "// QUETZALCOATL\n" + solution()));
  const std::string path = canary.string(), quoted = "\"" + path + "\"";
  const std::string up = "../../../../../../../.." + path;
  const std::vector<std::string> tricks = {
      "#include " + quoted,
      "#include <" + path + ">",
      "#include <" + up + ">",
      "#include \"" + up + "\"",
      "#include \"../canary.h\"",
      "#include \"victim.cu\"",
      "#inc\\\nlude " + quoted,
      "#\\\n\\\n include \\\n" + quoted,
      "%:include " + quoted,
      "%\\\n:include " + quoted,
      "?\?=include " + quoted,
      "/**/#/**/include/**/" + quoted,
      "#define F " + quoted + "\n#include F",
      "#define Q(x) #x\n#define F Q(" + path + ")\n#include F",
      "#define I include\n#I " + quoted,
      "#define C(a, b) a##b\n#C(inc, lude) " + quoted,
      "#include_next " + quoted,
      "#import " + quoted,
      "__device__ const char text[] = {\n#embed " + quoted + "\n};",
      "#if __has_include(" + quoted + ")\n#error it is there\n#endif",
      "#if __has_embed(" + quoted + ")\n#error it is there\n#endif",
      "auto s = R\"(\n/*)\";\n#include " + quoted + "\n//*/",
      "auto s = R\"x(\n)x\"\n#include " + quoted,
      "char c = '\"'; /*\"*/\n#include " + quoted,
      "int n = 1'0;/*'*/\n#include " + quoted,
      "// ?\?/\n#include " + quoted,
      "#line 1 " + quoted + "\nnonsense",
      "# 1 " + quoted + "\nnonsense",
      "#line 1 " + quoted + "\n#include __FILE__",
      "#include __FILE__",
      "#if 1\n#  if 1\n#include " + quoted + "\n#  endif\n#endif",
      "_Pragma(\"include " + path + "\")",
      "#pragma include " + quoted,
      "#pragma GCC dependency " + quoted + " is newer",
      "#pragma push_macro(\"x\")\n#include \\\n" + quoted,
      "asm(\".include \\\"" + path + "\\\"\");",
      "__asm__(\".file 1 \\\"" + path + "\\\"\");",
      "#define A(x, y) x##y\nA(as, m)(\".include \\\"" + path + "\\\"\");",
      "#define H(x, y) x##y\n#if H(__has_, include)(" + quoted + ")\n#error it is there\n#endif",
      "import " + quoted + ";",
      "import <" + path + ">;",
      "export module m; import " + quoted + ";",
      "extern \"C\" {\n#include " + quoted + "\n}",
      "\xef\xbb\xbf#include " + quoted,
      "\f\v#include " + quoted,
      "\r#include " + quoted,
      "#include\u00a0" + quoted,
      "#\\u0069nclude " + quoted,
  };
  for (std::size_t i = 0; i < tricks.size(); ++i) {
    all.add(fmt::format("trick{:02}", i), tricks[i] + "\n" + solution());
  }
  const ProgramResult result = all.grade("--jobs 2");
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK_FALSE(contains(all.everything(result), "QUETZALCOATL"));
  CHECK_FALSE(contains(all.everything(result), "it is there"));
  CHECK(all.mark("victim")["points"] == 100);
  for (const int refused : {0, 1, 2, 3, 6, 8, 10, 12, 16, 17, 18, 19, 21, 26, 35, 36}) {
    INFO(tricks[static_cast<std::size_t>(refused)]);
    CHECK(all.mark(fmt::format("trick{:02}", refused))["failed"] == "submission");
  }
  for (const std::size_t i : sampled_places(tricks.size(), 18)) {
    const std::string student = fmt::format("trick{:02}", i);
    INFO(tricks[i]);
    check_adapters(all, student + ".cu", all.mark(student)["points"]);
  }
}

}  // namespace

TEST_CASE("grade: a class, as a table and in three kinds of files") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("anna", solution());
  all.add("bob", tile().handout);
  all.add("=1+cmd|'calc'!A0", "int\n");
  fs::create_directory(all.submissions / "dora");
  const ProgramResult result = all.grade();
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(result.error == "");
  CHECK(widest(result.output) <= 80);

  const std::vector<std::string> csv = split_lines(all.report("g.csv"));
  REQUIRE(csv.size() == 5);
  CHECK(csv[0] ==
        "student,exercise,points,result,safety,traffic,failed,reason,warp_instructions,solution_"
        "taken");
  CHECK(csv[1].starts_with("'=1+cmd|'calc'!A0,shared-memory-tile,0,0,0,0,compile,"));
  CHECK(csv[2].starts_with("anna,shared-memory-tile,100,50,25,25,,,"));
  CHECK(csv[4] == "dora,shared-memory-tile,0,0,0,0,missing,not handed in,0,");
  CHECK(all.mark("anna")["solved"] == true);
  CHECK(all.mark("bob")["failed"] == "result");
  CHECK(contains(all.report("g.html"), "<td class=\"right good\">100</td>"));
  CHECK_FALSE(contains(all.report("g.html"), "<script"));
  CHECK(all.left_nothing());
}

TEST_CASE("grade: the program's own solution of each exercise has all points", "[long]") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  const auto sample = sample_of(exercises(), 11);
  for (const Exercise& exercise : sample) all.add("anna/" + exercise.slug, exercise.solution);
  const ProgramResult result =
      run_program(fmt::format("grade '{}' --seed 1 --json '{}/g.json'", all.submissions.string(),
                              all.reports.string()),
                  all.environment());
  INFO(result.output << result.error);
  CHECK(result.status == 0);
  const Json marks = Json::parse(all.report("g.json"))["students"][0]["exercises"];
  CHECK(marks.size() == sample.size());
  for (const Json& mark : marks) {
    INFO(mark.dump());
    CHECK(mark["points"] == 100);
  }
}

TEST_CASE("grade: the same submissions give the same bytes, whatever the number of jobs",
          "[long]") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  for (int i = 0; i < 4; ++i) {
    all.add(fmt::format("solved{}", i), solution() + fmt::format("// {}\n", i));
    all.add(fmt::format("open{}", i), tile().handout + fmt::format("// {}\n", i));
    all.add(fmt::format("broken{}", i), solution() + fmt::format("int broken{}\n", i));
  }
  const std::string once = all.everything(all.grade("--jobs 1"));
  CHECK(contains(once, "12 students · 4 of 12 solved"));
  CHECK(all.everything(all.grade("--jobs 1")) == once);
  CHECK(all.everything(all.grade("--jobs 5 --fresh")) == once);
}

TEST_CASE("grade: reports take nobody's place") {
  const Class all;
  all.add("anna/3", solution());
  const auto run = [&](const std::string& options) {
    return run_program("grade '" + all.submissions.string() + "' --seed 1 " + options,
                       all.environment());
  };
  const std::string own = (all.submissions / "anna/3.cu").string();
  check_error(run("--csv '" + own + "'"), 2, {"--csv", "among the submissions"});
  check_error(run("--html '" + (all.submissions / "page.html").string() + "'"), 2,
              {"--html", "among the submissions"});
  const std::string same = (all.reports / "same").string();
  check_error(run(fmt::format("--csv '{0}' --json '{0}'", same)), 2, {"--csv", "--json", "same"});
  check_error(run("--csv '" + same + "/not/there.csv'"), 3, {"--csv", "cannot write"});
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  fs::create_symlink("target.csv", all.reports / "link.csv");
  CHECK(run("--csv '" + (all.reports / "link.csv").string() + "'").status == 0);
  CHECK(fs::is_symlink(all.reports / "link.csv"));
  CHECK(contains(all.report("target.csv"), "anna,"));
  const ProgramResult full = run("--csv /dev/full");
  CHECK(full.status == 3);
  CHECK(contains(full.error, "cannot write '/dev/full'"));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("grade: interrupted in the middle and begun again, it gives the same bytes", "[long]") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  Class all;
  for (int i = 0; i < 12; ++i) {
    all.add(fmt::format("s{}", i), i % 2 ? solution() : tile().handout);
  }
  const ProgramResult whole = all.grade("--jobs 1");
  const std::string expected = all.everything(whole);
  for (const int signal : sample_of(std::vector{SIGINT, SIGTERM, SIGKILL}, 2)) {
    INFO("signal " << signal);
    fs::remove_all(all.reports);
    fs::create_directory(all.reports);
    Background program(all.arguments("--jobs 1"), all.environment());
    wait_for_marks(all, 2);
    const int how = program.end_by(signal);
    REQUIRE(WIFSIGNALED(how));
    CHECK(WTERMSIG(how) == signal);
    CHECK(marks_kept(all) < 12);
    CHECK(fs::is_empty(all.reports));
    if (signal != SIGKILL) CHECK(fs::is_empty(all.temporary));

    const ProgramResult rest = all.grade("--jobs 1");
    CHECK(contains(rest.error, "continuing an interrupted grading: "));
    CHECK(contains(rest.error, " of 12 are done\n"));
    CHECK(rest.output == whole.output);
    CHECK(all.everything({0, rest.output, ""}) == expected);
    CHECK(all.left_nothing());
  }
}

TEST_CASE("grade: a submission changed after an interruption is graded anew, and --fresh all are") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  Class all;
  for (int i = 0; i < 6; ++i) all.add(fmt::format("s{}", i), tile().handout);
  const auto interrupt = [&] {
    Background program(all.arguments("--jobs 1"), all.environment());
    wait_for_marks(all, 1);
    program.end_by(SIGINT);
  };
  interrupt();
  all.add("s0", solution());
  all.grade();
  CHECK(all.mark("s0")["points"] == 100);
  CHECK(all.mark("s1")["points"] < 50);
  interrupt();
  CHECK(all.grade("--fresh").error == "");
}

TEST_CASE("grade: files of the teacher's machine are nowhere in a report, by any trick") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  check_tricks();
}

TEST_CASE("grade: hostile: templates without end") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  check_hostile("template <int N> struct Deep { using T = typename Deep<N + 1>::T; };\n" +
                    solution_with("Deep<0>::T deep;"),
                {"excessive recursion", "recursive template instantiation"});
}

TEST_CASE("grade: hostile: macros that become gigabytes") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  std::string macros = "#define X0 1+1+1+1+1+1+1+1+1+1\n";
  for (int i = 1; i < 10; ++i) {
    macros +=
        fmt::format("#define X{0} X{1}+X{1}+X{1}+X{1}+X{1}+X{1}+X{1}+X{1}+X{1}+X{1}\n", i, i - 1);
  }
  check_hostile(macros + solution_with("C[0] = X9;"),
                {"took more than 2 s", "of memory", "crashed"}, "--timeout 2");
}

TEST_CASE("grade: hostile: a loop to be unrolled a million times") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("mallory",
          solution_with("#pragma unroll 1000000\n"
                        "  for (int i = 0; i < 1000000; ++i) C[i * 7 % 13] += C[i * 5 % 11] * i;"));
  all.add("zoe", solution());
  const ProgramResult result = all.grade("--timeout 5");
  CHECK(result.status == 0);  // it may be right, for all it costs
  CHECK(all.mark("zoe")["points"] == 100);
  CHECK(all.left_nothing());
}

TEST_CASE("grade: hostile: a kernel that never ends") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  check_hostile(solution_with("while (true) C[0] = C[0] + 1;"), {"wrong at", "endless"});
}

TEST_CASE("grade: hostile: thousands of errors, with escape codes in them") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  std::string errors;
  for (int i = 0; i < 20'000; ++i)
    errors += fmt::format("static_assert(false, \"\\033[2J{}\");\n", i);
  check_hostile(errors, {"line 1: "});
  check_hostile("#error \x1b]0;title\x07\n" + solution(), {"line 1 has a control character"});

  Class all;
  all.add("mallory",
          "static_assert(false, \"\\x1b[31m\\r<script>alert(1)</script>\");\n" + solution());
  const ProgramResult result = all.grade();
  const std::string seen = all.everything(result);
  CHECK_FALSE(contains(seen, "\x1b"));
  CHECK_FALSE(contains(seen, "\r"));
  CHECK_FALSE(contains(all.report("g.html"), "<script>"));
  INFO(all.report("g.csv"));
  CHECK(contains(all.report("g.html"), "&lt;script&gt;"));
}

TEST_CASE("grade: hostile: deep nesting that exhausts the compiler's stack or time") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("braces", solution_with(std::string(200'000, '{') + std::string(200'000, '}')));
  all.add("parentheses", solution_with("int x = " + std::string(200'000, '(') + "1" +
                                       std::string(200'000, ')') + ";"));
  all.add("pointers", solution_with("int " + std::string(400'000, '*') + "x;"));
  all.add("zoe", solution());
  const ProgramResult result = all.grade("--timeout 3");
  CHECK(result.status == 0);
  CHECK(all.mark("zoe")["points"] == 100);
  CHECK(all.left_nothing());
  const std::vector<std::string> all_three = {"braces", "parentheses", "pointers"};
  for (const std::string& student : takes_all() ? all_three : std::vector{all_three.front()}) {
    check_adapters(all, student + ".cu", {});
  }
}

TEST_CASE("grade: hostile: a text that is none") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  check_hostile(std::string("int a;\0", 7) + solution(), {"a zero byte"});
  check_hostile("int \xc3\x28;\n" + solution(), {"line 1 is no UTF-8"});
  check_hostile("", {""});
}

TEST_CASE("grade: hostile: links, FIFOs, folders, and a file of 1 GiB") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  Class all;
  all.add("zoe", solution());
  fs::create_symlink(all.submissions / "zoe.cu", all.submissions / "link.cu");
  fs::create_symlink("/etc/passwd", all.submissions / "passwd.cu");
  fs::create_directory_symlink("/", all.submissions / "root");
  fs::create_directory(all.submissions / "folder.cu");
  all.add("huge", "");
  fs::resize_file(all.submissions / "huge.cu", std::uintmax_t{1} << 30);
  REQUIRE(mkfifo((all.submissions / "fifo.cu").c_str(), 0600) == 0);
  const ProgramResult result = all.grade();
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(all.mark("zoe")["points"] == 100);
  const std::pair<const char*, const char*> reasons[] = {
      {"link", "a link, which is not followed"},
      {"passwd", "a link, which is not followed"},
      {"root", "a link, which is not followed"},
      {"folder", "a folder"},
      {"fifo", "not an ordinary file"},
      {"huge", "1,073,741,824 bytes, more than the 1,048,576 that a submission may have"},
  };
  for (const auto& [student, reason] : reasons) {
    INFO(student);
    CHECK(all.mark(student)["points"] == 0);
    CHECK(all.mark(student)["reason"] == reason);
  }
  for (const char* file : {"link.cu", "passwd.cu", "fifo.cu", "huge.cu"}) {
    INFO(file);
    check_adapters(all, file, 0);
  }
}

TEST_CASE("grade: hostile: names of files") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  Class all;
  const std::string names[] = {"new\nline",
                               "quote\"'`$(touch pwned)",
                               "\x1b[31mred\x1b]0;title\x07",
                               "<script>alert(1)</script>&amp;",
                               "-rf",
                               "@sum",
                               "a,b;c",
                               "\xff\xfe",
                               "\u202eright to left",
                               std::string(220, 'x')};
  const auto file_of = [](std::string name) {
    std::ranges::replace(name, '/', '|');  // which no name can have
    return name;
  };
  for (const std::string& name : names) all.add(file_of(name), solution());
  for (const std::size_t i : sampled_places(std::size(names), 8)) {
    check_adapters(all, file_of(names[i]) + ".cu", 100);
  }
  const ProgramResult result = all.grade();
  INFO(result.output << result.error);
  CHECK(result.status == 0);
  const std::string seen = all.everything(result);
  CHECK_FALSE(contains(seen, "\x1b"));
  CHECK_FALSE(contains(seen, "\u202e"));
  CHECK_FALSE(contains(all.report("g.html"), "<script"));
  CHECK(widest(result.output) <= 80);
  const std::vector<std::string> csv = split_lines(all.report("g.csv"));
  CHECK(csv.size() == 1 + std::size(names));
  for (const std::string& line : csv) {
    INFO(line);
    CHECK_FALSE(std::string_view("=+-@").find(line.front()) != std::string_view::npos);
  }
  CHECK(contains(all.report("g.csv"), "\"quote\"\"'`$(touch pwned)\","));
  CHECK(contains(all.report("g.csv"), "\"a,b;c\","));
  CHECK(contains(all.report("g.csv"), "new\ufffdline,"));
  CHECK(contains(result.output, "10 of 10 solved"));
  CHECK(all.left_nothing());
}

TEST_CASE("grade: nothing is written but in its temporary folder") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("anna", solution());
  const fs::path home = all.directory.path() / "home", cache = all.directory.path() / "cache";
  fs::create_directory(home);
  const ProgramResult result =
      run_program("grade '" + all.submissions.string() + "' --exercises 3 --seed 1",
                  fmt::format("{} HOME='{}' XDG_CACHE_HOME='{}'", all.environment(), home.string(),
                              cache.string()));
  CHECK(result.status == 0);
  CHECK(fs::is_empty(home));
  CHECK_FALSE(fs::exists(cache));
  CHECK(std::distance(fs::directory_iterator(all.submissions), fs::directory_iterator()) == 1);
  CHECK(all.left_nothing());
}

TEST_CASE("grade: a class has a seed of its own, which gives the same marks elsewhere") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("anna", solution());
  const auto seed_of = [&](const std::string& options) {
    const ProgramResult result =
        run_program(fmt::format("grade '{}' --exercises 3 --json '{}/g.json' {}",
                                all.submissions.string(), all.reports.string(), options),
                    all.environment());
    CHECK(result.status == 0);
    const Json seed = Json::parse(all.report("g.json"))["seed"];
    CHECK(contains(result.output, "seed " + seed.dump()));
    return seed.get<std::uint64_t>();
  };
  const std::uint64_t seed = seed_of("");
  CHECK(seed != 1);
  CHECK(seed_of("") == seed);
  CHECK(seed_of("--seed 12") == 12);
  CHECK(seed_of("") == seed);
}

TEST_CASE("check for an autograder: ended by a signal, it leaves no folder", "[long]") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("mallory", solution_with("while (true) C[0] = C[0] + 1;"));
  Background program(
      fmt::format("check '{}/mallory.cu' --exercise 3 --format junit", all.submissions.string()),
      all.environment());
  using namespace std::chrono_literals;
  for (int i = 0; i < 1000 && fs::is_empty(all.temporary); ++i) std::this_thread::sleep_for(5ms);
  CHECK_FALSE(fs::is_empty(all.temporary));
  const int how = program.end_by(SIGTERM);
  REQUIRE(WIFSIGNALED(how));
  CHECK(WTERMSIG(how) == SIGTERM);
  CHECK(all.left_nothing());
}

TEST_CASE("check for an autograder: a student does not read how like the solution a file is") {
  if (!has_compiler()) SKIP_BECAUSE("there is no compiler");
  const Class all;
  all.add("anna", solution());
  CHECK(contains(all.grade().output, "anna: 3 is the text of the solution"));
  const ProgramResult result =
      run_program(fmt::format("check '{}/anna.cu' --format gradescope", all.submissions.string()),
                  all.environment());
  CHECK(result.status == 0);
  CHECK_FALSE(contains(result.output, "text of the solution"));
}

TEST_CASE("grade: the command that its children run is hidden") {
  CHECK_FALSE(contains(run_program("--help").output, "grade-one"));
  CHECK_FALSE(contains(run_program("grade-on").error, "grade-one"));
  check_error(run_program("grade-one 99 emulator 1"), 2, {"there is no exercise '99'"});
}
