#!/usr/bin/env python3
"""embed_page.py NAME SCRIPT STYLE METAFILE OUT: both files as a PageAssets constant in C++, with the hashes that the page's policy
names, and the licences of what esbuild's METAFILE says is in the script in front of it, because each page is a copy.

The hash is of the very text between the tags, so that text is taken as it is; what would end its element early is refused."""
import base64
import hashlib
import json
import pathlib
import re
import sys

LINE_BYTES = 24


def source_hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode()


def packages(metafile):
    """The folder of each package that esbuild took something from: below node_modules, or Debian's /usr/share/nodejs."""
    outputs = json.loads(pathlib.Path(metafile).read_text())["outputs"].values()
    inputs = {path for output in outputs for path, part in output["inputs"].items() if part["bytesInOutput"] > 0}
    found = {match.group() for path in inputs
             if (match := re.match(r".*/(node_modules|usr/share/nodejs)/(@[^/]+/)?[^/]+", path))}
    return sorted(map(pathlib.Path, found))


DEBIAN_DOCS = pathlib.Path("/usr/share/doc")


def paragraphs(text):
    """Of a copyright file as Debian has them: the fields of each paragraph, continued lines without what marks them."""
    found = []
    for part in re.split(r"\n{2,}", text):
        fields = re.findall(r"^(\S+):[ \t]*(.*(?:\n[ \t].*)*)", part, re.M)
        found.append({name: "\n".join("" if line.strip() == "." else line.strip() for line in value.split("\n"))
                      for name, value in fields})
    return found


def debian_licence(name):
    """Of the package itself, or of one whose package brings this one along (node-d3-array: internmap)."""
    own = DEBIAN_DOCS / f"node-{name}" / "copyright"
    files = [own] if own.exists() else sorted(DEBIAN_DOCS.glob("node-*/copyright"))
    for file in files:
        all_of_it = paragraphs(file.read_text())
        wanted = "*" if file == own else f"{name}/*"
        for one in all_of_it:
            if wanted in one.get("Files", "").split():
                kind, _, terms = one["License"].partition("\n")
                terms = terms or next(other["License"].partition("\n")[2] for other in all_of_it
                                      if "Files" not in other and other.get("License", "").partition("\n")[0].lower() == kind.lower())
                owner = re.sub(r"\s*[<(]\S+[>)]", "", one["Copyright"])  # without addresses: the page names no other place
                return "Copyright " + " ".join(owner.split()), terms
    sys.exit(f"embed_page: no licence of {name} found in {DEBIAN_DOCS}")


def licence(package):
    """(copyright, terms): of npm's package its LICENSE, of Debian's what its copyright file says."""
    if (package / "LICENSE").exists():
        return (package / "LICENSE").read_text().strip().split("\n", 1)
    return debian_licence(package.name)


def licences(metafile):
    """As one comment; what several packages say word for word but for the line with the copyright, once."""
    owners = {}
    for package in packages(metafile):
        owner, terms = licence(package)
        owners.setdefault(terms.strip(), []).append(f"{package.name}: {owner}")
    texts = ["\n".join(names) + "\n\n" + terms for terms, names in owners.items()]
    return ("/*!\n" + "\n\n".join(texts) + "\n*/\n").encode() if texts else b""


def checked(path, before=b""):
    text = before + pathlib.Path(path).read_bytes()
    if found := re.search(rb"</(script|style)|<!--|\r", text, re.I):
        sys.exit(f"embed_page: {path}: {found.group()!r} would end its element early or be changed by the parser")
    return text


def array(name, text):
    lines = (text[at:at + LINE_BYTES] for at in range(0, len(text), LINE_BYTES))
    rows = "\n".join("  " + "".join(f"{byte}," for byte in line) for line in lines)
    return f"constexpr unsigned char {name}[] = {{\n{rows}\n}};\n"


def main(name, script, style, metafile, out):
    script, style = checked(script, licences(metafile)), checked(style)
    view = "{{reinterpret_cast<const char*>({0}), sizeof {0}}}".format
    pathlib.Path(out).write_text(
        '#include "cli/html/html_page.h"\n\nnamespace holdfast::cli {\nnamespace {\n'
        + array("kScript", script) + array("kStyle", style) + "}  // namespace\n\n"
        + f"const PageAssets {name}{{{view('kScript')}, \"{source_hash(script)}\",\n"
        + f"    {view('kStyle')}, \"{source_hash(style)}\"}};\n\n}}  // namespace holdfast::cli\n")


main(*sys.argv[1:])
