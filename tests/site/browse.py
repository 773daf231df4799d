#!/usr/bin/env python3
"""Looks at the site as a reader does, from a server of this machine's own: browse.py FOLDER."""

import functools
import http.server
import pathlib
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'report'))
import browser  # noqa: E402
from looks import check_looks, expect, is_dark  # noqa: E402

PAGES = ['index.html', 'docs/lessons/README.html', 'docs/lessons/03-shared-memory-tile.html',
         'docs/lessons/14-beyond-cublas.html', 'docs/emulator.html']
LESSON = 'docs/lessons/03-shared-memory-tile.html'


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == '/favicon.ico':  # which browsers ask for by themselves
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


def check(page, address, where, dark):
    expect(page.evaluate("document.querySelector('article').innerText.includes('<!--')"), False, f'marks in {where}')
    broken = '[...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)'
    expect(page.evaluate(broken), [], f'pictures missing in {where}')
    asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    expect([name for name in asked if not name.startswith((address, 'data:'))], [], f'asked of others by {where}')
    check_looks(page, where, dark, within='article', slack=1)


def check_lesson(page):
    text = page.text('article')
    expect('M·N·K·(1/BM + 1/BN)' in text, True, f'the formula in the text of {LESSON}')
    for word in ('\\*', '\\_', '$M'):
        expect(word in text, False, f'{word} in the text of {LESSON}')


def check_theme(page):
    """The button goes through what there is, and one of them is dark."""
    seen = set()
    for _ in range(3):
        page.evaluate("document.querySelector('.theme-toggle').click()")
        seen.add(is_dark(page))
    expect(seen, {False, True}, 'papers that the button shows')


def check_search(browsing, address):
    page = browsing.open(address + 'search.html?q=bank+conflict')
    page.wait_until("/found \\d+ page|matching/.test(document.querySelector('#search-results').innerText)")
    results = page.evaluate("[...document.querySelectorAll('#search-results li a')].map(link => link.innerText)")
    for title in ('bank conflict', 'Lesson 8'):
        expect(any(title in result for result in results), True, f'{title} among {results}')
    expect(page.complaints(), [], 'console of the search')


def main():
    site = pathlib.Path(sys.argv[1])
    if not browser.executable():
        sys.exit(print("SKIPPED: there is no chromium; 'scripts/bootstrap --browser' installs it"))
    if not (site / 'index.html').is_file():
        sys.exit(print(f"SKIPPED: there is no site in {site}; 'site: build' says why"))
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f'http://127.0.0.1:{server.server_port}/'
    with browser.Browser() as browsing:
        for path in PAGES:
            for dark, width in ((False, 1280), (True, 1280), (False, 390), (True, 390)):
                page = browsing.open(address + path, width=width, dark=dark)
                check(page, address, f'{path}, {width} wide' + (', dark' if dark else ''), dark)
        check_lesson(browsing.open(address + LESSON))
        check_theme(browsing.open(address + LESSON))
        check_search(browsing, address)


main()
