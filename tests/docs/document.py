"""What of a Markdown document can be run: its blocks, their marks, and the commands within its sentences.

A fenced block of `sh` holds commands, exactly as they are typed. A `text` block begins with `$ `, a command, and shows
what it prints, of which a line with `…` alone leaves out a part; or it is found in a file. Other blocks are not run.
Comments alone on the lines above a block are its marks:

    <!-- exit: 1 -->              the status with which the block's last command ends; all others end with 0
    <!-- needs: gpu -->           on a machine without a GPU the last command ends with 3
    <!-- needs: gpu for minutes --> likewise, and on a machine with one it is not run
    <!-- in: clone -->            in a copy of the repository
    <!-- run by: .ci/run -->      not run here: that file of the repository runs it
    <!-- write: kernel.cu -->     of any block: its text is to be written to that file
    <!-- keys: Enter q -->        an interactive command: these keys are pressed
    <!-- printed by: NVRTC 13.0 --> what is shown is compared only where that compiler is in use
    <!-- found in src/main.cpp -->  of any block: its lines are in that file, with any indentation

A code span that begins with `gemm-tutor` is a command too, unless it has a placeholder, such as L or FILE.
"""

import dataclasses
import re
import shlex

MARKS = {'exit', 'needs', 'in', 'run by', 'write', 'keys', 'printed by', 'found in'}
MISNAMED = {'bash', 'shell', 'console', 'shell-session', 'zsh'}  # commands that would not be run


class Untrue(Exception):
    """The document says something that is not so."""


@dataclasses.dataclass
class Block:
    line: int  # of its first line of text, from 1
    language: str
    text: str
    marks: dict


@dataclasses.dataclass
class Span:
    line: int
    command: str


def steps_of(text):
    """Blocks that are run, shown or written, and spans, in the order of the document."""
    steps, marks, prose = [], {}, []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        fence = re.fullmatch(r'(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*', line)
        comment = re.fullmatch(r'\s*<!--\s*(.*?)\s*-->\s*', line)
        if fence:
            steps += spans_of(prose)
            prose = []
            steps.append(block_of(fence, number, lines, marks))
            marks = {}
        elif comment:
            key, colon, value = comment[1].partition(':')
            if comment[1].startswith('found in '):
                marks['found in'] = comment[1].removeprefix('found in ')
            elif colon:
                marks[key] = value.strip()
        else:
            refuse_marks(marks, number)
            refuse_unfenced(line, number)
            prose.append((number, line))
    refuse_marks(marks, number)
    return steps + spans_of(prose)


def block_of(fence, number, lines, marks):
    """The block behind a fence; takes its lines from `lines`."""
    indent, ticks, language = fence.groups()
    body = []
    for _, line in lines:
        if re.fullmatch(rf'\s*{ticks[0]}{{{len(ticks)},}}\s*', line):
            break
        body.append(line.removeprefix(indent))
    else:
        raise Untrue(f'line {number}: the block has no end')
    if not language:
        raise Untrue(f'line {number}: the block does not say its language: sh, text or another')
    if language in MISNAMED:
        raise Untrue(f'line {number}: commands stand in a block of sh, not of {language}')
    for mark in marks:
        if mark not in MARKS:
            raise Untrue(f'line {number}: the mark "{mark}" is none of {", ".join(sorted(MARKS))}')
    return Block(number + 1, language, ''.join(line + '\n' for line in body), marks)


def refuse_marks(marks, number):
    for mark in marks.keys() & MARKS:
        raise Untrue(f'line {number}: the mark "{mark}" is not above a block')
    marks.clear()


def refuse_unfenced(line, number):
    if re.match(r' {4,}(\$ )?(gemm-tutor|scripts/|build/|cmake|ctest)\b', line):
        raise Untrue(f'line {number}: a command outside of a block of sh: {line.strip()}')


def spans_of(prose):
    """The commands in code spans of numbered lines; a span may reach over the end of a line."""
    text = '\n'.join(line for _, line in prose)
    spans = []
    for found in re.finditer(r'(?<!`)(`+)(?!`)((?:[^\n]|\n(?!\s*\n))*?)(?<!`)\1(?!`)', text):
        command = ' '.join(found[2].split())
        if is_command(command):
            spans.append(Span(prose[text.count('\n', 0, found.start())][0], command))
    return spans


def is_command(span):
    if span.split(' ')[0] != 'gemm-tutor':
        return False
    return not any(is_placeholder(word) for word in shlex.split(span))


def is_placeholder(word):
    """Capitals alone, as in L, [L…], FILE.cu and NAME=VALUE; or a choice, as in n|m."""
    return bool(re.fullmatch(r'\[?[A-Z][A-Z_]*(=[A-Z]+)?(\.[a-z]+)?…?\]?', word) or re.search(r'[\[\]|…]', word))


def shown(block):
    """A block's commands, each with the lines that it is said to print."""
    commands = []
    for line in block.text.splitlines():
        if line.startswith('$ '):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    return commands
