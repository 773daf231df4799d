"""Finds the program gemm-tutor, and runs it in place of this process."""

import os
import shutil
import sys
from pathlib import Path


def program() -> str:
    """Returns the program's path: beside this module in an installed wheel, else on PATH."""
    inside = Path(__file__).resolve().parent / "bin" / "gemm-tutor"
    if inside.is_file():
        return str(inside)
    found = shutil.which("gemm-tutor")
    if not found:
        raise FileNotFoundError("gemm-tutor is not on PATH; 'pip install gemm-tutor' brings it")
    return found


def main() -> None:
    try:
        path = program()
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        print("help: Install it again: pip install --force-reinstall gemm-tutor", file=sys.stderr)
        sys.exit(3)
