"""Markdown as the tests of this room read it: passages with their lines, links, headings and the anchors GitHub makes of them."""
import dataclasses
import re

from markdown_it import MarkdownIt

CODE = "\ue000"   # stands in a passage for a code span
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
PARSER.validateLink = lambda target: True   # else a link with a bad scheme is text


@dataclasses.dataclass
class Passage:
    """The text of a paragraph, heading, list item or table cell; a line of it is a line of the file."""
    line: int
    text: str


@dataclasses.dataclass
class Link:
    line: int
    target: str


class Document:
    def __init__(self, source):
        self.passages, self.links, self.codes, self.anchors, self.title = [], [], [], set(), None
        heading = False
        for token in PARSER.parse(source):
            if token.type == "heading_open":
                heading = True
            elif token.type == "inline":
                self._read(token.children, token.map[0] + 1)
                if heading:
                    self.title = self.title or plain_text(token.children)
                    self._add_anchor(plain_text(token.children))
                heading = False
            elif token.type == "html_block":
                self._read_html(token.content, token.map[0] + 1)

    def _read(self, tokens, line):
        words, passage = [], Passage(line, "")
        for token in tokens:
            if token.type in ("softbreak", "hardbreak"):
                words.append("\n")
                line += 1
            elif token.type == "code_inline":
                words.append(CODE)
                self.codes.append((line, token.content))
            elif token.type == "image":
                self.links.append(Link(line, token.attrs["src"]))
                self.passages.append(Passage(line, token.content))
            elif token.type == "link_open":
                self.links.append(Link(line, token.attrs["href"]))
            elif token.type == "html_inline":
                self._read_html(token.content, line)
            else:
                words.append(token.content)
        passage.text = "".join(words)
        self.passages.append(passage)

    def _read_html(self, html, line):
        self.anchors.update(re.findall(r"""\b(?:id|name)=["']([^"']+)""", html))
        self.links += (Link(line, target) for target in re.findall(r"""\b(?:href|src|srcset)=["']([^"'\s]+)""", html))

    def _add_anchor(self, heading):
        slug, again = github_slug(heading), 0
        anchor = slug
        while anchor in self.anchors:
            again += 1
            anchor = f"{slug}-{again}"
        self.anchors.add(anchor)


def plain_text(tokens):
    return "".join(token.content for token in tokens if token.type in ("text", "code_inline"))


def github_slug(heading, separator="-"):
    """The anchor that GitHub makes of a heading, and docs/ after it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)
