"""Drives the page of a trace as a reader does, and holds what it shows against the trace's JSON.

python3 trace_page_browser_test.py FOLDER: page.html, and what `trace` says as JSON: of each selection
in LINE-WARP-STEP.json, and of who loads what in tiles-STEP.json. And other.html, of a kernel each of
whose threads loads one element, with other-tiles-0.json; and idle.html, of one that accesses nothing."""

import json
import pathlib
import re
import sys
import urllib.parse

from browser import Browser
from looks import check_signs, expect

FOLDER = pathlib.Path(sys.argv[1])
START = {'line': 63, 'warp': 1, 'step': 2, 'lane': 5}


def read(name):
    return json.loads((FOLDER / name).read_text())


def fragment(**view):
    return '#' + urllib.parse.urlencode(view)


def hash_of(page):
    return {key: int(value) for key, value in
            urllib.parse.parse_qsl(page.evaluate('location.hash.slice(1)'))}


def wait_for(page, **wanted):
    """Until the address says so, which it does a moment later."""
    for key, value in wanted.items():
        page.wait_until(f"new URLSearchParams(location.hash.slice(1)).get('{key}') === '{value}'")


def sentence(text):
    return text[:1].upper() + text[1:] + '.' if text else ''


def place_of(lane, access):
    """What the JSON says of the lane: its bytes, and where they are, as far as it says so."""
    if access['space'] == 'shared':
        words = [word for group in access['groups'] for row in group['passes'] for word in row
                 if lane in word['lanes']]
        first = min(words, key=lambda word: word['word'])
        last = first['bank'] + len(words) - 1
        banks = f"bank {first['bank']}" if len(words) == 1 else f"banks {first['bank']} to {last}"
        return [f"byte {4 * first['word']:,}", banks]
    sector = next(sector for sector in access['sectors'] if lane in sector['lanes'])
    row, column = sector['first']['indices']
    return [f"{sector['first']['array']}[{row}][", f'sector {column // 8 % 4} of its line']


def access_of(view):
    """What the JSON says of the request: without a number the first, which is a costly one if some are. Of
    those alike it has only the first, whose number it must be."""
    accesses = read(f"{view['line']}-{view['warp']}-{view['step']}.json")['lines'][0]['accesses']
    if 'request' not in view:
        return accesses[0]
    number = 0
    for access in sorted(accesses, key=lambda access: access['instruction']):
        if number == view['request']:
            return access
        number += 1 + access.get('alike', 0)
    sys.exit(f'no request of {view} that the JSON tells of')


