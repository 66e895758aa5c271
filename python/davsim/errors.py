"""The exceptions of davsim. Each error class of the simulator has one."""

from __future__ import annotations

# As typing has it, whose import would take as long as that of davsim.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """The base of all errors of davsim.

    rule: the rule that was broken, in words; empty where there is none.
    error_class: the class as the command and the operator pages name it, such as "E_SHAPE".
    """

    def __init__(self, message: str, *, rule: str = "", error_class: str = "") -> None:
        super().__init__(message)
        self.rule = rule
        self.error_class = error_class


class RefusedError(Error, ValueError):
    """The operator refused the call. Nothing was written."""


class MissingTensorError(RefusedError):
    """E_NULL: a required tensor is not given."""


class DtypeError(RefusedError, TypeError):
    """E_DTYPE: a tensor has a dtype that the operator does not take."""


class FormatError(RefusedError):
    """E_FORMAT: a tensor does not have the required layout."""


class RankError(RefusedError):
    """E_RANK: a tensor has a wrong number of dimensions."""


class ShapeError(RefusedError):
    """E_SHAPE: the sizes of a tensor do not fit."""


class AttributeValueError(RefusedError):
    """E_ATTR: an attribute has a wrong value, or a name is unknown."""


class UnsupportedError(RefusedError, NotImplementedError):
    """E_UNSUPPORTED: the product lacks the operator or the feature."""


class TensorIndexError(RefusedError, IndexError):
    """E_INDEX: an index tensor points outside of what it indexes."""


class UsageError(Error, ValueError):
    """An unknown SoC, operator or parameter, or an argument with a value that davsim cannot take."""


class FileError(Error, OSError):
    """A file cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


class CompileError(Error, RuntimeError):
    """davsim-cc does not compile a source; the message has what it says."""


class KernelFault(Error, RuntimeError):
    """The kernel went wrong.

    kernel, core, pipe, instruction: names; empty where they are not known.
    file, line: the line of the kernel's source; None where it is not known.
    error_class: "address", "alignment", "flag", "deadlock", "limit", "timeout", "crash", ...
    """

    def __init__(self, message: str, *, rule: str = "", error_class: str = "", kernel: str = "",
                 core: str = "", pipe: str = "", instruction: str = "", file: str | None = None,
                 line: int | None = None) -> None:
        super().__init__(message, rule=rule, error_class=error_class)
        self.kernel = kernel
        self.core = core
        self.pipe = pipe
        self.instruction = instruction
        self.file = file
        self.line = line

    def __str__(self) -> str:
        lines = [f"{self.args[0]} ({self.error_class})"]
        for name in ("kernel", "core", "pipe", "instruction"):
            value = getattr(self, name)
            if value:
                lines.append(f"  {name}: {value}")
        if self.file:
            lines.append(f"  at: {self.file}:{self.line}")
        return "\n".join(lines)


class KernelTimeout(KernelFault, TimeoutError):
    """The call did not end within the device's timeout. The next call starts a new worker."""


class KernelCrash(KernelFault):
    """The kernel crashed in native code. The next call starts a new worker."""


class CheckError(Error):
    """The checker found something.

    findings: one dict for each finding; docs/checker.md describes the members.
    """

    def __init__(self, message: str, *, findings: list[dict[str, Any]] | None = None,
                 rule: str = "") -> None:
        super().__init__(message, rule=rule, error_class="findings")
        self.findings = findings or []

    def __str__(self) -> str:
        lines = [str(self.args[0])]
        for finding in self.findings:
            place = finding.get("second") or finding.get("first")
            where = f" ({place['core']}, {place['file']}:{place['line']})" if place else ""
            lines.append(f"  {finding.get('class', '')}: {finding.get('message', '')}{where}")
        return "\n".join(lines)


class WorkerError(Error, RuntimeError):
    """The worker process of a device could not be started, or ended without a word.

    The next call starts a new worker. What the device's memory held is lost; arrays that were
    returned before remain readable.
    """


class InternalError(Error, RuntimeError):
    """An error in davsim itself."""


_REFUSALS: dict[str, type[RefusedError]] = {
    "E_NULL": MissingTensorError,
    "E_DTYPE": DtypeError,
    "E_FORMAT": FormatError,
    "E_RANK": RankError,
    "E_SHAPE": ShapeError,
    "E_ATTR": AttributeValueError,
    "E_UNSUPPORTED": UnsupportedError,
    "E_INDEX": TensorIndexError,
}
_FAULTS: dict[str, type[KernelFault]] = {"timeout": KernelTimeout, "crash": KernelCrash}
_STATUS_FAULTED = 4


def error_of(reply: dict[str, Any]) -> Error:
    """The exception for the member "error" of a worker's answer."""
    name, message, rule = reply["class"], reply["message"], reply["rule"]
    if name in _REFUSALS:
        return _REFUSALS[name](message, rule=rule, error_class=name)
    if name == "findings":
        return CheckError(message, findings=reply["findings"], rule=rule)
    if name == "usage":
        return UsageError(message, rule=rule, error_class=name)
    if name == "file":
        return FileError(message, rule=rule, error_class=name)
    if name in _FAULTS or reply.get("status") == _STATUS_FAULTED:
        places = ("kernel", "core", "pipe", "instruction", "file", "line")
        known = {place: reply[place] for place in places if reply.get(place)}
        return _FAULTS.get(name, KernelFault)(message, rule=rule, error_class=name, **known)
    return InternalError(message, rule=rule, error_class=name)
