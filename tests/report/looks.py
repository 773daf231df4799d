"""What any page must look like, asked of a Page (browser.py)."""

import sys

# What is cut off without a way to scroll to it.
CUT_OFF = '''[...document.querySelectorAll('%s *')].filter(element => {
    if (element.closest('svg') || element.getBoundingClientRect().right <= innerWidth + %d) return false;
    for (let box = element; box; box = box.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
    }
    return true;
}).map(element => element.outerHTML.slice(0, 80))'''

# What can be scrolled says so: a shadow that stays, below a cover that scrolls along.
NO_SIGN = '''[...document.querySelectorAll('*')].filter(box => {
    const style = getComputedStyle(box);
    return box.scrollWidth > box.clientWidth + 1 && style.overflowX === 'auto' &&
        !(style.backgroundImage.includes('gradient') && style.backgroundAttachment.includes('local'));
}).map(box => box.outerHTML.slice(0, 80))'''


def expect(shown, wanted, what):
    if shown != wanted:
        sys.exit(f'{what}: {shown!r}, not {wanted!r}')


def _brightness(page, property):
    color = page.evaluate(f'getComputedStyle(document.body).{property}.match(/\\d+/g).map(Number)')
    return sum(color[:3])


def is_dark(page):
    """Light ink on dark paper."""
    return _brightness(page, 'backgroundColor') < _brightness(page, 'color')


def check_signs(page, where):
    """What scrolls sideways says so."""
    expect(page.evaluate(NO_SIGN), [], f'scrolls without a sign in {where}')


def check_looks(page, where, dark, within='body', slack=0):
    """Nothing is wider than the window, cut off (of what is `within`, by more than `slack` pixels) or said
    on the console, and the paper is as dark as asked."""
    expect(page.overflow(), 0, f'pixels beyond the window of {where}')
    expect(page.evaluate(CUT_OFF % (within, slack)), [], f'cut off in {where}')
    expect(is_dark(page), dark, f'dark paper of {where}')
    expect(page.complaints(), [], f'console of {where}')
