"""gdb for kernels that run on davsim: prints tensors with their elements, and knows the core.

    (gdb) source PREFIX/share/davsim/gdb/davsim_gdb.py
    (gdb) break add_custom.cpp:41 if $davsim_block() == 3
    (gdb) print x

Compile with -g -O0. Elements are those that instructions have written by now. In a timed run a kernel
is ahead of its instructions; in a functional one (DAVSIM_FUNCTIONAL=1) each call has been carried out.
"""
import struct

import gdb

MOST = 4096  # elements that are read at once

POSITIONS = ("GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC")

FORMATS = {"float": "f", "double": "d", "half": "e", "davsim::isa::half": "e"}


# By TPosition, the number of isa::Space.
SPACES = {1: 2, 3: 2, 5: 2, 15: 2, 2: 3, 4: 4, 7: 5, 6: 6, 16: 7, 9: 8, 10: 8, 11: 8, 12: 8}


def core_words(first, count):
    """Words of the running core's sim::DebuggerView; None where no kernel runs."""
    inferior = gdb.selected_inferior()
    try:
        pointer = int(gdb.parse_and_eval("*(unsigned long*) &davsim_debugged_core"))
        if pointer == 0:
            return None
        return struct.unpack("<%dq" % count, bytes(inferior.read_memory(pointer + 8 * first, 8 * count)))
    except gdb.error:  # the program does not run, or is none of davsim's
        return None


def bytes_of_core(position, at, count):
    """`count` bytes from byte `at` of the buffer that a TPosition names."""
    space = SPACES.get(position)
    words = core_words(3 + 2 * space, 2) if space is not None else None
    if words is None or at + count > words[1]:
        return b""
    return bytes(gdb.selected_inferior().read_memory(words[0] + at, count))


def decode(data, kind):
    """The elements of `data` as numbers of Python, or None for a type that is not known."""
    kind = kind.strip_typedefs()
    name, size = kind.name or "", kind.sizeof
    if name.endswith("bfloat16"):
        words = struct.unpack("<%dH" % (len(data) // 2), data)
        return struct.unpack("<%df" % len(words), struct.pack("<%dI" % len(words), *(w << 16 for w in words)))
    code = FORMATS.get(name)
    if code is None and name.endswith("half"):
        code = "e"
    if code is None and kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL):
        code = {1: "b", 2: "h", 4: "i", 8: "q"}[size]
        if not kind.is_signed:
            code = code.upper()
    if code is None:
        return None
    return struct.unpack("<%d%s" % (len(data) // size, code), data)


class Elements:
    """What printers of tensors share: elements under the limit of `set print elements`."""

    def __init__(self, value):
        self.value = value
        self.kind = value.type.strip_typedefs().template_argument(0)

    def limit(self, count):
        shown = gdb.parameter("print elements")
        return min(count, MOST if shown is None else shown + 1)

    def display_hint(self):
        return "array"

    def children(self):
        data = self.data()
        numbers = decode(data, self.kind) if data else None
        for i, number in enumerate(numbers or ()):
            yield "[%d]" % i, number


class LocalTensorPrinter(Elements):
    def __init__(self, value):
        super().__init__(value)
        address = value["address_"]
        self.position = int(address["logicPos"])
        self.at, self.bytes = int(address["bufferAddr"]), int(address["dataLen"])

    def data(self):
        count = self.limit(self.bytes // self.kind.sizeof) * self.kind.sizeof
        return bytes_of_core(self.position, self.at, count) if count else b""

    def to_string(self):
        place = POSITIONS[self.position] if self.position < len(POSITIONS) else "?"
        return "LocalTensor<%s> of %d in %s at byte %d" % (
            self.kind.name, self.bytes // self.kind.sizeof, place, self.at)


class GlobalTensorPrinter(Elements):
    def __init__(self, value):
        super().__init__(value)
        self.start, self.size = value["address_"], int(value["size_"])

    def data(self):
        count = self.limit(self.size) * self.kind.sizeof
        if count == 0 or int(self.start) == 0:
            return b""
        try:
            return bytes(gdb.selected_inferior().read_memory(int(self.start), count))
        except gdb.MemoryError:
            return b""

    def to_string(self):
        length = str(self.size) if self.value["bounded_"] else "any length"
        return "GlobalTensor<%s> of %s at %#x" % (self.kind.name, length, int(self.start))


class QueuePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = self.value.type.strip_typedefs()
        name = str(kind).split("::")[-1] if "<" not in str(kind) else str(kind)
        order = self.value["order_"]
        low, high = order.type.range()
        waiting = [order[i].dereference() for i in range(low, high + 1) if int(order[i]) != 0]
        text = ", ".join("%d bytes at %d" % (int(b["bytes"]), int(b["address"])) for b in waiting)
        return "%s, enqueued: %s" % (name.replace("AscendC::", ""), text or "nothing")


PRINTERS = (("AscendC::LocalTensor<", LocalTensorPrinter), ("AscendC::GlobalTensor<", GlobalTensorPrinter),
            ("AscendC::TQue<", QueuePrinter), ("AscendC::TQueBind<", QueuePrinter))


def printer_of(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_REF:
        value, kind = value.referenced_value(), kind.target().strip_typedefs()
    name = kind.unqualified().name or ""
    for start, printer in PRINTERS:
        if name.startswith(start):
            return printer(value)
    return None


class CoreFunction(gdb.Function):
    """A word of the running core; -1 where no kernel runs."""

    def __init__(self, name, word):
        super().__init__(name)
        self.word = word

    def invoke(self):
        words = core_words(self.word, 1)
        return -1 if words is None else words[0]


CoreFunction("davsim_block", 0)
CoreFunction("davsim_sub_block", 1)
CoreFunction("davsim_is_cube", 2)
gdb.pretty_printers.append(printer_of)
