"""How the classes of `settings` are made, and how their objects become a model file in memory and are made of one."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping, MutableMapping
from typing import Any, Iterator

from . import _hooke
from .functions import Code, code_of, is_function

_description: dict[str, Any] = json.loads(_hooke.description())
_classes: dict[str, dict[str, Any]] = _description["classes"]


def attribute_of(key: str) -> str:
    """What a key of a model file is called in Python."""
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


class Document:
    """A model file in memory while it is made, with the blocks that formulas of code need."""

    def __init__(self) -> None:
        self.blocks: dict[str, Any] = {}

    def add_block(self, formula: Code) -> str:
        name = f"code_{len(self.blocks) + 1}"
        self.blocks[name] = block_of(formula)
        return name


def block_of(formula: Code) -> dict[str, Any]:
    return {"code": code_of(formula.function), "inputs": list(formula.inputs)}


class Named(MutableMapping[str, Any]):
    """Things by name: bodies, joints, forces."""

    def __init__(self, type: dict[str, Any], items: Mapping[str, Any] | None = None) -> None:
        self._type = type
        self._items: dict[str, Any] = dict(items or {})

    def __getitem__(self, name: str) -> Any:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(f"nothing named '{name}'{_hooke.suggest(name, list(self._items))}") from None

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"expected a name, got {name!r}")
        self._items[name] = value

    def __delitem__(self, name: str) -> None:
        self[name]
        del self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)

    def __deepcopy__(self, memo: dict[int, Any]) -> Named:
        return Named(self._type, copied(self._items))


class Settings:
    """Settings by the names of a model file: keyword arguments, attributes."""

    _name: str = ""  # of the kind, in a file
    _flat: bool = False  # whether the fields stand beside the name of the kind
    _first: str = ""  # the field that may be given without its name
    _fields: dict[str, dict[str, Any]] = {}  # by attribute
    _beside: dict[str, dict[str, Any]] = {}  # those of the entry that the kind stands in: `at` of a body

    def __init__(self, *arguments: Any, **fields: Any) -> None:
        self.__dict__["_values"] = {}
        if len(arguments) > (1 if self._first else 0):
            raise TypeError(f"{type(self).__name__} takes {'one argument' if self._first else 'no arguments'} without a name")
        if arguments:
            setattr(self, self._first, arguments[0])
        for attribute, value in fields.items():
            setattr(self, attribute, value)

    def _known(self, attribute: str) -> dict[str, Any]:
        field = self._fields.get(attribute) or self._beside.get(attribute)
        if field is None:
            known = [*self._fields, *self._beside]
            raise AttributeError(
                f"{type(self).__name__} has no '{attribute}'{_hooke.suggest(attribute, known)}; known: {', '.join(known)}"
            )
        return field

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute.startswith("_"):
            object.__setattr__(self, attribute, value)
            return
        try:
            self._known(attribute)
        except AttributeError as error:
            raise TypeError(str(error)) from None
        self._values[attribute] = value

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        if attribute in self._values:
            return self._values[attribute]
        field = self._known(attribute)
        value = default_of(field["type"], field["default"])
        if isinstance(value, (Settings, Named, list)):  # to be edited in place
            self._values[attribute] = value
        return value

    def __delattr__(self, attribute: str) -> None:
        self._known(attribute)
        self._values.pop(attribute, None)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields, *self._beside]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._values == other._values  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def copy(self) -> Any:
        """A copy of its own, all the way down; functions are shared."""
        made = type(self)()
        made.__dict__.update(self.__dict__, _values=copied(self._values))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def _tree(self, document: Document, is_kind: bool) -> dict[str, Any]:
        """In the shape of a model file; a kind is given with its name."""
        own: dict[str, Any] = {}
        beside: dict[str, Any] = {}
        for attribute, value in self._values.items():
            field = self._known(attribute)
            made = tree_of(value, field["type"], document)
            if made is None and field["type"]["kind"] == "optional":
                continue
            if isinstance(made, dict) and not made and field["type"]["kind"] in ("named", "structure"):
                continue  # it was looked at, and is as it is without
            (own if attribute in self._fields else beside)[field["key"]] = made
        if not is_kind or self._flat:
            return {**own, **beside}
        return {self._name: own, **beside}


def copied(value: Any) -> Any:
    """A copy of values and settings; what is code stays the same."""
    if isinstance(value, Settings):
        return value.copy()
    if isinstance(value, Named):
        return Named(value._type, copied(value._items))
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(copied(item) for item in value)
    return value.copy() if hasattr(value, "tolist") else value


def default_of(type: dict[str, Any], value: Any) -> Any:
    """What a field is when nobody sets it."""
    kind = type["kind"]
    if kind == "named":
        return Named(type["item"])
    if kind == "structure":
        return from_tree(value or {}, type)
    if kind == "list" and type["count"] < 0:
        return [from_tree(item, type["item"]) for item in value or []]
    return None if value is None else from_tree(value, type)


def tree_of(value: Any, type: dict[str, Any], document: Document) -> Any:
    """A value in the shape of a model file. What is wrong with it is for the reader to say."""
    kind = type["kind"]
    if kind == "optional":
        return None if value is None else tree_of(value, type["item"], document)
    if isinstance(value, Settings):
        return value._tree(document, bool(value._name) and type.get("class") != value.__class__.__name__)
    if isinstance(value, Code):
        if kind == "open" and type["group"] == "block":
            return block_of(value)
        return document.add_block(value)
    if hasattr(value, "tolist"):  # an array of NumPy, or a number
        return value.tolist()
    if isinstance(value, (list, tuple)):
        item = type["item"] if kind == "list" else _anything
        return [tree_of(one, item, document) for one in value]
    if isinstance(value, Mapping):
        if kind == "named":
            return {name: tree_of(one, type["item"], document) for name, one in value.items()}
        return {key: tree_of(one, field_type(type, key), document) for key, one in value.items()}
    if is_function(value):
        if kind == "special" and type["name"] == "formula" or kind == "open" and type["group"] == "signal":
            return document.add_block(Code(value, "t"))
        return code_of(value)
    return value


_anything: dict[str, Any] = {"kind": "anything"}


def field_type(type: dict[str, Any], key: str) -> dict[str, Any]:
    """Of an entry of a mapping that stands for a structure."""
    if type["kind"] == "structure":
        for field in _classes[type["class"]]["fields"]:
            if field["key"] == key:
                return field["type"]  # type: ignore[no-any-return]
    return _anything


def from_tree(tree: Any, type: dict[str, Any]) -> Any:
    """The objects that say what stands in a model file."""
    kind = type["kind"]
    if tree is None:
        return None
    if kind == "optional":
        return from_tree(tree, type["item"])
    if kind == "list" and isinstance(tree, list):
        return [from_tree(item, type["item"]) for item in tree]
    if kind == "named" and isinstance(tree, dict):
        return Named(type["item"], {name: from_tree(item, type["item"]) for name, item in tree.items()})
    if kind == "structure" and isinstance(tree, dict):
        described = _classes[type["class"]]
        if described["kinds"]:  # {rigid: {...}, at: ...}
            return object_of(chosen(tree, described["kinds"]), tree)
        return object_of(type["class"], tree)
    if "classes" in type and isinstance(tree, dict):
        return object_of(chosen(tree, type), tree)
    return tree


def chosen(tree: dict[str, Any], type: dict[str, Any]) -> str:
    """The class whose name is a key of the tree."""
    names: list[str] = type["classes"]
    return next(name for name in names if _classes[name]["name"] in tree)


def object_of(name: str, tree: dict[str, Any]) -> Settings:
    """Of a class, from what stands in a model file."""
    made = registry[name]
    settings = made()
    values = dict(tree)
    if made._name and not made._flat and made._name in values:
        inner = values.pop(made._name)
        if isinstance(inner, dict):
            values = {**inner, **values}
        elif inner is not None and made._first:
            values[made._fields[made._first]["key"]] = inner
    for key, value in values.items():
        attribute = attribute_of(key)
        field = settings._known(attribute)
        settings._values[attribute] = from_tree(value, field["type"])
    return settings


def _entry_of(name: str) -> list[dict[str, Any]]:
    """Fields of the entries that a kind may stand in."""
    fields: dict[str, dict[str, Any]] = {}
    for described in _classes.values():
        if described["kinds"] and name in described["kinds"]["classes"]:
            fields.update({field["key"]: field for field in described["fields"]})
    return list(fields.values())


def _documentation(name: str, described: dict[str, Any]) -> str:
    lines = [f"`{described['name'] or name.lower()}` of a model file.", ""]
    for field in described["fields"] + _entry_of(name):
        unit = f" [{field['unit']}]" if field["unit"] else ""
        usual = field["default_text"] or (
            "required" if field["required"] else "" if field["default"] in (None, {}, []) else json.dumps(field["default"])
        )
        lines.append(f"{attribute_of(field['key'])}: {field['text']}{unit}{f' ({usual})' if usual else ''}")
    return "\n".join(lines)


def _make(name: str, described: dict[str, Any]) -> type[Settings]:
    fields = {attribute_of(field["key"]): field for field in described["fields"]}
    beside = {attribute_of(field["key"]): field for field in _entry_of(name)}
    return type(
        name,
        (Settings,),
        {
            "__doc__": _documentation(name, described),
            "__module__": "hooke",
            "_name": described["name"],
            "_flat": described["flat"],
            "_first": attribute_of(described["shorthand"] or (described["name"] if described["flat"] else "")),
            "_fields": fields,
            "_beside": {key: field for key, field in beside.items() if key not in fields},
        },
    )


#: Entries that their kinds take the place of: hooke.Rigid(...) has what stands beside it in a file.
_entries = {name for name, described in _classes.items() if described["kinds"]}
root: str = _description["root"]
#: All classes by name.
registry: dict[str, type[Settings]] = {
    name: _make(name, described) for name, described in _classes.items() if name not in _entries
}
