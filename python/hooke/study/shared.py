"""Set-up that runs share: meshes that are reduced to modes are reduced once on a machine, not once for each run."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
from typing import Any, Iterator

from .. import _hooke
from ..meshes import reduce
from ..settings import Solid


def cache_folder() -> pathlib.Path:
    """Of this machine and user: $XDG_CACHE_HOME/hooke, ~/.cache/hooke."""
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "hooke" / "studies"


@functools.lru_cache(maxsize=64)
def shared_settings(model: str, settings: tuple[str, ...], varied: tuple[str, ...]) -> tuple[str, ...]:
    """Settings that put modes found before in place of meshes that are reduced whenever the model is read."""
    document = json.loads(_hooke.load(model, list(settings)).document())
    found = []
    for name, body in document.get("bodies", {}).items():
        file = body.get("modal", {}).get("file") if isinstance(body.get("modal"), dict) else None
        if file is None or any(key.startswith(f"bodies.{name}") for key in varied):
            continue
        made = _reduced(pathlib.Path(model).parent / file)
        if made is not None:
            found.append(f"bodies.{name}.modal.file={json.dumps(str(made))}")
    return tuple(found)


def _reduced(path: pathlib.Path) -> pathlib.Path | None:
    """The file of modes made of a file that names a mesh; None: it is none, or says more than can be shared."""
    if "reduce" not in path.read_text(encoding="utf-8"):
        return None
    from .document import Document

    tree = Document.read(path).values.get("reduce")
    if not isinstance(tree, dict) or not set(tree) <= {
        "mesh",
        "material",
        "orthotropic",
        "materials",
        "interfaces",
        "modes",
        "damping_ratio",
        "stiffening",
    }:
        return None
    digest = hashlib.sha256(path.read_bytes() + _hooke.version.encode())
    mesh = dict(tree["mesh"])
    if "file" in mesh:
        mesh["file"] = str((path.parent / mesh["file"]).resolve())
        digest.update(pathlib.Path(mesh["file"]).read_bytes())
    made = cache_folder() / f"{digest.hexdigest()[:32]}.modes"
    solid: dict[str, Any] = {
        "mesh": mesh,
        **{key: tree[key] for key in ("material", "orthotropic", "materials") if key in tree},
    }
    made.parent.mkdir(parents=True, exist_ok=True)
    with _locked(made.with_suffix(".lock")):
        if not made.exists():
            draft = made.with_suffix(f".{os.getpid()}.modes")
            more = {key: tree[key] for key in ("damping_ratio", "stiffening") if key in tree}
            reduce(Solid(**solid), draft, modes=tree.get("modes", 12), interfaces=tree.get("interfaces", ()), **more)
            os.replace(draft, made)
    return made


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    """One process at a time."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
