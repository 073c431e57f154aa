"""Hooks of mkdocs: pages are rendered as GitHub renders them, and the navigation follows the documents' own links.

mkdocs would read the pages by rules of its own (lists, anchors); markdown-it reads CommonMark as GitHub does.
"""
import pathlib
import posixpath
import re
import sys

from markdown.extensions import Extension

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "house"))
from documents import PARSER, Document, github_slug, plain_text  # noqa: E402

# The sections, each with the folder whose pages it has; what stands in no such folder comes last.
SECTIONS = {"Guide": "docs/guide", "Reference": "docs/reference", "Design": "docs/design", "Decisions": "docs/decisions"}
PROJECT = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]


def on_config(config):
    config["nav"] = navigation(pathlib.Path(config["docs_dir"]))
    config["markdown_extensions"] = [AsGitHub(), *config["markdown_extensions"]]
    return config


def on_page_content(html, page, config, files):
    """Links to documents and to folders lead to their pages."""
    folder = posixpath.dirname(page.file.src_path)
    return re.sub(r'(<a [^>]*?href=")([^"]*)"', lambda found: f'{found[1]}{target(found[2], folder, config["docs_dir"])}"', html)


def target(href, folder, root):
    path, mark, anchor = href.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return href
    if pathlib.Path(root, folder, path).is_dir():
        path = posixpath.join(path, "README.md")
    return re.sub(r"(^|/)README\.html$", r"\1index.html", re.sub(r"\.md$", ".html", path)) + mark + anchor


# ---- navigation

def navigation(root):
    pages = {str(path.relative_to(root)): Document(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.md"))}
    titles = {name: document.title or name for name, document in pages.items()}
    left = dict.fromkeys(pages)

    def take(names):
        return [{titles[name]: name} for name in names if name in left and left.pop(name, True) is None]

    nav = [{"holdfast": "README.md"}]
    del left["README.md"]
    for section, folder in SECTIONS.items():
        nav.append({section: take([f"{folder}/README.md", *in_order(folder, pages)])})
    project = take(PROJECT)
    nav.insert(1, {"Documents": take(name for name in pages if posixpath.dirname(name) == "docs")})
    nav += [{"Project": project}, {"Folders": [{name.removesuffix("/README.md"): name} for name in left]}]
    return [section for section in nav if list(section.values()) != [[]]]


def in_order(folder, pages):
    """A folder's pages, as its own page and the page of docs/ link them; then the others by name."""
    linked = []
    for index in (f"{folder}/README.md", "docs/index.md", "docs/README.md"):
        if index in pages:
            paths = (link.target.partition("#")[0] for link in pages[index].links)
            linked += (posixpath.normpath(posixpath.join(posixpath.dirname(index), path)) for path in paths)
    within = [name for name in pages if posixpath.dirname(name) == folder]
    return [*(name for name in linked if name in within), *within]


# ---- rendering

class AsGitHub(Extension):
    def extendMarkdown(self, md):
        md.convert = lambda source: convert(md, source)


def convert(md, source):
    tokens = PARSER.parse(source)
    md.toc_tokens, used = [], set()
    for opening, inline in zip(tokens, tokens[1:]):
        if opening.type == "heading_open":
            title = plain_text(inline.children)
            anchor = unused(github_slug(title), used)
            opening.attrSet("id", anchor)
            add_to_contents(md.toc_tokens, {"level": int(opening.tag[1]), "id": anchor, "name": title, "children": []})
    return PARSER.renderer.render(tokens, PARSER.options, {})


def unused(slug, used):
    anchor, again = slug, 0
    while anchor in used:
        again += 1
        anchor = f"{slug}-{again}"
    used.add(anchor)
    return anchor


def add_to_contents(contents, entry):
    while contents and contents[-1]["level"] < entry["level"]:
        contents = contents[-1]["children"]
    contents.append(entry)
