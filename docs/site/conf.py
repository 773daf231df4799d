"""The site: README.md, docs/ and what else is written for readers, by Sphinx with MyST and the furo theme.

scripts/build-site builds it. The pages are the repository's own Markdown files, read where they lie, so that links
between them work on GitHub as on the site; the contents below are the only thing that is added to them.
"""

import functools
import os
import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]

project = 'gemm-tutor'
author = copyright = 'the authors of gemm-tutor'
extensions = ['myst_parser']
root_doc = 'README'
source_suffix = {'.md': 'markdown'}
include_patterns = ['*.md', 'docs/**.md', 'lessons/glossary.md']
exclude_patterns = ['build', '.git', '.cache']
highlight_language = 'text'
suppress_warnings = ['misc.highlighting_failure']  # of samples with an ellipsis in them
pygments_style = 'friendly'
pygments_dark_style = 'monokai'

myst_heading_anchors = 4  # as GitHub makes them

html_theme = 'furo'
html_title = 'gemm-tutor'
html_static_path = ['static']
html_css_files = ['site.css']
html_copy_source = html_show_sourcelink = False
html_permalinks_icon = '#'
html_theme_options = {
    'light_css_variables': {'color-brand-primary': '#2f6f3a', 'color-brand-content': '#1d6a8a'},
    'dark_css_variables': {'color-brand-primary': '#8fd19e', 'color-brand-content': '#7cc7e8'},
}

# In this order; what is not there is left out, and what is not named comes under the last heading.
CONTENTS = {
    'Learn': ['docs/self-study', 'docs/lessons/README', 'docs/notebook', 'docs/traces', 'docs/commands', 'lessons/glossary'],
    'Teach': ['docs/teaching'],
    'Look inside': ['docs/emulator', 'docs/measuring', 'docs/precision', 'docs/gpus', 'docs/results/README',
                    'docs/results/worklog', 'docs/results/sources'],
    'The project': ['CONTRIBUTING', 'CHANGELOG', 'docs/style', 'docs/fuzzing', 'docs/site/notices'],
}
LESSONS = 'docs/lessons/README'


def toctree(caption, pages):
    lines = ['```{toctree}', ':hidden:', *([f':caption: {caption}'] if caption else []), '', *pages, '```']
    return '\n'.join(lines) + '\n\n'


def contents(found):
    named = {page for pages in CONTENTS.values() for page in pages} | {root_doc}
    others = sorted(page for page in found if page not in named and not page.startswith('docs/lessons/'))
    trees = ''
    for caption, pages in CONTENTS.items():
        shown = [page for page in pages if page in found] + (others if caption == 'The project' else [])
        if shown:
            trees += toctree(caption, ['/' + page for page in shown])
    return trees


def prepare(app, page, source):
    found = app.env.found_docs
    source[0] = re.sub(r'(\[[^\]\n]+\])\(([\w./-]+)\)', functools.partial(link_on_site, page), source[0])
    if page == root_doc:
        source[0] += '\n\n' + contents(found)
    elif page == LESSONS:
        source[0] += '\n\n' + toctree('', ['/' + name for name in sorted(found) if
                                          name.startswith('docs/lessons/') and name != LESSONS])


def link_on_site(page, found):
    """A link of Markdown as the site needs it: a lesson's text leads to its page, which is made of it, and a folder,
    which GitHub shows, to nothing."""
    words, target = found.groups()
    path = pathlib.Path(os.path.normpath(root / pathlib.Path(page).parent / target))
    if path.name == 'lesson.md':
        target = os.path.relpath(root / 'docs/lessons' / (path.parent.name + '.md'), (root / page).parent)
    return words[1:-1] if path.is_dir() else f'{words}({target})'


def make_theme_whole(folder):
    """Debian's furo is not bundled as the original is. Its script imports another where a page may not, its styles
    begin with a file of the web server's root, and they lack the dark colours for a system that is set to dark."""
    scripts, styles = folder / 'scripts', folder / 'styles' / 'furo.css'
    furo, css = scripts.joinpath('furo.js').read_text(encoding='utf-8'), styles.read_text(encoding='utf-8')
    importing = 'import Gumshoe from "./gumshoe-patched.js";'
    if furo.startswith(importing):
        gumshoe = scripts.joinpath('gumshoe-patched.js').read_text(encoding='utf-8')
        scripts.joinpath('furo.js').write_text(gumshoe + furo[len(importing):], encoding='utf-8')
        scripts.joinpath('gumshoe-patched.js').unlink()

    def imported(found):
        file = pathlib.Path('/usr/share' + found[1])
        return file.read_text(encoding='utf-8') if file.exists() else ''
    css = re.sub(r'@import url\((/javascript/[^)]+)\);?', imported, css)
    dark = re.search(r'body\[data-theme="dark"\]\s*(\{[^}]*--color[^}]*\})', css)
    if 'prefers-color-scheme' not in css and dark:
        css += f'\n@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark[1]} }}\n'
    styles.write_text(css, encoding='utf-8')


def finish_site(app, exception):
    """A web server asks for index.html; links between the pages lead to README.html, as the file is called."""
    if exception is None and app.builder.name == 'html':
        make_theme_whole(pathlib.Path(app.outdir, '_static'))
        front = pathlib.Path(app.outdir, root_doc + '.html').read_text(encoding='utf-8')
        pathlib.Path(app.outdir, 'index.html').write_text(front, encoding='utf-8')


def setup(app):
    app.connect('source-read', prepare)
    app.connect('build-finished', finish_site)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