def check_view(page):
    """All texts of what the address says is shown."""
    view = hash_of(page)
    access = access_of(view)
    expect(page.text('#why'), sentence(access['why']), f'why of {view}')
    expect(page.text('#remedy'), sentence(access.get('remedy', '')), f'remedy of {view}')
    cost = page.text('#cost')
    if access['space'] == 'shared':
        expect(int(cost.split()[0]), access['wavefronts'], f'wavefronts of {view}')
    else:
        expect(int(cost.split()[0]), len(access['sectors']), f'sectors of {view}')
        wanted = f"{access['bytes_used']} of {access['bytes_moved']} bytes used"
        expect(cost.split(' · ')[1], wanted, f'bytes of {view}')
        names = page.evaluate("[...document.querySelectorAll('#drawing text[data-at]')].map(t => t.textContent)")
        lines = {}
        for sector in access['sectors']:
            row, column = sector['first']['indices']
            lines.setdefault((row, column // 32), f"{sector['first']['array']}[{row}][{column // 32 * 32}]")
        expect(names, list(lines.values()), f'names of rows of {view}')
    indices = ''.join(f'[{index}]' for index in access['first']['indices'])
    name = access['first']['array'] + indices
    expect(f' from {name} on ' in page.text('#what'), True, f"{page.text('#what')!r} names {name}")
    check_lane(page, view, access)


def check_lane(page, view, access):
    readout = page.text('#lane')
    lane = view['lane']
    thread = 32 * view['warp'] + lane
    expect(readout.split(' · ')[:2], [f'Lane {lane}', f'thread {thread} ({thread % 16}, {thread // 16})'],
           f'readout of {view}')
    for part in place_of(lane, access):
        expect(part in readout, True, f'{readout!r} says {part!r}')
    chosen = page.evaluate("[...document.querySelectorAll('#drawing .chosen')].map(c => c.dataset.lanes)")
    expect(chosen != [] and all(str(lane) in cell.split() for cell in chosen), True,
           f'{chosen} are cells of lane {lane}')


def check_owner(page, tiles, block_width=16):
    """The element that the readout names is loaded, or stored, by the thread that it names."""
    found = re.match(r'(.)\[(\d+)]\[(\d+)]: thread (\d+) \((\d+), (\d+)\) of warp (\d+) (loads|stores) it$',
                     page.text('#owner'))
    if not found:
        sys.exit(f"readout of a tile: {page.text('#owner')!r}")
    matrix, row, column = found[1], int(found[2]), int(found[3])
    tile = read(tiles)[matrix]
    at = row - tile['rows'][0], column - tile['columns'][0]
    expect(int(found[4]), tile['threads'][at[0]][at[1]], f'thread of {found[0]}')
    expect(int(found[7]), tile['warps'][at[0]][at[1]], f'warp of {found[0]}')
    expect(int(found[4]), block_width * int(found[6]) + int(found[5]), f'place of {found[0]}')
    return matrix, row, column


def choose(page, selector, value):
    page.evaluate(f"""(() => {{
        const select = document.querySelector('{selector}');
        select.value = {value};
        select.dispatchEvent(new Event('change'));
    }})()""")


def drive_accesses(page):
    wait_for(page, **START)
    check_view(page)

    page.focus('#step')
    page.press('ArrowRight')
    wait_for(page, step=3)
    check_view(page)

    page.evaluate('document.activeElement.blur()')
    page.press('ArrowLeft', times=2)
    wait_for(page, step=1)
    check_view(page)

    page.press('w')
    wait_for(page, warp=2)
    check_view(page)

    page.press('j')
    wait_for(page, line=64)
    check_view(page)
    expect(page.evaluate("document.querySelectorAll('.kernel [aria-current]').length"), 1, 'lines marked')

    page.hover('#drawing [data-lanes~="9"]')
    wait_for(page, lane=9)
    check_view(page)
    page.focus('#drawing')
    page.press('ArrowRight')
    wait_for(page, lane=10)
    check_view(page)

    page.click('.kernel a[data-line="70"]')
    wait_for(page, line=70, lane=10)
    check_view(page)
    choose(page, '#request', 1)
    wait_for(page, request=1)
    check_view(page)
    page.press('ArrowRight', times=4)
    wait_for(page, step=5)
    check_view(page)
    choose(page, '#warp', 1)
    wait_for(page, warp=1)
    check_view(page)

    page.evaluate(f"location.hash = '{fragment(**START)}'")
    page.wait_until("document.querySelector('#what').innerText.startsWith('Line 63')")
    wait_for(page, **START)
    check_view(page)


def drive_play(page):
    """It goes on to the last step, and stops there."""
    page.evaluate("location.hash = '#step=6'")
    wait_for(page, step=6, line=START['line'])
    page.click('#step-play')
    expect(page.text('#step-play'), 'Stop', 'the button while it plays')
    wait_for(page, step=7)
    page.wait_until("document.querySelector('#step-play').innerText === 'Play'")


def drive_tiles(page):
    page.hover('#tile-A .tile-frame')
    expect(check_owner(page, 'tiles-0.json')[0], 'A', 'the tile')
    page.focus('#tile')
    page.press('ArrowRight')
    wait_for(page, tile=1)
    for matrix in 'ABC':
        page.hover(f'#tile-{matrix} .tile-frame')
        here = check_owner(page, 'tiles-1.json')
        page.focus(f'#tile-{matrix} .drawing')
        page.press('ArrowDown')
        expect(check_owner(page, 'tiles-1.json'), (matrix, here[1] + 1, here[2]), 'the element below')
    expect(page.text('#tile-A figcaption span'), 'rows 0 to 127, columns 8 to 15', 'the tile of A')


def check_idle(page):
    """No key finds anything to go to, and none fails."""
    page.evaluate("document.querySelector('.kernel ol').tabIndex = 0")
    page.focus('.kernel ol')
    for key in ('ArrowDown', 'ArrowUp', 'ArrowRight', 'j', 'w'):
        page.press(key)
    expect(page.complaints(), [], 'console')


def check_long_names(page, width):
    """The list of a line's requests is no wider than the window, however long an array's name is."""
    page.evaluate("""(() => {
        document.querySelector('#which').hidden = false;
        document.querySelector('#request').replaceChildren(new Option('1 of 8: ' + 'tile'.repeat(20) + '[0][0]'));
    })()""")
    expect(page.overflow(), 0, f'pixels of a long name beyond the window of {width}')


def check_without_script(page):
    expect(page.text('#what') != '', True, 'a heading without a script')
    shown = page.evaluate("document.querySelectorAll('#drawing svg, .tile-of svg').length")
    expect(shown, 4, 'drawings without a script')
    expect(page.evaluate("document.querySelector('.controls').offsetHeight"), 0, 'controls without a script')


def main():
    with Browser() as browser:
        for width in (1280, 390):
            for dark in (False, True):
                page = browser.open(FOLDER / 'page.html', width, 900, dark, fragment(**START))
                drive_accesses(page)
                drive_tiles(page)
                expect(page.overflow(), 0, f'pixels beyond the window of {width}')
                check_signs(page, f'the page at {width}')
                check_long_names(page, width)
                expect(page.complaints(), [], 'console')
        drive_play(page)
        other = browser.open(FOLDER / 'other.html')
        for matrix in 'ABC':
            other.hover(f'#tile-{matrix} .tile-frame')
            check_owner(other, 'other-tiles-0.json', block_width=32)
        expect(other.complaints(), [], 'console')
        check_idle(browser.open(FOLDER / 'idle.html'))
        check_without_script(browser.open(FOLDER / 'page.html', script=False))
    print('all that the page showed is as the trace says')


main()
