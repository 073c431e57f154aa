"""A filter of system calls, as container runtimes set them: no further process, threads as ever. For preexec of a process to be started."""
import ctypes
import errno
import platform

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
CLONE_VM = 0x100  # threads, vfork and posix_spawn share the memory; what copies it does not
# The machine's number in the filter's data, and its calls: clone, clone3, fork (None: there is none).
MACHINES = {"x86_64": (0xC000003E, 56, 435, 57), "aarch64": (0xC00000B7, 220, 435, None)}
LOAD, EQUAL, BITS, RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: load word, jump if equal, jump if any bit, return
NR, ARCH, FIRST_ARGUMENT = 0, 4, 16  # struct seccomp_data


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("then", ctypes.c_ubyte), ("otherwise", ctypes.c_ubyte), ("value", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Instruction))]


def filter_of(machine):
    arch, clone, clone3, fork = MACHINES[machine]
    refused, unknown = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS  # libc falls back from clone3 to clone on ENOSYS
    lines = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, arch), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, NR),
             (EQUAL, 0, 1, clone3), (RETURN, 0, 0, unknown)]
    if fork is not None:
        lines += [(EQUAL, 0, 1, fork), (RETURN, 0, 0, refused)]
    lines += [(EQUAL, 1, 0, clone), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, FIRST_ARGUMENT),
              (BITS, 0, 1, CLONE_VM), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, refused)]
    return [Instruction(*line) for line in lines]


LIBC = ctypes.CDLL(None, use_errno=True)


def forbid_children():
    """In the process that is to be filtered, before exec."""
    instructions = filter_of(platform.machine())
    program = Program(len(instructions), (Instruction * len(instructions))(*instructions))
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")
