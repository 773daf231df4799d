"""Drives a headless Chromium over its debugging pipe (https://chromedevtools.github.io/devtools-protocol),
for tests that look at pages. Needs nothing but Python 3 and Chromium.

    with Browser() as browser:
        page = browser.open('/tmp/page.html', width=390, dark=True)
        page.press('ArrowRight')
        assert page.evaluate('document.title') == '...'
        assert page.complaints() == []
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 60  # that an answer may take

# Of the keys that pages listen to; others are the letters themselves.
KEYS = {'Tab': 9, 'Enter': 13, 'Escape': 27, ' ': 32, 'PageUp': 33, 'PageDown': 34, 'End': 35, 'Home': 36,
        'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40}


def executable():
    """The browser's path, or None."""
    return shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')


def _high(descriptor):
    """The same file at a number that is neither 3 nor 4, which the browser's pipes need."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    def __init__(self):
        self._profile = tempfile.mkdtemp(prefix='gemm-tutor-browser-')
        commands, self._commands = map(_high, os.pipe())
        self._answers, answers = map(_high, os.pipe())

        def take_pipes():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        # A process group of its own, so that close() ends the browser's helpers too.
        self._process = subprocess.Popen(
            [executable(), '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
             '--force-device-scale-factor=1', '--remote-debugging-pipe',
             '--user-data-dir=' + self._profile],
            preexec_fn=take_pipes, pass_fds=(3, 4), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._received = b''
        self._last_id = 0
        self._pages = {}  # by session

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, path, width=1280, height=900, dark=False, fragment='', script=True):
        """The file, or the http:// address, in a page of its own, when it has loaded. `fragment` begins with #."""
        target = self.call('Target.createTarget', {'url': 'about:blank'})['targetId']
        session = self.call('Target.attachToTarget', {'targetId': target, 'flatten': True})['sessionId']
        page = Page(self, session)
        self._pages[session] = page
        for domain in ('Page', 'Runtime', 'Log'):
            page.call(domain + '.enable')
        page.call('Emulation.setDeviceMetricsOverride',
                  {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})
        page.call('Emulation.setEmulatedMedia', {'features': [
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}]})
        page.call('Emulation.setScriptExecutionDisabled', {'value': not script})
        is_address = str(path).startswith('http://')
        address = str(path) if is_address else pathlib.Path(path).absolute().as_uri()
        arrived = page.call('Page.navigate', {'url': address + fragment})
        if 'errorText' in arrived:
            raise RuntimeError(f"{path}: {arrived['errorText']}")
        page.wait_until("document.readyState === 'complete' && location.protocol !== 'about:'")
        return page

    def call(self, method, parameters=None, session=None):
        """The result of a command; RuntimeError with the browser's words if it fails."""
        self._last_id += 1
        message = {'id': self._last_id, 'method': method, 'params': parameters or {}}
        if session:
            message['sessionId'] = session
        os.write(self._commands, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.receive()
            if answer.get('id') == self._last_id:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer['result']

    def receive(self):
        """The next message; events are kept by their pages."""
        end = time.monotonic() + SECONDS
        while b'\0' not in self._received:
            if not select.select([self._answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f'the browser said nothing for {SECONDS} seconds')
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise RuntimeError('the browser has ended')
            self._received += part
        text, self._received = self._received.split(b'\0', 1)
        message = json.loads(text)
        if 'method' in message and message.get('sessionId') in self._pages:
            self._pages[message['sessionId']].events.append(message)
        return message


class Page:
    def __init__(self, browser, session):
        self._browser, self._session = browser, session
        self.events = []

    def call(self, method, parameters=None):
        return self._browser.call(method, parameters, self._session)

    def evaluate(self, expression):
        """Its value, which JSON must be able to hold; a promise is awaited."""
        answer = self.call('Runtime.evaluate',
                           {'expression': expression, 'returnByValue': True, 'awaitPromise': True})
        if 'exceptionDetails' in answer:
            details = answer['exceptionDetails']
            raise RuntimeError(details.get('exception', {}).get('description', details['text']))
        return answer['result'].get('value')

    def wait_until(self, expression):
        end = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(f'never true: {expression}')
            time.sleep(0.02)

    def text(self, selector):
        """Of the first such element, as it is shown."""
        return self.evaluate(f'document.querySelector({json.dumps(selector)}).innerText')

    def focus(self, selector):
        self.evaluate(f'document.querySelector({json.dumps(selector)}).focus()')

    def complaints(self):
        """All that the page wrote to the console, its exceptions, and what the browser says of it."""
        self.evaluate('new Promise(requestAnimationFrame)')  # what is under way arrives before
        found = []
        for message in self.events:
            if message['method'] == 'Runtime.consoleAPICalled':
                found.append(' '.join(str(a.get('value', a.get('description')))
                                      for a in message['params']['args']))
            elif message['method'] == 'Runtime.exceptionThrown':
                details = message['params']['exceptionDetails']
                found.append(details.get('exception', {}).get('description', details['text']))
            elif message['method'] == 'Log.entryAdded':
                found.append(message['params']['entry']['text'])
        return found

    def middle_of(self, selector):
        """Where the first such element is, scrolled into view."""
        place = self.evaluate(f'''(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{block: 'center', inline: 'center', behavior: 'instant'}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()''')
        if place is None:
            raise LookupError(f'the page has no {selector}')
        return place

    def hover(self, selector):
        x, y = self.middle_of(selector)
        self.call('Input.dispatchMouseEvent', {'type': 'mouseMoved', 'x': x, 'y': y})

    def click(self, selector):
        x, y = self.middle_of(selector)
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent',
                      {'type': kind, 'x': x, 'y': y, 'button': 'left', 'clickCount': 1})

    def press(self, key, times=1):
        """A key by its name in KeyboardEvent.key: 'ArrowLeft', 'j'."""
        event = {'key': key, 'windowsVirtualKeyCode': KEYS.get(key, ord(key[0].upper()))}
        text = {'Enter': '\r', ' ': ' '}.get(key, key if len(key) == 1 else '')
        for _ in range(times):
            self.call('Input.dispatchKeyEvent',
                      {'type': 'keyDown' if text else 'rawKeyDown', 'text': text, **event})
            self.call('Input.dispatchKeyEvent', {'type': 'keyUp', **event})

    def overflow(self):
        """CSS pixels by which the page is wider than the window: 0 where nothing is cut off."""
        return self.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

    def screenshot(self, path, whole=True):
        """As PNG; of all the page, or of what the window shows."""
        picture = self.call('Page.captureScreenshot', {'captureBeyondViewport': whole})
        pathlib.Path(path).write_bytes(base64.b64decode(picture['data']))

    def pdf(self, path):
        """As it is printed."""
        pathlib.Path(path).write_bytes(base64.b64decode(
            self.call('Page.printToPDF', {'preferCSSPageSize': True})['data']))
