"""Deeds that no experiment may do, in Python and as bare system calls, and a program that tries them all and says what came of each."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from mxlint.verify.child.syscalls import MACHINES, NUMBERS


@dataclass(frozen=True, slots=True)
class Deed:
    """`text`: an expression that does it; it is refused if this raises or is negative. `kinds`: what it may be called then; none where the
    kernel refuses it without a word. `hook`: whether Python refuses it by itself."""

    text: str
    kinds: tuple[str, ...] = ()
    hook: bool = False


def python(text: str, *kinds: str) -> Deed:
    return Deed(text, kinds, hook=True)


def bare(name: str, arguments: str, *kinds: str) -> Deed:
    """A system call by its name."""
    return Deed(f"call({name!r}, {arguments})", kinds)


CPUS = "bytes([1]) + bytes(127)"
METADATA, WRITE, SOCKET, OTHER = "metadata", "write", "socket", "other process"

DEEDS: dict[str, Deed] = {
    # Metadata, by path, by descriptor and by folder.
    "chmod": python("os.chmod('{outside}/victim', 0o777)", METADATA),
    "chmod in a folder": python("os.chmod('victim', 0o777, dir_fd=folder)", METADATA),
    "chmod of the project": python("os.chmod('{project}', 0)", METADATA),
    "fchmod": python("os.chmod(opened, 0o777)", METADATA),
    "chown": python("os.chown('{outside}/victim', 12, 12)", METADATA),
    "chown in a folder": python("os.chown('victim', 12, 12, dir_fd=folder)", METADATA),
    "utime": python("os.utime('{outside}/victim', (1, 1))", METADATA),
    "utime in a folder": python("os.utime('victim', (1, 1), dir_fd=folder)", METADATA),
    "utime of a descriptor": python("os.utime(opened, (1, 1))", METADATA),
    "setxattr": python("os.setxattr('{outside}/victim', 'user.x', b'1')", METADATA),
    "removexattr": python("os.removexattr('{outside}/victim', 'user.kept')", METADATA),
    "copystat": python("__import__('shutil').copystat('.', '{outside}/victim')", METADATA),
    "flags": python("__import__('fcntl').ioctl(opened, 0x40086602, bytes([0x40, 0, 0, 0, 0, 0, 0, 0]))", METADATA),
    "bare chmod": bare("chmod", "b'{outside}/victim', 0o777", METADATA),
    "bare fchmod": bare("fchmod", "opened, 0o777", METADATA),
    "bare fchmodat": bare("fchmodat", "folder, b'victim', 0o777", METADATA),
    "bare fchmodat2": bare("fchmodat2", "folder, b'victim', 0o777, 0", METADATA),
    "bare chown": bare("chown", "b'{outside}/victim', 12, 12", METADATA),
    "bare fchown": bare("fchown", "opened, 12, 12", METADATA),
    "bare fchownat": bare("fchownat", "folder, b'victim', 12, 12, 0", METADATA),
    "bare utime": bare("utime", "b'{outside}/victim', bytes(16)", METADATA),
    "bare utimes": bare("utimes", "b'{outside}/victim', bytes(32)", METADATA),
    "bare utimensat": bare("utimensat", "-100, b'{outside}/victim', bytes(32), 0", METADATA),
    "bare futimens": bare("utimensat", "opened, 0, bytes(32), 0", METADATA),
    "bare setxattr": bare("setxattr", "b'{outside}/victim', b'user.x', b'1', 1, 0", METADATA),
    "bare lsetxattr": bare("lsetxattr", "b'{outside}/victim', b'user.x', b'1', 1, 0", METADATA),
    "bare fsetxattr": bare("fsetxattr", "opened, b'user.x', b'1', 1, 0", METADATA),
    "bare removexattr": bare("removexattr", "b'{outside}/victim', b'user.kept'", METADATA),
    "bare flags": bare("ioctl", "opened, 0x40086602, bytes([0x40, 0, 0, 0, 0, 0, 0, 0])", METADATA),
    "bare verity": bare("ioctl", "opened, 0x40806685, bytes(128)", METADATA),
    "bare file_setattr": bare("file_setattr", "-100, b'{outside}/victim', bytes(24), 24, 0", METADATA),
    # Files outside.
    "write": python("open('{outside}/new', 'w')", WRITE),
    "append": python("open('{outside}/victim', 'a')", WRITE),
    "write in a folder": python("os.open('new', os.O_WRONLY | os.O_CREAT, dir_fd=folder)", WRITE),
    "write by a link": python("os.symlink('{outside}/victim', 'link') or open('link', 'a')", WRITE),
    "remove": python("os.remove('{outside}/victim')", WRITE),
    "remove in a folder": python("os.remove('victim', dir_fd=folder)", WRITE),
    "rename in a folder": python("os.rename('victim', 'stolen', src_dir_fd=folder)", WRITE),
    "link": python("os.link('{outside}/victim', 'hard')", WRITE),
    "make a folder": python("os.mkdir('{outside}/new')", WRITE),
    "truncate": python("os.truncate('{outside}/victim', 0)", WRITE),
    "mx.save": python("mx.save('{outside}/new.npy', mx.zeros(1))", WRITE),
    "mx.savez": python("mx.savez('{outside}/new.npz', mx.zeros(1))", WRITE),
    "mx.save_safetensors": python("mx.save_safetensors('{outside}/new.safetensors', {{'a': mx.zeros(1)}})", WRITE),
    "mx.save_gguf": python("mx.save_gguf('{outside}/new.gguf', {{'a': mx.zeros(1)}})", WRITE),
    "mx.export_function": python("mx.export_function('{outside}/new.mlxfn', lambda x: x, mx.zeros(1))", WRITE),
    "mx.export_to_dot": python("mx.export_to_dot('{outside}/new.dot', mx.zeros(1) + 1)", WRITE),
    "sqlite3": python("__import__('sqlite3').connect('{outside}/new.db').execute('create table a (b)')", "database"),
    "dbm": python("__import__('dbm.gnu').gnu.open('{outside}/new.gdbm', 'c')", "database"),
    "mkfifo": python("os.mkfifo('{outside}/fifo')", "special file"),
    "mkfifo in a folder": python("os.mkfifo('fifo', dir_fd=folder)", "special file"),
    "mknod": python("os.mknod('{outside}/node', 0o100644)", "special file"),
    "bare open": bare("open", "b'{outside}/new', 0o101, 0o644", WRITE),
    "bare openat": bare("openat", "folder, b'victim', 0o1, 0", WRITE),
    "bare creat": bare("creat", "b'{outside}/new', 0o644", WRITE),
    "bare truncate": bare("truncate", "b'{outside}/victim', 0", WRITE),
    "bare rename": bare("rename", "b'{outside}/victim', b'stolen'", WRITE),
    "bare renameat2": bare("renameat2", "folder, b'victim', -100, b'stolen', 0", WRITE),
    "bare link": bare("link", "b'{outside}/victim', b'hard'", WRITE),
    "bare unlink": bare("unlink", "b'{outside}/victim'", WRITE),
    "bare unlinkat": bare("unlinkat", "folder, b'victim', 0", WRITE),
    "bare mkdir": bare("mkdir", "b'{outside}/new', 0o755", WRITE),
    "bare mknod": bare("mknod", "b'{outside}/fifo', 0o10644, 0", "special file"),
    "a device": bare("mknodat", "-100, b'disk', 0o60644, 0x801", "special file"),
    "beside its folder": bare("open", "b'../job.json', 0o1, 0", WRITE),
    "its own program": bare("unlink", "b'../program/program.py'", WRITE),
    "shm of POSIX": bare("open", "b'/dev/shm/mxlint-was-here', 0o102, 0o600", WRITE),
    "memory of another": bare("openat", "-100, b'/proc/{parent}/mem', 2, 0", WRITE),
    # Files without a name in a folder.
    "memfd": python("os.memfd_create('x')", "memory file"),
    "bare memfd": bare("memfd_create", "b'x', 0", "memory file"),
    "shared pages": Deed("__import__('mmap').mmap(-1, 1 << 20)", ("memory file",)),
    # Sockets.
    "TCP": python("__import__('socket').create_connection(('127.0.0.1', {port}), 1)", SOCKET),
    "UDP": python("__import__('socket').socket(2, 2).sendto(b'x', ('127.0.0.1', {port}))", SOCKET),
    "a path socket": python("__import__('socket').socket(1, 1).connect('{outside}/socket')", SOCKET),
    "a path socket bound": python("__import__('socket').socket(1, 1).bind('bound')", SOCKET),
    "a name looked up": python("__import__('socket').getaddrinfo('localhost', 80)", SOCKET),
    "syslog": python("__import__('syslog').syslog('mxlint')", SOCKET),
    **{
        f"bare socket {family}, {kind}": bare("socket", f"{family}, {kind}, 0", SOCKET)
        for family, kind in ((2, 1), (2, 2), (2, 3), (10, 1), (10, 2), (16, 3), (17, 3), (40, 1), (1, 2), (1, 5), (38, 5), (31, 3))
    },
    "bare path socket": Deed("call('connect', call('socket', 1, 1, 0), address, len(address))", ("connection",)),
    "bare name socket": Deed("call('connect', call('socket', 1, 1, 0), bytes([1, 0, 0]) + b'x', 4)", ("connection",)),
    "bare bind": Deed("call('bind', call('socket', 1, 1, 0), bytes([1, 0]) + b'bound' + bytes(1), 8)", (SOCKET,)),
    "bare socketpair": bare("socketpair", "1, 2, 0, bytes(8)", SOCKET),
    # Memory shared with others, keys, and what the kernel has for the few.
    "bare shmget": bare("shmget", "{key}, 1 << 20, 0o1666", "shared memory"),
    "bare semget": bare("semget", "{key}, 3, 0o1666", "shared memory"),
    "bare msgget": bare("msgget", "{key}, 0o1666", "shared memory"),
    "bare mq_open": bare("mq_open", "b'mxlint_was_here', 0o102, 0o600, 0", "shared memory"),
    "shared memory": python("__import__('multiprocessing.shared_memory').shared_memory.SharedMemory(create=True, size=1)", "shared memory"),
    "bare add_key": bare("add_key", "b'user', b'mxlint_was_here', b'v', 1, -4", "keys"),
    "bare keyctl": bare("keyctl", "0, -3, 0", "keys"),
    "bare request_key": bare("request_key", "b'user', b'x', 0, 0", "keys"),
    "bare bpf": bare("bpf", "0, bytes(72), 72", "kernel"),
    "bare io_uring": bare("io_uring_setup", "2, bytes(120)", "kernel"),
    "bare userfaultfd": bare("userfaultfd", "1", "kernel"),
    "bare name_to_handle_at": bare("name_to_handle_at", "-100, b'/', bytes([128, 0, 0, 0]) + bytes(132), bytes(4), 0", "kernel"),
    "bare open_by_handle_at": bare("open_by_handle_at", "folder, bytes(16), 0", "kernel"),
    "bare perf_event_open": bare("perf_event_open", "bytes(128), 0, -1, -1, 0", OTHER),
    # Other processes.
    "a shell": python("os.system('true')", "process"),
    "a program": python("__import__('subprocess').run(['true'])", "process"),
    "a fork": python("os.fork() or os._exit(0)", "process"),
    "a signal": python("os.kill({parent}, 0)", "signal"),
    "bare kill": bare("kill", "{parent}, 0", "signal"),
    "bare kill of all": bare("kill", "-1, 0", "signal"),
    "bare kill of the group": bare("kill", "0, 0", "signal"),
    "bare tgkill": bare("tgkill", "{parent}, {parent}, 0", "signal"),
    "bare rt_sigqueueinfo": bare("rt_sigqueueinfo", "{parent}, 10, bytes(128)", "signal"),
    "bare fcntl owner": bare("fcntl", "opened, 8, {parent}", "signal"),
    "bare pidfd_open": bare("pidfd_open", "{parent}, 0", OTHER),
    "bare ptrace": bare("ptrace", "16, {parent}, 0, 0", OTHER),
    "bare process_vm_readv": bare("process_vm_readv", "{parent}, bytes(16), 1, bytes(16), 1, 0", OTHER),
    "bare kcmp": bare("kcmp", "{parent}, {parent}, 0, 0, 0", OTHER),
    "limits": python("__import__('resource').prlimit({parent}, 7, (64, 64))", "scheduling"),
    "bare prlimit64": bare("prlimit64", "{parent}, 7, 0, bytes(16)", "scheduling"),
    "priority": python("os.setpriority(0, {parent}, 19)", "scheduling"),
    "priority of all": python("os.setpriority(2, 0, 19)", "scheduling"),
    "bare setpriority": bare("setpriority", "2, 0, 19", "scheduling"),
    "bare sched_setaffinity": bare("sched_setaffinity", f"{{parent}}, 128, {CPUS}", "scheduling"),
    "bare sched_setscheduler": bare("sched_setscheduler", "{parent}, 3, bytes(4)", "scheduling"),
    # The machine, and the sandbox itself.
    "another root": python("os.chroot('.')", "mounts"),
    "bare chroot": bare("chroot", "b'.'", "mounts"),
    "bare mount": bare("mount", "b'none', b'.', b'tmpfs', 0, 0", "mounts"),
    "bare unshare": bare("unshare", "0x10000000", "mounts"),
    "bare setns": bare("setns", "opened, 0", "mounts"),
    "bare clone of a namespace": bare("clone", "0x10000000 | 17, 0, 0, 0, 0", "mounts"),
    "bare clone of a brother": bare("clone", "0x8000 | 17, 0, 0, 0, 0", "mounts"),
    "bare seccomp": bare("seccomp", "1, 0, 0", "rights"),
    "bare prctl seccomp": bare("prctl", "22, 2, 0, 0, 0", "rights"),
    "bare prctl death": bare("prctl", "1, 0, 0, 0, 0", "rights"),
    "bare prctl dumpable": bare("prctl", "4, 0, 0, 0, 0", "rights"),
    "bare landlock": bare("landlock_restrict_self", "0, 0", "rights"),
    "bare setuid": bare("setuid", "12", "rights"),
    "bare settimeofday": bare("settimeofday", "bytes(16), 0", "machine"),
    "bare kexec_load": bare("kexec_load", "0, 0, 0, 0", "machine"),
    "bare sethostname": bare("sethostname", "b'x', 1", "machine"),
    "bare quotactl": bare("quotactl", "0, 0, 0, 0", "machine"),
    "bare sendmsg": bare("sendmsg", "1, bytes(56), 0", SOCKET, "rights"),
    "clone3": bare("clone3", "bytes(64), 64"),
    "openat2": bare("openat2", "-100, b'/etc/passwd', bytes(24), 24"),
    "bare aio": Deed("number(998)"),
    "the number of x32": Deed("number(0x40000000 | 39)"),
    # Python itself.
    "ctypes": python("__import__('ctypes').CDLL(None)", "library"),
    "gc": python("__import__('gc').get_objects()", "interpreter"),
    "a secret": Deed("open('{outside}/secret').read()", ("read",)),
}
"""By a label. `opened` is a descriptor of a file that may be read and not written, `folder` one of its folder; both are outside."""

HELPERS = '''import ctypes, struct

NUMBERS = {numbers}


def symbol(name):
    """The address of a function of the C library, which no audit event tells of."""
    rows = [line.split() for line in open("/proc/self/maps")]
    row = next(row for row in rows if len(row) > 5 and "/libc.so" in row[5] or len(row) > 5 and "/libc-" in row[5])
    base, data = int(row[0].split("-")[0], 16), open(row[5], "rb").read()
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + number * size) for number in range(count)]
    for section in sections:
        if section[1] == 11:
            names = sections[section[6]][4]
            for place in range(section[4], section[4] + section[5], 24):
                text, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, place)
                if value and data[names + text : data.index(b"\\0", names + text)].decode() == name:
                    return base + value
    raise LookupError(name)


BARE = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 7)(symbol("syscall"))


def number(call, *arguments):
    held = [id(one) + 32 if isinstance(one, bytes) else one for one in arguments]
    return BARE(call, *held, *[0] * (6 - len(held)))


def call(name, *arguments):
    return number(NUMBERS[name], *arguments)

'''
"""Functions for bare system calls."""

PROGRAM = """import json, os
import mlx.core as mx
{helpers}

