#!/usr/bin/env python3
"""The magics %gemm and %%gemm in an IPython shell without a browser: magics_test.py PROGRAM MODULES"""
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

try:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config
except ImportError:
    sys.exit(print("SKIPPED: IPython is missing (scripts/bootstrap --notebook installs it)"))

PROGRAM = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(Path(sys.argv[2]).resolve()))

KERNEL = """__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
"""


class Magics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before, here = dict(os.environ), os.getcwd()
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before), os.chdir(here)))
        os.environ.update(HOME=folder.name, XDG_STATE_HOME=folder.name, NO_COLOR="1", IPYTHONDIR=folder.name,
                          PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        os.chdir(self.folder)
        self.next = None
        self.shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        self.shell.set_next_input = lambda text, replace=False: setattr(self, "next", text)
        self.shell.run_line_magic("reload_ext" if "gemm_tutor" in sys.modules else "load_ext", "gemm_tutor")

    def run_cell(self, text, store=False):
        with capture_output() as shown:
            self.result = self.shell.run_cell(text, store_history=store)
        texts = [output.data["text/plain"] for output in shown.outputs]
        self.pages = [output.data["text/html"] for output in shown.outputs]
        return SimpleNamespace(stdout="".join([*texts, shown.stdout]), stderr=shown.stderr)

    def stand_in(self, script):
        """Another program in gemm-tutor's place."""
        path = self.folder / "gemm-tutor"
        path.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
        path.chmod(0o755)
        os.environ["PATH"] = str(self.folder)

    def expect_error(self, text, error, help_line):
        shown = self.run_cell(text)
        self.assertIn(error, shown.stderr)
        self.assertIn(help_line, shown.stderr)
        self.assertNotIn("Traceback", shown.stdout + shown.stderr)

    def test_a_kernel_in_a_cell(self):
        shown = self.run_cell("%%gemm --size 64 --gpu a100\n" + KERNEL)
        self.assertIn("✓ right at 64", shown.stdout)
        self.assertIn("A100", shown.stdout)
        self.assertEqual(shown.stderr, "")

    def test_a_header_beside_the_notebook(self):
        (self.folder / "zero.h").write_text("constexpr float zero = 0.0f;\n")
        shown = self.run_cell('%%gemm --size 64\n#include "zero.h"\n' + KERNEL.replace("0.0f", "zero"))
        self.assertIn("✓ right at 64", shown.stdout)

    def test_json_stays_json(self):
        self.assertTrue(self.run_cell("%%gemm --size 64 --format json\n" + KERNEL).stdout.startswith("{"))

    def test_a_finding_names_its_line(self):
        shown = self.run_cell("%%gemm --size 65\n" + KERNEL.replace("if (row >= M || column >= N) return;", ""))
        self.assertRegex(shown.stdout, r"line [56]")

    def test_a_lesson_is_a_page_with_its_pictures(self):
        shown = self.run_cell("%gemm lesson 3 --size 64")
        self.assertEqual(len(self.pages), 1)
        self.assertIn("<iframe", self.pages[0])
        self.assertIn("&lt;svg", self.pages[0])
        self.assertIn("Lesson 3", shown.stdout)

    def test_colours_and_signs_of_html(self):
        del os.environ["NO_COLOR"]
        self.stand_in(r"print('\033[1;31m<b>\033[0m & rest')")
        self.run_cell("%gemm list")
        self.assertIn('<span style="font-weight: bold; color: #d03a2a">&lt;b&gt;</span> &amp; rest', self.pages[0])

    def test_the_page_goes_to_a_file_that_is_named(self):
        self.run_cell("%gemm lesson 3 --size 64 --html page.html")
        self.assertTrue((self.folder / "page.html").exists())

    def test_an_exercise_from_its_file_to_its_solution(self):
        shown = self.run_cell("%gemm exercise 3")
        self.assertIn("The kernel is in the next cell", shown.stdout)
        self.assertTrue(self.next.startswith("%%gemm check 3\n"))
        self.assertIn("wrong at 4 of 4 sizes", self.run_cell(self.next).stdout)
        solution = self.run_cell("%gemm solution 3 --anyway").stdout
        self.assertIn("__global__", solution)
        self.assertRegex(self.run_cell("%%gemm check 3\n" + solution).stdout, r"Verdict +✓")

    def test_the_newest_cell_of_an_exercise(self):
        self.addCleanup(self.shell.history_manager.input_hist_raw.clear)
        self.run_cell("%gemm exercise 3")
        (self.folder / "other.cu").write_text(KERNEL)
        solution = self.run_cell("%gemm solution 3 --anyway").stdout
        self.run_cell("%%gemm check 3\n" + KERNEL, store=True)
        self.run_cell("%%gemm check 3\n" + solution, store=True)
        self.run_cell("%%gemm check 5\n" + KERNEL, store=True)
        self.assertRegex(self.run_cell("%gemm check 3", store=True).stdout, r"Verdict +✓")
        self.expect_error("%gemm check 6", "error: %gemm check finds no kernel", "help: Begin the cell")

    def test_an_exercise_in_a_file(self):
        self.run_cell("%gemm exercise start 3 --dir work")
        self.assertIsNone(self.next)
        self.assertTrue((self.folder / "work" / "03-shared-memory-tile.cu").exists())
        self.assertIn("wrong at 4 of 4", self.run_cell("%gemm check work/03-shared-memory-tile.cu").stdout)
        os.chdir("work")
        for exercise in ("3", "shared-memory-tile"):
            self.assertIn("wrong at 4 of 4", self.run_cell(f"%gemm check {exercise}").stdout)

    def test_bad_input(self):
        for text, error, help_line in [
            ("%%gemm\n \n", "error: the cell holds no kernel", "help: Write a CUDA C++ kernel"),
            ("%%gemm --size 64\n__global__ void f( {", "error: cell.cu does not compile", "help: Correct"),
            ("%%gemm --nonsense\n" + KERNEL, "error: unknown option '--nonsense'", "help: 'gemm-tutor run --help'"),
            ("%%gemm check nothing\n" + KERNEL, "error: there is no exercise 'nothing'", "help: "),
            ("%gemm exercise nothing", "error: there is no exercise 'nothing'", "help: "),
            ("%gemm check 3", "error: %gemm check finds no kernel", "help: Begin the cell"),
            ("%gemm lesson 99", "error: ", "help: "),
            ("%gemm nonsense", "error: ", "help: "),
            ("%gemm lesson 'three", "error: a quotation mark has no partner", "help: "),
        ]:
            with self.subTest(text):
                self.expect_error(text, error, help_line)

    def test_no_program(self):
        os.environ["PATH"] = str(self.folder)
        self.expect_error("%gemm list", "error: the program gemm-tutor is not installed", "help: Run '%pip install")

    def test_a_program_that_ends_by_a_signal(self):
        self.stand_in("import os; os.kill(os.getpid(), 11)")
        self.expect_error("%gemm list", "error: gemm-tutor was ended by signal 11", "help: ")

    def test_a_program_of_another_machine(self):
        self.stand_in("")
        (self.folder / "gemm-tutor").write_bytes(b"\x7fELF of nothing")
        self.expect_error("%gemm list", "error: gemm-tutor cannot be started", "help: ")

    def test_an_output_of_many_megabytes_is_cut(self):
        self.stand_in("print('0123456789abcde\\n' * 700_000)")
        shown = self.run_cell("%gemm list").stdout
        self.assertLess(len(shown), 1_100_000)
        self.assertIn("more characters are not shown", shown)

    def test_a_page_of_many_megabytes_is_not_shown(self):
        self.stand_in("import sys\nif '--help' in sys.argv: print('  --html FILE')\n"
                      "else: open(sys.argv[-1], 'w').write('x' * 11_000_000); print('in short')")
        self.expect_error("%gemm lesson 3", "error: the page has 11,000,000 bytes", "help: Add '--html FILE.html'")

    def test_an_interrupted_cell_stops_the_program(self):
        self.stand_in("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)")

        def interrupt():
            while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text():
                time.sleep(0.01)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        shown = self.run_cell("%gemm list")
        self.assertIsInstance(self.result.error_in_exec, KeyboardInterrupt)
        self.assertIn("interrupted: gemm-tutor was stopped", shown.stdout + shown.stderr)
        self.assertNotIn("Traceback", shown.stdout + shown.stderr)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
