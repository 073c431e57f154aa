#!/usr/bin/env python3
"""embed_page.py NAME SCRIPT STYLE OUT: both files as a PageAssets constant in C++, with the hashes that the page's policy names.

The hash is of the very text between the tags, so that text is taken as it is; what would end its element early is refused."""
import base64
import hashlib
import pathlib
import re
import sys

LINE_BYTES = 24


def source_hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode()


def checked(path):
    text = pathlib.Path(path).read_bytes()
    if found := re.search(rb"</(script|style)|<!--|\r", text, re.I):
        sys.exit(f"embed_page: {path}: {found.group()!r} would end its element early or be changed by the parser")
    return text


def array(name, text):
    lines = (text[at:at + LINE_BYTES] for at in range(0, len(text), LINE_BYTES))
    rows = "\n".join("  " + "".join(f"{byte}," for byte in line) for line in lines)
    return f"constexpr unsigned char {name}[] = {{\n{rows}\n}};\n"


def main(name, script, style, out):
    script, style = checked(script), checked(style)
    view = "{{reinterpret_cast<const char*>({0}), sizeof {0}}}".format
    pathlib.Path(out).write_text(
        '#include "cli/html/html_page.h"\n\nnamespace holdfast::cli {\nnamespace {\n'
        + array("kScript", script) + array("kStyle", style) + "}  // namespace\n\n"
        + f"const PageAssets {name}{{{view('kScript')}, \"{source_hash(script)}\",\n"
        + f"    {view('kStyle')}, \"{source_hash(style)}\"}};\n\n}}  // namespace holdfast::cli\n")


main(*sys.argv[1:])
