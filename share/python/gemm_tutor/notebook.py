"""The magics %gemm and %%gemm of a notebook. They call the program and show what it says.

%gemm COMMAND...      the program's command, such as: %gemm lesson 3 --size 256
%gemm exercise E      the exercise's file, in the next cell
%gemm check E         checks it: the newest cell with '%%gemm check E', or else a file in this folder
%%gemm OPTIONS        the cell is a kernel of your own: gemm-tutor run cell.cu OPTIONS
%%gemm check E        the cell solves exercise E; other commands that take a file, such as trace, work too
"""
import html
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from IPython import get_ipython
from IPython.display import display

from .program import program

TEXT_LIMIT = 1_000_000  # characters; Jupyter stops showing a cell that sends more than about this in a second
PAGE_LIMIT = 10_000_000  # bytes; a notebook with a larger output is slow to open

# The program's colours as CSS, readable on white and on black.
STYLES = {"1": "font-weight: bold", "2": "opacity: 0.7", "31": "color: #d03a2a", "32": "color: #2e8b57",
          "33": "color: #b07a00", "34": "color: #3a7bd5", "35": "color: #a05cc0", "36": "color: #16899a"}
EXERCISE_COMMANDS = {"list", "check", "hint", "solution", "watch"}


class Problem(Exception):
    """What the magic itself cannot do, said as the program says it."""

    def __init__(self, message, advice):
        super().__init__(f"error: {message}\nhelp: {advice}")


class Interrupted(KeyboardInterrupt):
    """The cell was interrupted. The cells that wait behind it do not run, and no traceback is shown."""

    def _render_traceback_(self):
        return ["interrupted: gemm-tutor was stopped"]


def gemm(line, cell=None):
    """%gemm COMMAND..., or %%gemm [COMMAND] [OPTIONS] above a kernel."""
    try:
        words = split(line)
        with tempfile.TemporaryDirectory(prefix="gemm-tutor-") as name:
            folder = pathlib.Path(name)
            if cell is not None:
                run_cell(words, cell, folder)
            elif begins_exercise(words):
                start_exercise(words[1:], folder)
            elif names_no_file(words):
                check_newest(words, folder)
            else:
                show(words, folder)
    except Problem as problem:
        print(problem, file=sys.stderr)


def split(line):
    try:
        return shlex.split(line)
    except ValueError:
        raise Problem(f"a quotation mark has no partner in: {line}",
                      "Write the second one, or leave out both.") from None


def run_cell(words, cell, folder):
    if not cell.strip():
        raise Problem("the cell holds no kernel",
                      "Write a CUDA C++ kernel below the line that begins with %%gemm.")
    command, options = "run", words
    if words and not words[0].startswith("-"):
        command, options = words[0], words[1:]
    if command == "check" and options and not options[0].startswith("-"):
        options = ["--exercise", *options]
    options = [absolute(word) for word in options]
    if command == "run":
        options += ["-I", os.getcwd()]  # the cell's #include finds the notebook's own headers
    (folder / "cell.cu").write_text(cell, encoding="utf-8")
    show([command, "cell.cu", *options], folder, cwd=folder)


def absolute(word):
    """A path of a file that is there, for a program that runs in another folder. Other words stay."""
    looks_like_path = not word.startswith("-") and re.search(r"[/.]", word)
    return os.path.abspath(word) if looks_like_path and os.path.exists(word) else word


def names_no_file(words):
    """A notebook's exercise is in a cell; the program would look for the file of an earlier one."""
    return words[:1] in (["check"], ["watch"]) and not any(re.search(r"\.cu$|^-", word) for word in words)


def check_newest(words, folder):
    """Checks the exercise in the newest cell that does, or in the folder's file with its number or name."""
    exercise = words[1] if len(words) > 1 else ""
    for cell in reversed(get_ipython().history_manager.input_hist_raw):
        first, _, kernel = cell.partition("\n")
        if first.split()[:2] == ["%%gemm", "check"] and exercise in ("", *first.split()[2:3]) and words[0] == "check":
            return run_cell(split(first)[1:], kernel, folder)
    name = rf"{exercise.zfill(2)}\b" if exercise.isdigit() else rf"(\d+-)?{re.escape(exercise)}\b"
    files = [file.name for file in pathlib.Path().glob("*.cu") if not exercise or re.match(name, file.name)]
    if not files:
        raise Problem(f"%gemm {words[0]} finds no kernel in this folder",
                      "Begin the cell that holds the kernel with '%%gemm check' and the exercise's number.")
    return show([words[0], files[0], "--exercise", exercise] if exercise else words, folder)


