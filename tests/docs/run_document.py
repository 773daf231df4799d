#!/usr/bin/env python3
"""Runs every command of a Markdown document, and says where the document is wrong: see document.py for its marks.

    run_document.py --program build/release/gemm-tutor --root . docs/teaching.md
"""

import argparse
import difflib
import functools
import json
import pathlib
import re
import subprocess
import sys

from document import Block, Untrue, shown, steps_of
from workplace import NoTerminal, Workplace

ENDLESS = {'learn': ['q', 'Enter'], 'watch': ['Ctrl-C']}  # the keys that end an interactive command
UNSUPPORTED = 3  # the status of what this machine cannot do
MACHINE_CODE = re.compile(r'gemm-tutor (tune\b|.* --machine\b)')  # commands that need it, which only NVRTC makes
LONG = 'gpu for minutes'  # what a block needs that is not run where there is a GPU


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--program', required=True, help='the gemm-tutor to run')
    options.add_argument('--root', required=True, help='of the repository')
    options.add_argument('document', help='its path in the repository')
    arguments = options.parse_args()
    complaints, count, no_terminal = check(arguments.program, arguments.root, arguments.document)
    for complaint in complaints:
        print(complaint + '\n')
    print(f'{arguments.document}: {count} commands, {len(complaints)} complaints')
    if no_terminal and not complaints:
        print(f'SKIPPED: the commands that need a terminal; all others are right: {no_terminal}')
    return 1 if complaints else 0


def check(program, root, document):
    """What is wrong in a document, how many commands were run, and why some of them had no terminal; '' if all had."""
    with Workplace(program, root) as workplace:
        run = Run(workplace, document)
        try:
            steps = steps_of((workplace.root / document).read_text())
        except Untrue as complaint:
            return [f'{document}: {complaint}'], 0, ''
        no_terminal = ''
        run.spans = commands_of_blocks(steps)
        for step in steps:
            try:
                run.step(step)
            except Untrue as complaint:
                run.complaints.append(f'{document}:{step.line}: {complaint}')
            except NoTerminal as reason:
                no_terminal = str(reason)
                run.count -= 1
        return run.complaints, run.count, no_terminal


def commands_of_blocks(steps):
    """Without their comments, as a sentence would name them."""
    lines = [line for step in steps if isinstance(step, Block) and step.language == 'sh'
             for line in step.text.splitlines()]
    return {re.sub(r'\s+#\s.*', '', line).strip() for line in lines}


