"""Makes an unpacked JDK run where it lies, also where it needs a newer libc than this machine has, or one of 32 bits.

Then its release's libraries lie in libc/ in the Java home, its programs in elf/, and in bin/ stand scripts in their place:

    exec bin/ld.so --library-path libc elf/java …

Why not a chroot or a mount namespace: they want a privilege, and agents, tools and tests would see other paths. Why ld.so is copied
into bin/: to the kernel it is the program that runs, and the Java launcher looks for its home beside /proc/self/exe. Why no
LD_LIBRARY_PATH: what the VM starts would inherit it, and run this machine's programs with another libc.
"""
import os
import pathlib
import re
import shutil
import subprocess

ELF = b"\x7fELF"
LOADERS = {"x86_64-linux-gnu": "ld-linux-x86-64.so.2", "i386-linux-gnu": "ld-linux.so.2"}  # by the folder of the libraries
SCRIPT = """\
#!/bin/sh
exec "${{0%/*}}/{loader}" --argv0 "$0" --inhibit-cache --library-path "${{0%/*}}/{libraries}" "${{0%/*}}/{program}" "$@"
"""
START_S = 60


class Unusable(Exception):
    """What is wrong with a Java home."""


def works(home):
    """Whether a whole JDK is there and runs."""
    try:
        return bool(version_of(home)) and all((home / "bin" / tool).exists() for tool in ("javac", "jcmd"))
    except Unusable:
        return False


def version_of(home):
    """As it says itself: 1.8.0_504, 21.0.13."""
    text = run(home / "bin" / "java", "-version")
    found = re.search(r'version "([^"]+)"', text)
    if not found:
        raise Unusable(f"java -version says {text[:200]!r}")
    return found[1]


def run(*words):
    try:
        done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False, timeout=START_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(str(error)) from error
    if done.returncode != 0:
        raise Unusable(f"{words[0]} ended with {done.returncode}: {done.stdout[:500]}")
    return done.stdout


def settle_links(home, root):
    """Debian keeps configuration files in /etc; here each goes where its link is. What is not in the packages is left out."""
    for link in [path for path in home.rglob("*") if path.is_symlink() and os.readlink(path).startswith("/")]:
        target = root / os.readlink(link).lstrip("/")
        link.unlink()
        if target.is_file():
            shutil.copyfile(target, link)


# --- libc ---------------------------------------------------------------------------------------------------------

def glibc_here():
    return version_pair(os.confstr("CS_GNU_LIBC_VERSION"))


def version_pair(text):
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", text).groups()))


def newest_glibc_needed(home):
    names = {name for path in elf_files(home) for name in re.findall(rb"GLIBC_(\d+\.\d+)", path.read_bytes())}
    return max(version_pair(name.decode()) for name in names)


def elf_files(home):
    return [path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink() and starts_with(path, ELF)]


def starts_with(path, magic):
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def is_program(path):
    """A program names its loader; a shared object need not."""
    named = any(f"/{loader}\0".encode() in path.read_bytes() for loader in LOADERS.values())
    return named and os.access(path, os.X_OK) and ".so" not in path.name


def use_libraries(home, root):
    """`root`: where libc and its like were unpacked."""
    libraries = home / "libc"
    libraries.mkdir()
    for path in sorted(root.rglob("*.so*")):
        if path.parent.name in LOADERS and not (libraries / path.name).exists():
            shutil.copy(path, libraries / path.name, follow_symlinks=True)
    programs = [path for path in elf_files(home) if is_program(path) and libraries not in path.parents]
    links = [path for path in home.rglob("*") if path.is_symlink() and path.resolve() in programs]
    moved = {path: move_to_elf(path, libraries) for path in programs}
    for path in programs:
        write_script(path, path, moved[path], libraries)
    for link in links:
        program = link.resolve()
        link.unlink()
        write_script(link, program, moved[program], libraries)


def move_to_elf(path, libraries):
    """One folder beside its own, as the libraries that it looks for relative to itself demand; the loader goes where it was."""
    folder = path.parent.parent / "elf"
    folder.mkdir(exist_ok=True)
    path.rename(folder / path.name)
    loader = next(libraries / name for name in LOADERS.values() if (libraries / name).exists())
    shutil.copy(loader, path.parent / "ld.so")
    return folder / path.name


def write_script(script, program, moved, libraries):
    here = script.parent
    script.write_text(SCRIPT.format(loader=os.path.relpath(program.parent / "ld.so", here), libraries=os.path.relpath(libraries, here),
                                    program=os.path.relpath(moved, here)))
    script.chmod(0o755)


# --- what installing would do -------------------------------------------------------------------------------------

def finish(home):
    """The class archive, where the release makes it on the spot, and the file `release`, which 8 has not; proves that tools run."""
    version = version_of(home)
    server = next(home.rglob("libjvm.so"), pathlib.Path()).parent
    if not list(server.glob("*.jsa")):
        run(home / "bin" / "java", "-Xshare:dump")
    if not (home / "release").exists():
        (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    run(home / "bin" / "javac", "-version")
    run(home / "bin" / "jcmd", "-l")
    return version
