"""The worker process of a device, and the memory that it shares with this process."""

from __future__ import annotations

import os
import weakref

from .errors import TYPE_CHECKING, Error, InternalError, UsageError, WorkerError, error_of

if TYPE_CHECKING:
    from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
# In the tree build/python/davsim, installed lib/python3/dist-packages/davsim; wheels have a prefix.
_PROGRAMS = ("../../bin/davsim", "../../../../bin/davsim", "_prefix/bin/davsim")
# Errors after which the worker process has ended.
_LAST_WORDS = ("timeout", "crash")
# The worker itself stops a call at the timeout; later than that it must hang outside of it.
_GRACE_SECONDS = 15.0
_END_SECONDS = 10.0


def program() -> str:
    """The path of the davsim command: $DAVSIM_PROGRAM, the one that belongs to this package, or
    the one of PATH. Raises WorkerError if there is none."""
    named = os.environ.get("DAVSIM_PROGRAM")
    if named:
        return named
    for path in _PROGRAMS:
        candidate = os.path.normpath(os.path.join(_HERE, path))
        if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    import shutil

    found = shutil.which("davsim")
    if found is None:
        raise WorkerError("the davsim command is not found; build or install it, or set "
                          "DAVSIM_PROGRAM to its path")
    return found


class Block:
    """Bytes of a device's global memory. numpy arrays made of it keep it; the device takes the
    bytes back once the last of them is gone."""

    __slots__ = ("offset", "nbytes", "__array_interface__", "_freed", "_mapping")

    def __init__(self, worker: Worker, offset: int, nbytes: int) -> None:
        self.offset = offset
        self.nbytes = nbytes
        self._freed = worker.freed
        self._mapping = worker.mapping
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (nbytes,),
                                    "data": (worker.base + offset, False)}

    def __del__(self) -> None:
        # The next request tells the worker. Appending is atomic, so any thread may do it.
        self._freed.append(self.offset)


class Worker:
    """One `davsim serve` process. It ends with this object."""

    def __init__(self, soc: str, options: list[str]) -> None:
        import collections
        import subprocess

        self.alive = False
        self.owner = os.getpid()
        # What was loaded into the process, by path: the answers.
        self.libraries: dict[str, dict[str, Any]] = {}
        # The call whose events the process keeps (_records.Kept).
        self.kept: weakref.ref[Any] | None = None
        self.freed: collections.deque[int] = collections.deque()
        ours, theirs, memory = _descriptors()
        try:
            arguments = [program(), "serve", soc, f"--socket={theirs.fileno()}",
                         f"--memory={memory}", *options]
            # In a session of its own, Ctrl-C reaches this process only.
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, start_new_session=True,
                pass_fds=(theirs.fileno(), memory))
        except OSError as error:
            ours.close()
            os.close(memory)
            raise WorkerError(f"{arguments[0]} cannot be started: {error}") from error
        finally:
            theirs.close()
        self._socket = ours
        self._lines = ours.makefile("rb")
        self._end = weakref.finalize(self, _end, self.owner, self._process, ours)
        self.alive = True
        try:
            self.hello = self._reply(None)
            self._map(memory, self.hello["memory_bytes"])
        except BaseException:
            self.stop()
            raise
        finally:
            os.close(memory)

    def _map(self, memory: int, nbytes: int) -> None:
        import ctypes
        import mmap

        self.mapping = mmap.mmap(memory, nbytes)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.mapping))
        self.nbytes = nbytes

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a message and returns the answer. Raises the exception that the answer stands for,
        WorkerError if the worker has ended."""
        return self._exchange(message, 0, 0)[0]

    def run(self, message: dict[str, Any], timeout: float) -> tuple[dict[str, Any], bytes]:
        """The same for a call of an operator, whose answer has a second line: the report.
        timeout: seconds, 0 for no limit."""
        reply, lines = self._exchange(message, 1, timeout)
        return reply, lines[0]

    def offset_of(self, address: int, nbytes: int) -> int | None:
        """Where bytes at this address of the process lie in global memory; None elsewhere."""
        inside = self.base <= address and address + nbytes <= self.base + self.nbytes
        return address - self.base if inside else None

    def stop(self) -> None:
        """Ends the process. Arrays of its memory remain readable."""
        self.alive = False
        self._end()

    def _exchange(self, message: dict[str, Any], further: int,
                  timeout: float) -> tuple[dict[str, Any], list[bytes]]:
        import json

        free = []
        while self.freed:
            free.append(self.freed.popleft())
        if free:
            message["free"] = free
        try:
            text = json.dumps(message, allow_nan=False)
        except (TypeError, ValueError) as error:
            self.freed.extend(free)
            raise UsageError(f"an attribute cannot be sent to the device: {error}",
                             rule="attributes are finite numbers, strings, bools and lists of "
                                  "them") from error
        try:
            self._send(text.encode() + b"\n")
            reply = self._reply(timeout + _GRACE_SECONDS if timeout else None)
            return reply, [self._read_line() for _ in range(further)]
        except Error:
            raise
        except BaseException:
            # Ctrl-C, say: an answer that nobody has read would be taken for the next one.
            self.stop()
            raise

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(None)
            self._socket.sendall(data)
        except OSError:
            raise self._ended() from None

    def _reply(self, timeout: float | None) -> dict[str, Any]:
        import json

        self._socket.settimeout(timeout)
        reply = json.loads(self._read_line())
        if "error" not in reply:
            return reply
        error: Error = error_of(reply["error"])
        if error.error_class in _LAST_WORDS:
            self.stop()
        raise error

    def _read_line(self) -> bytes:
        try:
            line = self._lines.readline()
        except TimeoutError:
            self.stop()
            raise WorkerError("the worker process hangs and was stopped") from None
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise self._ended()
        return line

    def _ended(self) -> Error:
        import subprocess

        self.alive = False
        try:
            status = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        self.stop()
        if status is None:
            return WorkerError("the worker process closed its connection and was stopped")
        if status < 0:
            return WorkerError(f"the worker process was ended by {_signal_name(-status)}")
        kind = InternalError if status == 70 else WorkerError
        return kind(f"the worker process ended with status {status}; standard error says why")


def _descriptors() -> tuple[Any, Any, int]:
    import socket

    ours, theirs = socket.socketpair()
    try:
        return ours, theirs, os.memfd_create("davsim", os.MFD_CLOEXEC)
    except OSError as error:
        ours.close()
        theirs.close()
        raise WorkerError(f"the host makes no file in memory: {error}") from error


def _end(owner: int, process: Any, connection: Any) -> None:
    connection.close()
    # A child of fork() has a copy of the object but not the process.
    if os.getpid() != owner or process.poll() is not None:
        return
    process.kill()
    process.wait()


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
