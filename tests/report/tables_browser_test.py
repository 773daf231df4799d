"""Looks at pages of tables, on a screen and as printed: python3 tables_browser_test.py PAGE.html…"""

import sys

from browser import Browser
from looks import check_signs, expect

# Paper does not scroll: what is beyond it is lost. A number is never broken in two.
CUT_OFF = '''[...document.querySelectorAll('th, td')].filter(
    cell => cell.getBoundingClientRect().right > innerWidth).map(cell => cell.outerHTML)'''
BROKEN = '''[...document.querySelectorAll('td.right')].filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(line => line.top)).size > 1;
}).map(cell => cell.outerHTML)'''
# A word is in one piece, unless it is long, or part of a very long name.
BROKEN_WORDS = '''[...document.querySelectorAll('tbody th, td')].filter(cell => {
    const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
    if (!text || cell.matches('th') && cell.innerText.length > 32) return false;
    return [...text.data.matchAll(/\\S+/g)].some(word => {
        if (cell.matches('td') && word[0].length > 8) return false;
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return new Set([...range.getClientRects()].map(line => line.top)).size > 1;
    });
}).map(cell => cell.outerHTML)'''
UNREACHABLE = '''[...document.querySelectorAll('.scroll')].filter(
    box => box.tabIndex < 0 || getComputedStyle(box).overflowX !== 'auto').length'''


def main():
    with Browser() as browser:
        for path in sys.argv[1:]:
            for width in (1280, 390):
                page = browser.open(path, width)
                expect(page.overflow(), 0, f'pixels beyond the window of {path} at {width}')
                expect(page.evaluate(UNREACHABLE), 0, f'tables of {path} without a way to scroll')
                expect(page.evaluate(BROKEN_WORDS), [], f'words broken in {path} at {width}')
                check_signs(page, f'{path} at {width}')
                expect(page.complaints(), [], f'console of {path}')
            page = browser.open(path, 1280)
            expect(page.evaluate(CUT_OFF), [], f'to be scrolled to in {path} at 1280')
            page.call('Emulation.setEmulatedMedia', {'media': 'print'})
            # A4 without the margins that a browser gives it.
            page.call('Emulation.setDeviceMetricsOverride',
                      {'width': 718, 'height': 1000, 'deviceScaleFactor': 1, 'mobile': False})
            expect(page.evaluate(CUT_OFF), [], f'beyond the paper of {path}')
            expect(page.evaluate(BROKEN), [], f'broken on the paper of {path}')
    print(f'{len(sys.argv) - 1} pages of tables are as they should be')


main()