class Run:
    """One document's commands, from top to bottom."""

    def __init__(self, workplace, document):
        self.workplace, self.document = workplace, document
        self.complaints, self.count = [], 0
        self.spans = set()  # what needs not be run (again) where a sentence names it

    def step(self, step):
        if not isinstance(step, Block):
            self.span(step.command)
        elif 'write' in step.marks:
            self.write(step)
        elif 'found in' in step.marks:
            self.is_found(step)
        elif 'run by' in step.marks:
            self.is_run_elsewhere(step)
        elif 'keys' in step.marks:
            self.interactive(step)
        elif step.language == 'sh':
            self.commands(step)
        elif step.language == 'text' and step.text.startswith('$ '):
            self.shown(step)
        elif step.language == 'text' and not self.is_generated():
            raise Untrue('nobody knows who prints this: begin with $ and the command, or say where it is found')
        elif step.marks:
            raise Untrue(f'nothing is run here, but there is a mark: {", ".join(step.marks)}')

    def is_generated(self):
        """By scripts/write-lessons. A test compares the pages with what it writes."""
        return 'docs/lessons/' in str(self.document)

    def span(self, command):
        """A command in a sentence is one that works; that a kernel is not right yet (1) is no fault of it."""
        if command in self.spans:
            return
        self.spans.add(command)
        self.count += 1
        words = command.split()[1:]
        allowed = [0, 1]
        if len(words) < 2:  # only the name of a command, which there must be
            status, output = self.workplace.run(command if '--version' in words else command + ' --help')
        elif words[0] in ENDLESS and '--help' not in words:
            allowed = [0, 130]
            status, output = self.workplace.run_in_terminal(command, ENDLESS[words[0]])
        else:
            if self.lacks_machine_code(command) or ('--backend gpu' in command and not self.has_gpu):
                allowed = [UNSUPPORTED]
            status, output = self.workplace.run(command)
        if status not in allowed:
            raise Untrue(failure(command, status, allowed[0], output))

    def write(self, block):
        file = (self.directory(block) or self.workplace.work) / block.marks['write']
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text)

    def is_found(self, block):
        file = self.workplace.root / block.marks['found in']
        if not file.is_file():
            raise Untrue(f'there is no {block.marks["found in"]} to find this in')
        wanted, text = (re.sub(r'(?m)^[ ]+', '', text) for text in (block.text, file.read_text()))
        if '\n' + wanted not in '\n' + text:
            raise Untrue(f'this is not in {block.marks["found in"]}')

    def is_run_elsewhere(self, block):
        file = self.workplace.root / block.marks['run by']
        if not file.is_file():
            raise Untrue(f'there is no {block.marks["run by"]} to run this')
        text = file.read_text()
        for command in split(block.text):
            if self.document not in text and command.split()[0] not in text:
                raise Untrue(f'{block.marks["run by"]} names neither {command.split()[0]} nor {self.document}')

    def interactive(self, block):
        command = block.text.strip()
        self.count += 1
        status, output = self.workplace.run_in_terminal(command, block.marks['keys'].split(), self.directory(block))
        expected = int(block.marks.get('exit', 0))
        if status != expected:
            raise Untrue(failure(command, status, expected, output))

    def commands(self, block):
        if block.marks.get('needs') == LONG and self.has_gpu:
            return
        commands = split(block.text)
        for command in commands:
            self.count += 1
            status, output = self.workplace.run(command, self.directory(block))
            expected = self.status_of_last(block) if command is commands[-1] else 0
            if self.lacks_machine_code(command):
                expected = UNSUPPORTED
            if status != expected:
                raise Untrue(failure(command, status, expected, output))

    def shown(self, block):
        commands = shown(block)
        for command, lines in commands:
            self.count += 1
            status, output = self.workplace.run(command, self.directory(block), gpu=False, blocks=None)
            expected = int(block.marks.get('exit', 0)) if command is commands[-1][0] else 0
            if self.lacks_machine_code(command):
                expected = UNSUPPORTED
            if status != expected:
                raise Untrue(failure(command, status, expected, output))
            if block.marks.get('printed by', self.compiler) == self.compiler:
                compare(command, lines, output.splitlines())

    def status_of_last(self, block):
        needs = block.marks.get('needs', 'gpu')
        if needs not in ('gpu', LONG):
            raise Untrue(f'"needs" is gpu, or {LONG}, not "{needs}"')
        if 'needs' in block.marks and not self.has_gpu:
            return UNSUPPORTED
        return int(block.marks.get('exit', 0))

    def directory(self, block):
        place = block.marks.get('in')
        if place not in (None, 'clone'):
            raise Untrue(f'"in" is clone, not "{place}"')
        return self.workplace.clone() if place else None

    def lacks_machine_code(self, command):
        return bool(MACHINE_CODE.search(command)) and not self.compiler.startswith('NVRTC')

    @functools.cached_property
    def has_gpu(self):
        return self.workplace.run('gemm-tutor lesson 1 --size 32 --backend gpu')[0] != UNSUPPORTED

    @functools.cached_property
    def compiler(self):
        """Such as "NVRTC 13.0", as the program names it."""
        report = json.loads(self.workplace.run('gemm-tutor device --format json', gpu=False)[1])
        return report.get('compiler', '')


def split(text):
    """A script's commands: as few lines as bash takes for a whole one."""
    commands, lines = [], []
    for line in text.splitlines():
        lines.append(line)
        command = '\n'.join(lines)
        whole = subprocess.run(['bash', '-n', '-c', command], capture_output=True)
        if whole.returncode == 0 and not whole.stderr and not line.endswith('\\'):
            if re.sub(r'(?m)^\s*#.*$', '', command).strip():
                commands.append(command)
            lines = []
    if lines:
        raise Untrue('bash finds no end of this command:\n' + '\n'.join(lines))
    return commands


def compare(command, said, printed):
    """Of what a command printed, what the document shows; times and dates are as they may be."""
    said, printed = [comparable(line) for line in said], [comparable(line) for line in printed]
    while printed and not printed[-1]:
        printed.pop()
    while said and not said[-1]:
        said.pop()
    pattern = ''.join('(?:.*\n)*?' if line == '…' else re.escape(line) + '\n' for line in said)
    if not re.fullmatch(pattern, ''.join(line + '\n' for line in printed)):
        difference = difflib.unified_diff(said, printed, 'the document', 'printed now', lineterm='', n=1)
        raise Untrue(f'$ {command}\nprints something else now:\n' + '\n'.join(difference))


def comparable(line):
    line = re.sub(r'\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d', 'DATE', line)
    line = re.sub(r'[\d.,]+ (s|ms|µs)\b', 'TIME', line)
    return re.sub(r'\s+', ' ', line).rstrip()


def failure(command, status, expected, output):
    return f'$ {command}\nended with {status}, not with {expected}, and printed:\n{output.rstrip()}'


if __name__ == '__main__':
    sys.exit(main())
