"""Looks at pages of lessons as a reader does: python3 lesson_page_browser_test.py PAGE.html…"""

import sys

from browser import Browser

# Every formula has a size, and a fraction's numerator stands above its denominator.
BADLY_SET = '''[...document.querySelectorAll('math')].filter(math => {
    const box = math.getBoundingClientRect();
    const fractions = [...math.querySelectorAll('mfrac')].map(
        fraction => [...fraction.children].map(part => part.getBoundingClientRect()));
    return !box.width || !box.height || fractions.some(([over, under]) => over.bottom > under.top);
}).map(math => math.textContent)'''

# What is cut off without a way to scroll to it.
CUT_OFF = '''[...document.querySelectorAll('body *')].filter(element => {
    if (element.closest('svg, math') || element.getBoundingClientRect().right <= innerWidth) return false;
    for (let box = element; box; box = box.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
    }
    return true;
}).map(element => element.outerHTML.slice(0, 80))'''

# The counts can be read without scrolling.
HIDDEN_COUNTS = '''[...document.querySelectorAll('.counts')].filter(counts => {
    const box = counts.getBoundingClientRect();
    return box.left < 0 || box.right > innerWidth;
}).map(counts => counts.textContent)'''


def expect(shown, wanted, what):
    if shown != wanted:
        sys.exit(f'{what}: {shown!r}, not {wanted!r}')


def luminance(page, property):
    color = page.evaluate(f'getComputedStyle(document.body).{property}.match(/\\d+/g).map(Number)')
    return sum(color[:3])


def check(page, where, dark):
    expect(page.overflow(), 0, f'pixels beyond the window of {where}')
    expect(page.evaluate(BADLY_SET), [], f'formulas of {where}')
    expect(page.evaluate(CUT_OFF), [], f'cut off in {where}')
    expect(page.evaluate(HIDDEN_COUNTS), [], f'counts not seen in {where}')
    expect(luminance(page, 'backgroundColor') < luminance(page, 'color'), dark, f'dark paper of {where}')
    expect(page.complaints(), [], f'console of {where}')


def check_print(page, where):
    """As on paper: dark ink on white whatever the screen, and nothing to scroll."""
    page.call('Emulation.setEmulatedMedia', {'media': 'print', 'features': [
        {'name': 'prefers-color-scheme', 'value': 'dark'}]})
    page.call('Emulation.setDeviceMetricsOverride',
              {'width': 680, 'height': 1000, 'deviceScaleFactor': 1, 'mobile': False})
    expect(page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')"), '#fff',
           f'printed paper of {where}')
    wider = '''[...document.querySelectorAll('.scroll, .source, pre, .formula')].filter(
        box => box.scrollWidth > box.clientWidth + 1).map(box => box.outerHTML.slice(0, 80))'''
    expect(page.evaluate(wider), [], f'too wide for paper in {where}')


def main():
    with Browser() as browser:
        for path in sys.argv[1:]:
            for width in (1280, 390):
                for dark in (False, True):
                    page = browser.open(path, width, 900, dark)
                    check(page, f'{path} at {width}', dark)
            check_print(page, path)
    print(f'{len(sys.argv) - 1} pages are as they should be')


main()
