#!/usr/bin/env python3
"""The rules for documents: sentences that can be read, words of the field, links and paths that lead somewhere."""
import fnmatch
import functools
import pathlib
import posixpath
import re
import unittest
import urllib.parse

import repository
from documents import CODE, Document

MAX_WORDS = 35

# What a sentence must not say, and what it says instead. Code spans and code blocks may say everything.
BANNED = [
    (r"told|tells?|telling", "reports, shows, says"),
    (r"nobody|somebody|whoever", "the subject itself: the agent, the user, no thread"),
    (r"rungs?", "capture method"),
    (r"patience", "deadline"),
    (r"errands?", "task, request"),
    (r"gat(?:e|es|ed|ing)", "assert, check"),
    (r"pictures?", "heap image; of what is seen: screenshot, diagram, figure"),
    (r"seed 000", "[Thesis], a key of docs/bibliography.md"),
]
BANNED = [(re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I), better) for words, better in BANNED]
# Works of others are cited by their keys.
WORKS = re.compile(r"\b(?:the|this|its) (?:thesis|dissertation|patent)\b", re.I)
KEY = re.compile(r"\b(?:Thesis|SAP|HeapRoots|Accounts|Patent)\b")

ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|approx|resp|No|p|pp|ca|incl|Dr|Inc)\.$")
SENTENCE_END = re.compile(rf"[.!?…][\"')\]”’»*]*(?=\s+[\"'(\[“‘«]*[A-Z0-9{CODE}])")
FREE_PATH = re.compile(r"[<>${}]|\.\.\.|…")   # a pattern for the reader to fill in


@functools.cache
def everything():
    """All files and folders of the repository."""
    names = set(repository.files())
    return names | {str(parent) for name in names for parent in pathlib.PurePosixPath(name).parents if str(parent) != "."}


@functools.cache
def top_folders():
    return {name.split("/")[0] for name in repository.files() if "/" in name}


def sentences(passage):
    """(offset, sentence) of each."""
    begin = 0
    for found in SENTENCE_END.finditer(passage):
        if not ABBREVIATION.search(passage[begin:found.start() + 1]):
            yield begin, passage[begin:found.end()]
            begin = found.end()
    yield begin, passage[begin:]


def words_in(sentence):
    """A code span is a word; of what is left, what has a letter or a digit."""
    return sum(max(word.count(CODE), any(map(str.isalnum, word))) for word in re.split(r"[\s—]+", sentence))


def long_sentences(document):
    for passage in document.passages:
        for offset, sentence in sentences(passage.text):
            if (words := words_in(sentence)) > MAX_WORDS:
                begin = offset + len(sentence) - len(sentence.lstrip())
                start = " ".join(sentence.replace(CODE, "`…`").split()[:6])
                yield passage.line + passage.text.count("\n", 0, begin), f"{words} words in a sentence, at most {MAX_WORDS}: {start} …"


def banned_words(document):
    for passage in document.passages:
        for pattern, better in BANNED:
            for found in pattern.finditer(passage.text):
                yield passage.line + passage.text.count("\n", 0, found.start()), f"\"{found[0]}\": say {better}"
        for offset, sentence in sentences(passage.text):
            if (found := WORKS.search(sentence)) and not KEY.search(sentence):
                yield passage.line + passage.text.count("\n", 0, offset + found.start()), f"\"{found[0]}\": cite a key of docs/bibliography.md"


def broken_links(document, name, anchors_of=lambda name: read(name).anchors):
    for link in document.links:
        if wrong := what_is_wrong_with(link.target, document, name, anchors_of):
            yield link.line, f"link {link.target}: {wrong}"


def what_is_wrong_with(target, document, name, anchors_of):
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("http", "https", "mailto"):
        return None
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return "not relative"
    path, anchor = urllib.parse.unquote(parts.path), urllib.parse.unquote(parts.fragment)
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if whole not in (".", name) and whole not in everything():
        return f"there is no {whole}"
    if not anchor:
        return None
    if whole.endswith(".md"):
        return anchor not in (document.anchors if whole == name else anchors_of(whole)) and f"no heading #{anchor} there"
    return not re.fullmatch(r"L\d+(-L\d+)?", anchor) and "an anchor of what has no headings"


def missing_paths(document, name):
    for line, code in document.codes:
        for word in code.split():
            if (path := path_in(word)) and not exists(path, posixpath.dirname(name)):
                yield line, f"`{path}`: there is no such file"


def path_in(word):
    """dir/file.ext of a known top folder, or dir/."""
    path = re.sub(r"(:\d+(-\d+)?)?[,;.:)]*$", "", word.removeprefix("./"))
    if FREE_PATH.search(path) or not re.fullmatch(r"[\w.\-*?\[\]]+(/[\w.\-*?\[\]]+)*(/|/[\w\-*?\[\]]*\.[\w*]+)", path):
        return None
    return path if path.split("/")[0] in top_folders() else None


def exists(path, folder):
    """From the root, or from where the document stands."""
    both = (path.rstrip("/"), posixpath.join(folder, path.rstrip("/")))
    if re.search(r"[*?\[]", path):
        return any(fnmatch.filter(everything(), pattern) for pattern in both)
    return any(one in everything() for one in both)


@functools.cache
def read(name):
    return Document(repository.text(name))


def complaints(document, name):
    return sorted({*long_sentences(document), *banned_words(document), *broken_links(document, name), *missing_paths(document, name)})


