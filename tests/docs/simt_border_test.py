#!/usr/bin/env python3
"""src/simt is a library: what is outside includes only its public headers, and it includes nothing of what is above it,
and does not speak of it. The public headers stay small.
simt_border_test.py ROOT
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
MOST_LINES = 700  # of all public headers, so that what simt offers stays small
BELOW = ('simt/', 'support/', 'source/')
PROGRAM = re.compile(r'gemm-tutor|GEMM_TUTOR|gemm_tutor(?!::simt| {|$)|\b(lesson|exercise)s?\b', re.MULTILINE)


def spoken_of(file, text):
    """What a file of simt says of the program that uses it."""
    for match in PROGRAM.finditer(text) if file.startswith('simt/') else ():
        yield f'src/{file} speaks of what uses simt: {match[0]}'


def across(file, text):
    """The includes of a file of src/ that cross the border the wrong way."""
    for name in INCLUDE.findall(text) if file.endswith('pp') else ():  # clang's headers include one another
        inside = file.startswith('simt/')
        if not inside and name.startswith('simt/') and name.count('/') > 1:
            yield f'src/{file} includes {name}, which is no public header of simt'
        if inside and not name.startswith(BELOW):
            yield f'src/{file} includes {name}, which simt must not know'


def main(root):
    wrong = [*across('run/run.cpp', '#include "simt/exec/worker.hpp"\n'),
             *across('simt/exec/worker.cpp', '#include "gemm/problem.hpp"\n')]
    assert list(spoken_of('simt/exec/worker.cpp', 'namespace gemm_tutor {\n// of a lesson')) == [
        'src/simt/exec/worker.cpp speaks of what uses simt: lesson']
    assert len(wrong) == 2 and not list(across('run/run.cpp', '#include "simt/gpu_spec.hpp"\n'))
    files = [path for path in (root / 'src').rglob('*') if path.suffix in ('.cpp', '.hpp', '.cuh', '.inc')]
    assert len(files) > 300
    found = [line for path in files for check in (across, spoken_of)
             for line in check(path.relative_to(root / 'src').as_posix(), path.read_text(encoding='utf-8'))]
    lines = sum(len(path.read_text(encoding='utf-8').splitlines())
                for path in (root / 'src/simt/include').rglob('*.hpp'))
    if lines > MOST_LINES:
        found.append(f'the public headers of simt have {lines} lines, more than {MOST_LINES}')
    print('\n'.join(found))
    return 1 if found else 0


sys.exit(main(Path(sys.argv[1])))
