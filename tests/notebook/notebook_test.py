#!/usr/bin/env python3
"""docs/notebook.ipynb, executed: notebook_test.py PROGRAM MODULES NOTEBOOK [PAGE]

The cell with the tag "install" is left out, because the module under test is that of this clone. PAGE is where the
executed notebook is written as a page, to look at.
"""
import os
import re
import sys
import tempfile
from pathlib import Path

try:
    import ipykernel  # noqa: F401
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError as missing:
    sys.exit(print(f"SKIPPED: {missing.name} is missing (scripts/bootstrap --notebook installs it)"))

program, modules, notebook = (Path(argument).resolve() for argument in sys.argv[1:4])
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


def output(cell):
    texts = [out.get("text") or "".join(out.get("data", {}).get("text/plain", "")) for out in cell.outputs]
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(texts))


stored = nbformat.read(notebook, as_version=4)
nbformat.validate(stored)
code = [cell for cell in stored.cells if cell.cell_type == "code"]
expect(code[0].source.startswith("%pip install"), "the first cell installs the program")
expect(code[0].metadata.get("tags") == ["install"], "the first cell has the tag 'install'")
expect(not any(cell.outputs for cell in code), "the notebook is stored without outputs")

with tempfile.TemporaryDirectory() as folder:
    os.environ.update(PATH=f"{program.parent}:{os.environ['PATH']}", PYTHONPATH=str(modules), XDG_STATE_HOME=folder,
                      HOME=folder, IPYTHONDIR=folder)
    stored.cells.remove(code[0])
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(stored, {"metadata": {"path": folder}})

_, first, second, mistake, lesson, exercise = (cell for cell in stored.cells if cell.cell_type == "code")
for cell, a, b in (first, 32, 1), (second, 1, 4):
    expect("✓ right at 128" in output(cell), "a kernel of the notebook is right")
    sectors = re.findall(r"│ +([AB]) +(\d+)\.0 sec/req", output(cell))
    expect(sectors == [("A", str(a)), ("B", str(b))], f"{a} and {b} sectors, as the notebook says, not {sectors}")
expect(re.search(r"reads\s+outside B \(line 6\)", output(mistake)), "the mistake is found")
expect("loads M·N·K·(1/BM + 1/BN) = 131,072 floats, as counted ✓" in output(lesson), "the lesson's formula")
expect("&lt;svg" in lesson.outputs[0].data["text/html"],
       "the lesson's page has its pictures inside")
expect("The kernel is in the next cell" in output(exercise), "the exercise begins")
if failures:
    for cell in first, second, mistake, exercise:
        print(output(cell)[:2500])
if len(sys.argv) > 4:
    Path(sys.argv[4]).write_text(HTMLExporter().from_notebook_node(stored)[0], encoding="utf-8")
sys.exit(1 if failures else 0)
