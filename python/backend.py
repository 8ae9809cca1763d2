"""Builds the wheel with CMake, from what is installed and without a network: python3 -m build --wheel --no-isolation python

The module is built for any processor of this architecture (HOOKE_PROCESSOR=x86-64), in build/wheel. With HOOKE_BUILD=build/release
in the environment that build is taken as it is, for this machine alone: `make python` does so. Libraries that are not part of
every system are copied beside the module, whose RPATH leads to them.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
#: What every system has, or must not have twice.
SYSTEM = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s|python3?[0-9.]*)\.so)")


def version():
    return re.search(r"project\(Hooke VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build():
    """The folder of the package with its module."""
    given = os.environ.get("HOOKE_BUILD")
    folder = ROOT / given if given else ROOT / "build" / "wheel"
    if not given:
        options = ["CMAKE_BUILD_TYPE=Release", "HOOKE_PROCESSOR=x86-64", "HOOKE_TESTS=OFF", "HOOKE_UNITY=ON", "HOOKE_PYTHON=ON"]
        options.append(f"Python_EXECUTABLE={sys.executable}")
        command = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *[f"-D{option}" for option in options]]
        subprocess.run(command, check=True)
    jobs = os.environ.get("JOBS", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", folder, "-j", jobs, "-t", "hooke_python"], check=True)
    return folder / "python" / "hooke"


def libraries_of(module):
    """Those that it needs, and that they need, outside of the system."""
    found = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    pairs = re.findall(r"^\s*(\S+) => (/\S+)", found, re.MULTILINE)
    return {name: pathlib.Path(path).resolve() for name, path in pairs if not SYSTEM.match(name)}


def metadata_text():
    return (
        f"Metadata-Version: 2.1\nName: hooke\nVersion: {version()}\n"
        "Summary: Flexible multibody dynamics and co-simulation\nRequires-Python: >=3.10\nRequires-Dist: numpy\n"
        'Provides-Extra: plots\nRequires-Dist: matplotlib; extra == "plots"\n'
        'Provides-Extra: tables\nRequires-Dist: pandas; extra == "tables"\n'
        'Provides-Extra: studies\nRequires-Dist: pyyaml; extra == "studies"\nRequires-Dist: h5py; extra == "studies"\n'
        'Requires-Dist: scipy; extra == "studies"\n'
    )


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = build()
    module = next(package.glob(f"_hooke{sysconfig.get_config_var('EXT_SUFFIX')}"))
    sources = [path for path in sorted((HERE / "hooke").rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sources}
    files[f"hooke/{module.name}"] = module.read_bytes()
    if not os.environ.get("HOOKE_BUILD"):
        for name, path in libraries_of(module).items():
            files[f"hooke/libraries/{name}"] = path.read_bytes()
    info = f"hooke-{version()}.dist-info"
    files[f"{info}/METADATA"] = metadata_text().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: hooke\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"hooke-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("the package is built from the source tree of Hooke: build a wheel (python3 -m build --wheel)")
