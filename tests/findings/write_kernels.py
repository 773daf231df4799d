#!/usr/bin/env python3
"""write_kernels.py KERNELS FOLDER: writes the files of kernels.txt into FOLDER. kernels.txt says how they are in it."""

import pathlib
import re
import sys


def sections(text):
    """The lines below each '=== NAME', by name."""
    parts = re.split(r'^=== (.*)\n', text, flags=re.M)[1:]
    return {name: lines.splitlines() for name, lines in zip(parts[::2], parts[1::2])}


def changed(lines, changes):
    """The lines with what the changes say, from the first line to the last."""
    result, rest = [], iter(lines)
    for change in changes:
        sign, line = change[:1], change[2:]
        if sign == '+':
            result.append(line)
            continue
        for other in rest:
            if other == line:
                break
            result.append(other)
        else:
            sys.exit(f'error: there is no line {line!r} to change')
        if sign == '=':
            result.append(line)
    return result + [*rest]


def kernels_of(lines):
    """The lines before the first kernel, and (entry, base, options, comments, body) of each."""
    begins = [i for i, line in enumerate(lines) if line.startswith('[')]
    kernels = []
    for begin, end in zip(begins, [*begins[1:], len(lines)]):
        first = next(i for i in range(begin + 1, end) if not lines[i].startswith('// '))
        head = re.match(r'\[(.+)\](?: of (\w+))? (.*)', lines[begin]).groups()
        kernels.append((*head, lines[begin + 1:first], lines[first:end]))
    return lines[:min(begins, default=len(lines))], kernels


def files(text):
    """The text of each file by its name."""
    parts = {name: kernels_of(lines) for name, lines in sections(text).items()}
    bodies = {entry: body for _, kernels in parts.values() for entry, base, _, _, body in kernels if not base}
    result = {}
    for name, (first_lines, kernels) in parts.items():
        written = []
        for line in first_lines:
            written += parts[line[4:]][0] if line.startswith('use ') else [line]
        for entry, base, options, comments, body in kernels:
            written += ['', f'// run: --entry {entry} {options}', *comments]
            if base:
                body = changed(bodies[base], body)
            if not any('__global__' in line for line in body):
                body = [f'__global__ void {entry}(SIGNATURE) {{', *body, '}']
            written += body
        result[name] = '\n'.join(written) + '\n'
    return {name: text for name, text in result.items() if name.endswith('.cu')}


def main(kernels, folder):
    for name, text in files(pathlib.Path(kernels).read_text()).items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