class Documents(unittest.TestCase):
    def test_documents_keep_the_rules(self):
        names = [name for name in repository.files() if name.endswith(".md")]
        self.assertIn("README.md", names)
        found = [f"{name}:{line}: {wrong}" for name in names for line, wrong in complaints(read(name), name)]
        self.assertEqual(len(found), 0, "\n" + "\n".join(found))


class Rules(unittest.TestCase):
    """Each rule refuses what it is for, and nothing else."""

    def lines(self, rule, source, *words):
        return [line for line, _ in rule(Document(source), *words)]

    def test_a_long_sentence_is_refused_wherever_it_stands(self):
        long = "word " * MAX_WORDS + "end."
        for source in (long, f"# {long}", f"- {long}", f"> {long}", f"| a |\n|---|\n| {long} |", f"![{long}](a.png)", f"Short one. {long}"):
            self.assertEqual(len(self.lines(long_sentences, source)), 1, source)

    def test_what_may_be_long(self):
        most = "word " * (MAX_WORDS - 1) + "end."
        for source in (most, f"{most} {most.title()}", f"```\n{most} {most}\n```", f"    {most} {most}", f"{most}\n\n{most}",
                       "`" + "a b " * MAX_WORDS + "` is one.", "word " * (MAX_WORDS - 2) + "(`a b`) — end."):
            self.assertEqual(self.lines(long_sentences, source), [], source)

    def test_where_a_sentence_ends(self):
        for passage, count in (("One. Two? Three!", 3), ("Version 1.2 of a.b.", 1), ("See e.g. Java, i.e. HotSpot.", 1), ("(One.) Two.", 2),
                               (f"One. {CODE} is two.", 2), ("It ends in etc. and goes on.", 1), ("One: two; three.", 1)):
            self.assertEqual(len(list(sentences(passage))), count, passage)

    def test_a_sentence_is_named_by_its_own_line(self):
        self.assertEqual(self.lines(long_sentences, "One.\nTwo.\n" + "Word " * (MAX_WORDS + 1) + "end."), [3])
        self.assertEqual(self.lines(banned_words, "a\n\n- One\n  two\n  told\n"), [5])

    def test_code_spans_side_by_side_are_words_each(self):
        self.assertEqual(words_in(f"{CODE}/{CODE} and {CODE}s"), 4)

    def test_a_banned_word_is_refused(self):
        for word in ("told", "Tells", "tell", "nobody", "nobody's", "somebody", "whoever", "rung", "rungs", "patience", "errand", "gate", "picture"):
            self.assertEqual(self.lines(banned_words, f"So **{word}** it is."), [1], word)
            self.assertEqual(self.lines(banned_words, f"![{word}](a.png)"), [1], word)
            self.assertEqual(self.lines(banned_words, f"| a | b |\n|---|---|\n| c | {word} |"), [3], word)

    def test_words_that_only_look_like_it(self):
        self.assertEqual(self.lines(banned_words, "`told` a teller, a wrung cloth, an aggregate, `rung`\n\n```\ntold\n```\n"), [])

    def test_a_work_needs_its_key(self):
        self.assertEqual(self.lines(banned_words, "As the thesis has it."), [1])
        self.assertEqual(self.lines(banned_words, "As the thesis has it [Thesis]. As [Thesis](a.md), the thesis, has it. It is `the thesis`."), [])

    def test_a_link_that_leads_nowhere_is_refused(self):
        for target in ("no_such.md", "docs/no_such.png", "#no-such", "README.md#no-such", "../README.md", "/README.md", "dev#no-such", "file:README.md"):
            for source in (f"[a]({target})", f"![a]({target})", f'<img src="{target}">', f"[a][b]\n\n[b]: {target}"):
                self.assertEqual(self.lines(broken_links, source, "some.md", lambda name: set()), [1], source)

    def test_a_link_that_leads_somewhere(self):
        source = ("# One `two`: three-four_5!\n\n# Again\n\n# Again\n\n<a id=\"own\"></a>[a](#one-two-three-four_5) [b](#again-1) [c](#own) "
                  "[d](dev#L1) [e](tests) [f](tests/house/) [g](https://example.org/x) [h](README.md#x)\n")
        self.assertEqual(self.lines(broken_links, source, "some.md", lambda name: {"x"}), [])
        self.assertEqual(self.lines(broken_links, "[a](../../README.md) [b](prose_test.py)", "tests/house/some.md"), [])

    def test_a_path_that_is_not_there_is_refused(self):
        for path in ("tests/house/no_such.py", "tests/no_such/", "./tests/no_such.py", "tests/*_none.py", "tests/house/no_such.py:12"):
            self.assertEqual(self.lines(missing_paths, f"One\n`run {path}` two", "README.md"), [2], path)

    def test_what_is_no_path_of_the_repository(self):
        for code in ("tests/house/prose_test.py", "tests/house/prose_test.py:12,", "tests/house/", "tests/house/*_test.py", "tests/<name>/a.py",
                     "no_such/file.h", "application/json", "build/release/holdfast", "tests/jdks/fetch"):
            self.assertEqual(self.lines(missing_paths, f"`{code}`", "README.md"), [], code)
        self.assertEqual(self.lines(missing_paths, "`tests/house/prose_test.py`", "docs/guide/some.md"), [])


if __name__ == "__main__":
    unittest.main()