folder = os.open({outside!r}, os.O_PATH)
opened = os.open({readable!r}, os.O_RDONLY)
address = bytes([1, 0]) + {outside!r}.encode() + b"/socket" + bytes(1)
answers = {{}}
for label, text in {deeds}.items():
    try:
        done = eval(text)
        answers[label] = "refused" if isinstance(done, int) and done < 0 else "done"
    except BaseException:
        answers[label] = "refused"
print(json.dumps(answers))


@mx.compile
def step(x):
    return mx.tanh(x) * 2


print(step(mx.ones(3)))
"""
"""Tries all deeds, and prints what came of each."""


LATER = {"clone3": 435, "openat2": 437}
"""Calls that are not in the tables."""


def machine() -> int | None:
    """The column of the table of system calls."""
    return MACHINES[platform.machine()][0] if platform.machine() in MACHINES else None


def known(label: str) -> bool:
    """Whether this machine has the call that a deed is about."""
    column = machine()
    name = DEEDS[label].text.partition("call('")[2].partition("'")[0]
    return not name or column is not None and name in (*NUMBERS, *LATER) and (name in LATER or NUMBERS[name][column] is not None)


def helpers() -> str:
    """Functions for bare system calls on this machine."""
    column = machine()
    assert column is not None
    return HELPERS.format(numbers={**{name: pair[column] for name, pair in NUMBERS.items()}, **LATER})


def program(outside: Path, readable: Path, labels: list[str], port: int, key: int) -> str:
    """The program that tries these deeds on the files there."""
    values = {"outside": outside, "project": readable, "parent": os.getpid(), "port": port, "key": key}
    deeds = {label: DEEDS[label].text.format(**values) for label in labels}
    return PROGRAM.format(helpers=helpers(), outside=str(outside), readable=str(readable), deeds=deeds)
