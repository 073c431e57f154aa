"""Memory that the host gives quickly: a virtual machine's may take back what is free, and be slow to give it again. Standard library only."""
import mmap

TOUCHED_BYTES = 1536 << 20


def touch_memory():
    with mmap.mmap(-1, TOUCHED_BYTES) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, TOUCHED_BYTES, mmap.PAGESIZE):
            memory[at] = 1
