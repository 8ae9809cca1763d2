"""Functions of a user's in place of formulas."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import _hooke


_CFUNCTION: Any = getattr(ctypes, "_CFuncPtr")  # what functions of all C libraries have in common


class Code:
    """A formula of signals that is code: a function of what `inputs` name.

    >>> hooke.Code(lambda angle, rate: -20 * angle - 2 * rate, "joint.pivot.angle", "joint.pivot.rate")

    It may stand wherever a model file takes a formula of signals: a signal, a control block, the condition of an event, the
    command of a motor, a component of a load, the active tension of a spring. It must depend on its arguments alone, since
    it is called several times in a step.
    """

    def __init__(self, function: Callable[..., Any], *inputs: str) -> None:
        if not callable(function) and not hasattr(function, "address"):
            raise TypeError(f"Code: expected a function, got {function!r}")
        self.function = function
        self.inputs = list(inputs)

    def __repr__(self) -> str:
        return f"Code({label_of(self.function)}, {', '.join(map(repr, self.inputs))})"


class with_derivatives:
    """Marks a function that returns its value and its derivatives, instead of leaving them to differences.

    A function of time: (value, first, second). A force law of x, v, t: (force, by x, by v). A Code: (value, one
    derivative for each input).
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = label_of(function)

    def __call__(self, *arguments: float) -> Any:
        return self.function(*arguments)


class compiled:
    """A compiled function by its address, called without Python's lock: double f(double, ...), or f(const double* all).

    Functions of ctypes and cfunc of Numba are recognised without this; of cffi give int(ffi.cast("intptr_t", f)).
    """

    def __init__(self, address: int, *, takes_pointer: bool = False, keep: object = None) -> None:
        self.address = int(address)
        self.takes_pointer = takes_pointer
        self.keep = keep  # what owns the machine code
        self.__name__ = f"compiled function at {self.address:#x}"


def label_of(function: object) -> str:
    return str(getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__)


def is_function(value: object) -> bool:
    """Whether it can stand in place of a formula."""
    return isinstance(value, (compiled, with_derivatives)) or callable(value) or hasattr(value, "address")


def code_of(function: Any) -> _hooke.Code:
    """As the engine takes it."""
    label = label_of(function)
    if isinstance(function, compiled):
        return _hooke.Code(function.keep, function.address, label, takes_pointer=function.takes_pointer)
    if isinstance(function, with_derivatives):
        return _hooke.Code(function.function, 0, label, has_derivatives=True)
    if isinstance(getattr(function, "address", None), int):  # cfunc of Numba
        return _hooke.Code(function, function.address, label)
    if isinstance(function, _CFUNCTION):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        return _hooke.Code(function, address, label)
    return _hooke.Code(function, 0, label)
