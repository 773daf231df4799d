"""Looks at pages of lessons as a reader does: python3 lesson_page_browser_test.py PAGE.html…"""

import sys

from browser import Browser
from looks import check_looks, check_signs, expect

# The counts can be read without scrolling.
HIDDEN_COUNTS = '''[...document.querySelectorAll('.counts')].filter(counts => {
    const box = counts.getBoundingClientRect();
    return box.left < 0 || box.right > innerWidth;
}).map(counts => counts.textContent)'''


def check(page, where, dark):
    check_looks(page, where, dark)
    check_signs(page, where)
    expect(page.evaluate(HIDDEN_COUNTS), [], f'counts not seen in {where}')


def check_text(page, where):
    """Columns are aligned as their text says, and a heading looks larger than those below it."""
    misaligned = '''[...document.querySelectorAll('.text .right, .text .center')].filter(
        cell => getComputedStyle(cell).textAlign !== cell.className).length'''
    expect(page.evaluate(misaligned), 0, f'cells not aligned in {where}')
    sizes = page.evaluate('''['h2', 'h3', 'h4', 'h5', 'p'].map(
        name => document.querySelector('article > ' + name)).map(
        heading => heading && parseFloat(getComputedStyle(heading).fontSize)).filter(size => size)''')
    expect(sizes[:-1], sorted(sizes[:-1], reverse=True), f'sizes of the headings in {where}')
    expect(len(set(sizes[:2])), min(2, len(sizes)), f'headings as large as others in {where}')


SEEN = '''selector => [...document.querySelectorAll(selector)].filter(
    element => element.getClientRects().length > 0).length'''


def check_class(page, where):
    """With the box checked nothing is left that answers the questions; Space checks it, and takes it back."""
    def seen(selector):
        return page.evaluate(f'({SEEN})({selector!r})')
    counts, sections = seen('.counts'), seen('section')
    questions = seen('.questions > li') - seen('.after .questions > li')
    changes = page.evaluate(
        "[...document.querySelectorAll('section > h2')].filter(head => head.textContent === 'What changes').length")
    page.focus('#without-answers')
    page.press(' ')
    expect(seen('.counts, .access, .geometry, .equations'), 0, f'answers shown to a class in {where}')
    expect(seen('.questions > li'), questions, f'questions of {where}')
    expect(seen('section'), 1 + (questions > 0) + changes, f'sections for a class of {where}')
    page.call('Emulation.setEmulatedMedia', {'media': 'print'})
    expect(seen('#without-answers, label'), 0, f'boxes printed in {where}')
    room = page.evaluate("""[...document.querySelectorAll('.questions > li')].filter(
        question => question.getClientRects().length > 0).map(
        question => parseFloat(getComputedStyle(question, '::after').height))""")
    expect([height > 15 for height in room], [True] * questions, f'room to write on in {where}')
    page.call('Emulation.setEmulatedMedia', {'media': 'screen'})
    page.focus('#without-answers')
    page.press(' ')
    expect((seen('.counts'), seen('section')), (counts, sections), f'shown again in {where}')


def check_print(page, where):
    """As on paper: dark ink on white whatever the screen, and nothing to scroll."""
    page.call('Emulation.setEmulatedMedia', {'media': 'print', 'features': [
        {'name': 'prefers-color-scheme', 'value': 'dark'}]})
    page.call('Emulation.setDeviceMetricsOverride',
              {'width': 680, 'height': 1000, 'deviceScaleFactor': 1, 'mobile': False})
    expect(page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')"), '#fff',
           f'printed paper of {where}')
    wider = '''[...document.querySelectorAll('.scroll, .source, pre')].filter(
        box => box.scrollWidth > box.clientWidth + 1).map(box => box.outerHTML.slice(0, 80))'''
    expect(page.evaluate(wider), [], f'too wide for paper in {where}')


def main():
    with Browser() as browser:
        for path in sys.argv[1:]:
            for width in (1280, 390):
                for dark in (False, True):
                    page = browser.open(path, width, 900, dark)
                    check(page, f'{path} at {width}', dark)
                    check_text(page, path)
            check_class(page, path)
            check_print(page, path)
    print(f'{len(sys.argv) - 1} pages are as they should be')


main()
