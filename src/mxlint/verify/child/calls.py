"""Where a process cannot have numbers of its own: the kernel refuses it the calls that reach other processes of the user, or out of the box.

Setting the limits of oneself is none of them. What is left is to choose the cores of another process.
"""

from __future__ import annotations

import ctypes
import os
import struct

FORBIDDEN = {
    # audit number of the machine; prlimit64; setpriority, sched_setscheduler, sched_setparam, sched_setattr, ioprio_set, chroot, ptrace,
    # process_vm_readv, process_vm_writev, mount, umount2, pivot_root, setns, unshare, migrate_pages, move_pages, kcmp
    "x86_64": (0xC000003E, 302, (141, 144, 142, 314, 251, 161, 101, 310, 311, 165, 166, 155, 308, 272, 256, 279, 312)),
    "aarch64": (0xC00000B7, 261, (140, 119, 118, 274, 30, 51, 117, 270, 271, 40, 39, 41, 268, 97, 238, 239, 272)),
}
EVERYWHERE = (424, 438)
"""pidfd_send_signal and pidfd_getfd, the same on every architecture."""
OTHER_CONVENTION = 1 << 30
SET_SECCOMP, FILTER = 22, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # with EPERM
LOAD, EQUAL, AT_LEAST, GIVE = 0x20, 0x15, 0x35, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16


def forbid() -> bool:
    """Whether the kernel does so from now on, for this process and all that it starts. They must not be able to get new rights."""
    known = FORBIDDEN.get(os.uname().machine)
    if known is None:
        return False
    machine, limit, others = known
    program = [
        (LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine), (GIVE, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_CONVENTION), (GIVE, 0, 0, REFUSE),
        (EQUAL, 0, 4, limit), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, 0), (GIVE, 0, 0, REFUSE), (GIVE, 0, 0, ALLOW),
    ]  # fmt: skip
    for number in (*others, *EVERYWHERE):
        program += [(EQUAL, 0, 1, number), (GIVE, 0, 0, REFUSE)]
    code = b"".join(struct.pack("HBBI", *step) for step in (*program, (GIVE, 0, 0, ALLOW)))
    buffer = ctypes.create_string_buffer(code, len(code))
    head = ctypes.create_string_buffer(struct.pack("HP", len(code) // 8, ctypes.addressof(buffer)))
    return bool(ctypes.CDLL(None).prctl(SET_SECCOMP, FILTER, head, 0, 0) == 0)
