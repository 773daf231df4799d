"""A place to run a document's commands in: directories of its own, and a home without any state."""

import errno
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

SECONDS = 120  # that a command may take
BLOCKS = '4'  # emulated blocks of a large grid, one of each class, if the counts are not read
SILENCE = 0.7  # seconds without output, after which an interactive program waits for a key
KEYS = {'Enter': '\r', 'Tab': '\t', 'Escape': '\x1b', 'Space': ' ', 'Ctrl-C': '\x03', 'Up': '\x1b[A',
        'Down': '\x1b[B', 'Right': '\x1b[C', 'Left': '\x1b[D'}


class NoTerminal(Exception):
    """Why there is no pseudo terminal."""


class Workplace:
    """Use it as a context; all that it made is removed at its end."""

    def __init__(self, program, root):
        self.program, self.root = pathlib.Path(program).resolve(), pathlib.Path(root).resolve()

    def __enter__(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix='gemm-tutor-document-'))
        for name in ('home', 'bin', 'work', 'temporary'):
            (self.place / name).mkdir()
        (self.place / 'bin/gemm-tutor').symlink_to(self.program)
        self.work = self.place / 'work'
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith('XDG_') and name not in ('GEMM_TUTOR_COURSE', 'NO_COLOR')}
        self.environment |= {
            'HOME': str(self.place / 'home'), 'TMPDIR': str(self.place / 'temporary'), 'TERM': 'xterm-256color',
            'PATH': f'{self.place / "bin"}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8', 'GEMM_TUTOR_CORES': '1'}
        for kind in ('CACHE', 'CONFIG', 'DATA', 'STATE'):
            self.environment[f'XDG_{kind}_HOME'] = str(self.place / 'home' / kind.lower())
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.place, ignore_errors=True)

    def clone(self):
        """A copy of the repository's files, with the program in build/release."""
        copy = self.place / 'gemm-tutor'
        if not copy.exists():
            for name in self._files_of_the_repository():
                if (self.root / name).is_file():
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(self.root / name, copy / name)
            (copy / 'build/release').mkdir(parents=True)
            (copy / 'build/release/gemm-tutor').symlink_to(self.program)
        return copy

    def _files_of_the_repository(self):
        if shutil.which('git'):
            command = ['git', '-c', f'safe.directory={self.root}', 'ls-files', '-z', '--cached', '--others',
                       '--exclude-standard']
            listed = subprocess.run(command, cwd=self.root, capture_output=True)
            if listed.returncode == 0:
                return os.fsdecode(listed.stdout).rstrip('\0').split('\0')
        return [path.relative_to(self.root) for path in self.root.rglob('*') if 'build' not in path.parts]

    def run(self, command, directory=None, gpu=True, blocks=BLOCKS):
        """The status and the output of a command; without `blocks` it emulates as many as it does for a user."""
        directory = directory or self.work
        choice = f'export GEMM_TUTOR_BLOCKS={blocks}' if blocks else 'unset GEMM_TUTOR_BLOCKS'
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(['bash', '-o', 'pipefail', '-c', self._script(f'{choice}\n{command}', directory)],
                                       cwd=directory, env=self._variables(gpu), stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                status = f'none after {SECONDS} s'
            finally:
                end_group(process.pid)
            process.wait()
            output.seek(0)
            return status, output.read().decode(errors='replace')

    def run_in_terminal(self, command, keys, directory=None):
        """As run, in a terminal of 80×24, where each key is pressed once the program has fallen silent.

        Raises NoTerminal if there is none."""
        directory = directory or self.work
        try:
            process, terminal = pty.fork()
        except OSError as error:
            raise NoTerminal(f'there is no pseudo terminal, see /dev/pts: {error}') from error
        if process == 0:
            os.chdir(directory)
            os.execvpe('bash', ['bash', '-c', self._script(command, directory)], self._variables(True))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
        output, closed = b'', False
        deadline = time.monotonic() + SECONDS
        for key in [*keys, None]:
            while not closed and time.monotonic() < deadline:
                ready, _, _ = select.select([terminal], [], [], SILENCE if key is not None else 1)
                if not ready and key is not None:
                    break
                if ready:
                    data = read_some(terminal)
                    output, closed = output + data, not data
            if closed:
                break
            if key is not None:
                os.write(terminal, KEYS.get(key, key).encode())
        if not closed:
            end_group(process)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.close(terminal)
        if not closed:
            status = f'none after {SECONDS} s'
        elif isinstance(status, int) and status < 0:
            status = 128 - status  # as a shell says that a signal ended it
        return status, re.sub(r'\x1b(\[[0-9;?]*[A-Za-z]|[()].|[=>78])|\r', '', output.decode(errors='replace'))

    def _script(self, command, directory):
        """The command, in the directory and with the variables that the one before it there left behind."""
        state = shlex.quote(str(self.place / f'state-{directory.name}'))
        return (f'[[ ! -f {state} ]] || source {state}\n'
                f'trap \'{{ printf "cd %q\\n" "$PWD"; export -p; }} >{state}\' EXIT\n' + command)

    def _variables(self, gpu):
        return self.environment if gpu else self.environment | {'CUDA_VISIBLE_DEVICES': ''}


def read_some(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError as error:  # what Linux says once the other end is closed
        if error.errno != errno.EIO:
            raise
        return b''


def end_group(process):
    """What a command has left behind is ended with it."""
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
