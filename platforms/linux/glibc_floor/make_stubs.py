#!/usr/bin/env python3
"""Stand-ins for libc and libm to link against, that know no symbol version above a floor.

Linked on Debian 12 the plain way, the agent asks for GLIBC_2.34 and shuts out many servers, although
nearly every function it uses existed long before: the linker takes the newest version of each symbol.
`.symver` in our sources would not reach the objects inside libstdc++.a or libzstd.a. So the agent is
linked against these stubs. Each carries the real library's name and symbols; each symbol has the newest
version at or below the floor, as on a system of that age. What is newer is left out: using it fails
the link, and newer_symbols.cpp may then offer a stand-in.

Usage: make_stubs.py FLOOR FOLDER COMPILER [FLAG...]
"""
import pathlib
import re
import subprocess
import sys

SYMBOL = re.compile(r"^\s*\d+:\s+\S+\s+(\d+)\s+(FUNC|IFUNC|OBJECT|NOTYPE)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(?:\d+|ABS)\s+(\w+)@+GLIBC_([\d.]+)$", re.M)


def number(version):
    return tuple(map(int, version.split(".")))


def symbols_at(library, floor):
    """name -> (version, type, bytes), each with the newest version that is not above the floor."""
    chosen = {}
    table = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    for size, kind, name, version in SYMBOL.findall(table):
        if number(version) <= floor and (name not in chosen or number(version) > number(chosen[name][0])):
            chosen[name] = (version, kind, int(size))
    return chosen


def assembly(symbols):
    yield ".bss"
    for index, (name, (version, kind, size)) in enumerate(sorted(symbols.items())):
        elf_type = "@object" if kind == "OBJECT" else "@function"
        yield f".globl stub_{index}\n.type stub_{index}, {elf_type}\n.size stub_{index}, {size}"
        yield f"stub_{index}: .skip {max(size, 1) if kind == 'OBJECT' else 1}"
        yield f".symver stub_{index}, {name}@@GLIBC_{version}, remove"
    yield '.section .note.GNU-stack,"",%progbits'


def version_script(symbols):
    versions = sorted({version for version, _, _ in symbols.values()}, key=number)
    return "".join(f"GLIBC_{version} {{ }};\n" for version in versions)


def real_library(compiler, soname):
    return subprocess.run([*compiler, f"-print-file-name={soname}"], check=True, capture_output=True, text=True).stdout.strip()


def loader_of(library):
    """The dynamic loader's name differs by CPU; libc names it. It holds __tls_get_addr."""
    dynamic = subprocess.run(["readelf", "-W", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"\(NEEDED\).*\[(ld-[^\]]+)\]", dynamic).group(1)


def make_stub(compiler, soname, floor, folder):
    real = real_library(compiler, soname)
    symbols = symbols_at(real, floor)
    source, script = folder / f"{soname}.s", folder / f"{soname}.map"
    source.write_text("\n".join(assembly(symbols)) + "\n")
    script.write_text(version_script(symbols))
    subprocess.run([*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", f"-Wl,--version-script,{script}",
                    "-o", folder / soname, source], check=True)


def main(floor, folder, *compiler):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    loader = loader_of(real_library(compiler, "libc.so.6"))
    for soname in ("libc.so.6", "libm.so.6", loader):
        make_stub(compiler, soname, number(floor), folder)
    # What -lc and -lm mean: the stubs, and the part of libc that is always linked in (atexit and the like).
    (folder / "libc.so").write_text(f"INPUT(libc.so.6 -lc_nonshared AS_NEEDED({loader}))\n")
    (folder / "libm.so").write_text("INPUT(AS_NEEDED(libm.so.6))\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
