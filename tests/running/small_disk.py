"""A file system with hardly any room, for as long as a block lasts. Standard library only."""
import contextlib
import subprocess
import unittest


@contextlib.contextmanager
def small_disk(directory, size):
    """size: as mount takes it, '64k'. A SkipTest where nothing can be mounted."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        raise unittest.SkipTest(f"no small file system can be mounted: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", directory], check=True)
