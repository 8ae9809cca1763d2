"""Study files: values, where they stand, and what is wrong with them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Sequence

from .. import _hooke
from .formulas import constant


def needs(package: str, debian: str, purpose: str) -> ImportError:
    """What to say when a package is missing that only some studies need."""
    return ImportError(f"{purpose} needs the Python package {package}: apt install {debian}, or pip install {package}")


class Document:
    """Values in the shape of a study file, with the mistakes found so far: all are told together."""

    def __init__(
        self, values: Any, file: str = "", places: dict[str, tuple[int, int]] | None = None, section: str = ""
    ) -> None:
        self.values = values
        self.file = file
        self._places = places or {}
        self._section = section  #: of the file, that the values stand in
        self._mistakes: list[str] = []

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Document:
        name = os.fspath(path)
        try:
            import yaml
        except ImportError:
            raise needs("pyyaml", "python3-yaml", "a study file") from None
        try:
            with open(name, encoding="utf-8") as file:
                root = yaml.compose(file, Loader=yaml.SafeLoader)
        except OSError as error:
            raise _hooke.Error(f"cannot read '{name}': {error.strerror}") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
            raise _hooke.ModelError(f"{place}: {getattr(error, 'problem', None) or error}") from None
        places: dict[str, tuple[int, int]] = {}
        return Document(_value(root, "", places) if root is not None else {}, name, places)

    def of_study(self) -> Document:
        """Of a model file, what its key `study` holds, with the file itself as the model; of a study file, all."""
        if not isinstance(self.values, dict) or "hooke" not in self.values:
            return self
        inner = Document(self.values.get("study"), self.file, self._places, "study")
        if inner.values is None:
            raise _hooke.ModelError(
                f"{self.file}: a model without a section 'study': add one, or write a study file that begins with 'study: 1'"
            )
        given = inner.mapping("", inner.values)
        for key in ("study", "model"):
            if key in given:
                inner.complain(key, "stands in study files alone: here the model is this file")
        inner.values = {"title": self.values.get("title"), **given, "study": 1, "model": os.path.basename(self.file)}
        return inner

    def complain(self, path: str, text: str) -> None:
        path = f"{self._section}.{path}" if self._section and path else path or self._section
        where = self._place(path)
        self._mistakes.append(f"{where}{path}: {text}" if path else f"{where}{text}")

    def raise_if_mistaken(self) -> None:
        if self._mistakes:
            raise _hooke.ModelError("\n".join(self._mistakes))

    def _place(self, path: str) -> str:
        """Of the path, or of what it stands in."""
        while path and path not in self._places:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        line, column = self._places.get(path, (0, 0))
        return f"{self.file}:{line}:{column}: " if line else f"{self.file}: " if self.file else ""

    # ---- what is expected at a path; None when it is not there, or is something else

    def mapping(self, path: str, value: Any, known: Sequence[str] | None = None) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.complain(path, f"expected keys and values, got {_shown(value)}")
            return {}
        for key in value:
            if known is not None and key not in known:
                inner = f"{path}.{key}" if path else str(key)
                self.complain(
                    inner, f"unknown key '{key}'{_hooke.suggest(str(key), list(known))}; known here: {listed(known)}"
                )
        return {str(key): item for key, item in value.items()}

    def choice(self, path: str, value: Any, kinds: Sequence[str]) -> tuple[str, Any, dict[str, Any]]:
        """One of the kinds, as a word or as {kind: its value, and more keys beside it}."""
        if isinstance(value, str):
            if value in kinds:
                return value, None, {}
            self.complain(path, f"expected {listed(kinds, 'or')}, got '{value}'{_hooke.suggest(value, list(kinds))}")
        elif isinstance(value, Mapping):
            found = [key for key in value if key in kinds]
            if len(found) == 1:
                return found[0], value[found[0]], {str(key): item for key, item in value.items() if key != found[0]}
            given = list(map(str, value))
            hint = _hooke.suggest(given[0], list(kinds)) if given and not found else ""
            self.complain(path, f"expected one of {listed(kinds, 'or')}, got {listed(given) or 'nothing'}{hint}")
        else:
            self.complain(path, f"expected {listed(kinds, 'or')}, got {_shown(value)}")
        return "", None, {}

    def number(self, path: str, value: Any) -> float:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, str) and (inner := re.fullmatch(r"\$\{(.*)\}", value.strip())):
            try:
                return constant(inner[1])
            except _hooke.Error as error:
                self.complain(path, str(error))
                return float("nan")
        hint = f' (write "${{{value}}}" if it is an expression)' if isinstance(value, str) else ""
        self.complain(path, f"expected a number, got {_shown(value)}{hint}")
        return float("nan")

    def numbers(self, path: str, value: Any, count: int) -> list[float]:
        if isinstance(value, (list, tuple)) and len(value) == count:
            return [self.number(f"{path}[{i}]", item) for i, item in enumerate(value)]
        self.complain(path, f"expected {count} numbers, got {_shown(value)}")
        return [float("nan")] * count

    def whole(self, path: str, value: Any, least: int = 1) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.complain(path, f"expected a whole number, at least {least}, got {_shown(value)}")
        return least

    def truth(self, path: str, value: Any) -> bool:
        if not isinstance(value, bool):
            self.complain(path, f"expected true or false, got {_shown(value)}")
        return value is True

    def text(self, path: str, value: Any) -> str:
        if isinstance(value, str) and value:
            return value
        self.complain(path, f"expected a text, got {_shown(value)}")
        return ""

    def texts(self, path: str, value: Any) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, (list, tuple)):
            return [self.text(f"{path}[{i}]", item) for i, item in enumerate(value)]
        self.complain(path, f"expected a name or a list of names, got {_shown(value)}")
        return []


def listed(words: Sequence[str], last: str = "and") -> str:
    """a, b and c"""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, Mapping):
        return "keys and values"
    return f"a list of {len(value)}" if isinstance(value, (list, tuple)) else str(value)


def _value(node: Any, path: str, places: dict[str, tuple[int, int]]) -> Any:
    """What a node of YAML says. Unlike PyYAML, 1e-3 is a number, as in model files."""
    import yaml

    places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        made = {}
        for key, item in node.value:
            inner = f"{path}.{key.value}" if path else str(key.value)
            places[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
            made[str(key.value)] = _value(item, inner, places)
        return made
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, f"{path}[{i}]", places) for i, item in enumerate(node.value)]
    if node.style:
        return node.value
    if node.value in ("", "~", "null"):
        return None
    if node.value in ("true", "false"):
        return node.value == "true"
    for type in (int, float):
        try:
            return type(node.value)
        except ValueError:
            pass
    return node.value
