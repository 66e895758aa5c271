"""The trace, the page and the explanation of a call, recorded while it ran or kept by the worker."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from ._worker import Worker
from .errors import UsageError

# Files of a call, and the exporters that write them.
_FILES = {"trace": "trace.json.gz", "html": "report.html", "explain": ""}


class Recorded:
    """Files that the worker writes with the call, in a temporary folder that ends with this
    object."""

    def __init__(self) -> None:
        import shutil
        import tempfile

        self.name = tempfile.mkdtemp(prefix="davsim-")
        self.printed: dict[str, Any] = {}
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    available = True

    @property
    def exports(self) -> dict[str, str]:
        """What the request asks for: paths by exporter."""
        return {name: os.path.join(self.name, file) for name, file in _FILES.items()}

    def ended(self, printed: dict[str, Any]) -> None:
        """The call has ended well, with what its exports print."""
        self.printed = printed

    def files(self) -> Recorded:
        return self


class Kept:
    """The last call, whose events the worker keeps until the next one. Files are written when they
    are asked for the first time."""

    def __init__(self, worker: Worker, lock: threading.RLock) -> None:
        self._worker = worker
        self._lock = lock
        self._written: Recorded | None = None

    def ended(self, printed: dict[str, Any]) -> None:
        """The call has ended well: what the worker keeps is this one."""
        self._worker.kept = weakref.ref(self)

    @property
    def available(self) -> bool:
        """False once the device has run another call, or has ended."""
        return self._written is not None or (
            self._worker.alive and self._worker.owner == os.getpid() and
            self._worker.kept is not None and self._worker.kept() is self)

    def files(self) -> Recorded:
        """Raises UsageError if it is too late, or if the call had too many instructions."""
        with self._lock:
            if self._written is None:
                if not self.available:
                    raise UsageError("the device has run another call since, or has ended",
                                     rule="record=\"last\" keeps the last call only; record=True "
                                          "keeps all")
                records = Recorded()
                reply = self._worker.request({"do": "export", "exports": records.exports})
                records.ended(reply["printed"])
                self._written = records
            return self._written