def begins_exercise(words):
    """Whether the exercise goes into the next cell. With --dir it goes to a file, as in a terminal."""
    if any(word.startswith("--dir") for word in words):
        return False
    return len(words) > 1 and words[0] == "exercise" and words[1] not in EXERCISE_COMMANDS and words[1][0] != "-"


def start_exercise(words, folder):
    words = words[1:] if words[0] == "start" else words
    status, text, errors = call(["exercise", "start", *words, *color()], cwd=folder)
    print(errors, file=sys.stderr, end="")
    files = list(folder.glob("*.cu"))
    if status or len(files) != 1:
        print(text, end="")
        return
    # What the program says next is about a file and an editor.
    show_text(re.sub(r"\n(\x1b\[[0-9;]*m)*Next\b.*", "", text, flags=re.DOTALL))
    print("The kernel is in the next cell. Complete it, and run that cell.")
    lines = files[0].read_text(encoding="utf-8").splitlines(keepends=True)
    kernel = "".join(line for line in lines if not line.startswith("// Check it with:"))
    get_ipython().set_next_input(f"%%gemm check {words[0]}\n{kernel}")


def color():
    return [] if os.environ.get("NO_COLOR") else ["--color", "always"]


def show(words, folder, cwd=None):
    """Runs a command. Shows its page if it writes one, else its text, and below that its errors."""
    page = folder / "page.html"
    asks_for_own_format = any(re.match(r"--(html|format|help|color)\b|-h$", word) for word in words)
    if asks_for_own_format or not words:
        options = []
    elif writes_page(words[0]):
        options = ["--html", str(page)]
    else:
        options = color()
    _, text, errors = call(words + options, cwd)
    if page.exists():
        show_page(page, text)
    elif text and not asks_for_own_format:
        show_text(shortened(text))
    else:
        print(shortened(text), end="")
    print(shortened(errors), file=sys.stderr, end="")


def writes_page(command):
    return not command.startswith("-") and re.search(r"^ +--html\b", call([command, "--help"])[1], re.MULTILINE)


def call(words, cwd=None):
    """Exit status, output and errors of the program."""
    try:
        process = subprocess.Popen([program() or "gemm-tutor", *words], cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise Problem("the program gemm-tutor is not installed",
                      "Run '%pip install gemm-tutor' in a cell, or add the program's folder to PATH.") from None
    except (OSError, ValueError) as error:
        raise Problem(f"gemm-tutor cannot be started: {error}", "Run 'gemm-tutor device' in a terminal.") from None
    try:
        text, errors = process.communicate()
    except KeyboardInterrupt:
        raise Interrupted from None
    finally:
        stop(process)
    if process.returncode < 0:
        errors += f"error: gemm-tutor was ended by signal {-process.returncode}\nhelp: Run the cell again.\n"
    return process.returncode, text, errors


def stop(process):
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def shortened(text):
    if len(text) <= TEXT_LIMIT:
        return text
    end = text.rfind("\n", 0, TEXT_LIMIT) + 1 or TEXT_LIMIT
    return (f"{text[:end]}\x1b[0m\n[{len(text) - end:,} more characters are not shown. "
            "Run the command in a terminal to see all of it.]\n")


def show_text(text):
    """The text in its colours. A narrow screen scrolls it, because its columns do not survive another line break."""
    pieces = re.split(r"\x1b\[([0-9;]*)m", text)
    marked = html.escape(pieces[0])
    for codes, piece in zip(pieces[1::2], pieces[2::2]):
        style = "; ".join(STYLES[code] for code in codes.split(";") if code in STYLES)
        marked += f'<span style="{style}">{html.escape(piece)}</span>' if style else html.escape(piece)
    page = f'<pre style="white-space: pre; overflow-x: auto">{marked}</pre>'
    display({"text/plain": text, "text/html": page}, raw=True)


def show_page(page, text):
    """The page in a frame, so that its style and the notebook's stay apart. The frame is as high as the page."""
    size = page.stat().st_size
    if size > PAGE_LIMIT:
        print(shortened(text), end="")
        raise Problem(f"the page has {size:,} bytes, too many for a notebook",
                      "Add '--html FILE.html' to the line, and open that file.")
    title = html.escape(text.split("\n", 1)[0].split("  ")[0])
    frame = (f'<iframe title="{title}" style="width: 100%; height: 40em; border: 0" '
             'onload="this.style.height = this.contentDocument.documentElement.scrollHeight + 20 + \'px\'" '
             f'srcdoc="{html.escape(page.read_text(encoding="utf-8"))}"></iframe>')
    display({"text/plain": shortened(text), "text/html": frame}, raw=True)
