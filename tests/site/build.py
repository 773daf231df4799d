#!/usr/bin/env python3
"""Builds the site into a folder, with warnings as errors, and follows all of its links: build.py FOLDER."""

import html.parser
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

root = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    """What a page names, and what it leads to."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(path.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names.update(given[key] for key in ('id', 'name') if given.get(key))
        self.links += [given[key] for key in ('href', 'src') if given.get(key)]


def build(site):
    shutil.rmtree(site, ignore_errors=True)  # with the pages of documents that there are no more
    built = subprocess.run([root / 'scripts/build-site', site], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    if built.returncode != 0:
        sys.exit(built.stdout)


def is_well_formed(address):
    """Of another host's: it is not asked."""
    return address.scheme == 'https' and '.' in address.netloc and ' ' not in address.geturl()


def fault(site, page, pages, link):
    """What is wrong with it; nothing for a good one."""
    address = urllib.parse.urlsplit(link)
    if address.scheme == 'data':
        return ''
    if address.scheme or address.netloc:
        return '' if is_well_formed(address) else 'is no address of the form https://…'
    target = (page.parent / urllib.parse.unquote(address.path)).resolve() if address.path else page
    if not target.is_file() or site not in target.parents:
        return 'leads to no file of the site'
    anchor = urllib.parse.unquote(address.fragment)
    if anchor and target in pages and anchor not in pages[target].names:
        return 'leads to no such place'
    return ''


def main():
    if not shutil.which('sphinx-build'):
        sys.exit(print("SKIPPED: there is no sphinx-build; 'scripts/bootstrap --docs' installs it"))
    site = pathlib.Path(sys.argv[1]).resolve()
    build(site)
    pages = {path: Page(path) for path in site.rglob('*.html')}
    faults = [f'{page.relative_to(site)}: {link} {wrong}' for page, read in pages.items()
              for link in read.links if (wrong := fault(site, page, pages, link))]
    for document in [*root.glob('*.md'), *root.glob('docs/**/*.md')]:
        if not (site / document.relative_to(root)).with_suffix('.html').is_file():
            faults.append(f'{document.relative_to(root)}: is not on the site')
    if faults:
        sys.exit('\n'.join(faults))
    print(f'{len(pages)} pages, {sum(len(read.links) for read in pages.values())} links')


main()
