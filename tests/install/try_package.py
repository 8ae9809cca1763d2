"""Installs what `make package` made into empty roots and runs an example there: nothing of this machine's /usr is
in them but the C library, and for the Debian package the libraries of the packages it depends on."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PACKAGES = pathlib.Path(os.environ["HOOKE_PACKAGES"]).resolve()
C_LIBRARY = ["libc6"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def with_dependencies(packages):
    """These Debian packages and all that they depend on, as installed here."""
    found, queue = set(), list(packages)
    while queue:
        package = queue.pop()
        if package in found:
            continue
        found.add(package)
        depends = output("dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}", package)
        for choice in depends.split(","):
            names = [re.split(r"[ :(]", name.strip())[0] for name in choice.split("|")]
            installed = [n for n in names if n and subprocess.run(["dpkg-query", "-W", n], capture_output=True).returncode == 0]
            queue += installed[:1]
    return found


def copy_libraries(packages, root):
    for package in packages:
        for name in output("dpkg-query", "-L", package).split("\n"):
            if re.search(r"\.so(\.|$)", name) and os.path.exists(name) and not os.path.isdir(name):
                target = root / name.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(name, target)
                # Alternatives (libopenblas.so.0 of several) are linked when a package is installed.
                if target.parent.parent.name.endswith("-linux-gnu") and not (target.parent.parent / target.name).exists():
                    (target.parent.parent / target.name).symlink_to(f"{target.parent.name}/{target.name}")
    for folder in ["lib", "lib64"]:  # as Debian has them
        if not (root / folder).exists() and (root / "usr" / folder).exists():
            (root / folder).symlink_to(f"usr/{folder}")


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tmp").mkdir()

    def run_example(self, prefix):
        inside = ["unshare", "--map-root-user", "chroot", self.root]
        if os.geteuid() == 0:
            inside = inside[2:]
        here = self.root / "proc/self"  # by which the loader knows where the program is
        here.mkdir(parents=True)
        (here / "exe").symlink_to(f"{prefix}/bin/hooke")
        run = [*inside, f"{prefix}/bin/hooke", "run", f"{prefix}/share/hooke/models/slider_crank.yaml", "--out", "/tmp/out",
               "--no-progress"]
        result = subprocess.run(run, capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue((self.root / "tmp/out/results.h5").exists())

    def check_files(self, prefix):
        root = self.root / prefix
        for name in ["bin/hooke", "include/hooke/hooke.h", "share/man/man1/hooke.1*", "lib/libhooke.so", "lib/cmake/Hooke/HookeConfig.cmake",
                     "share/bash-completion/completions/hooke", "lib/glibc-hwcaps/x86-64-v3/libhooke_core.so*"]:
            self.assertTrue(list(root.glob(name)), f"{name} is missing")
        self.assertEqual([p.name for p in (root / "include").iterdir()], ["hooke"])
        self.assertLess((root / "bin/hooke").stat().st_size, 15e6)

    def test_debian_package(self):
        package = next(PACKAGES.glob("*.deb"))
        output("dpkg-deb", "-x", package, self.root)
        self.check_files("usr")
        depends = output("dpkg-deb", "-f", package, "Depends")
        copy_libraries(with_dependencies(re.findall(r"(?:^|, )([\w.+-]+)", depends)), self.root)
        self.run_example("/usr")

    def test_tarball(self):
        output("tar", "-xzf", next(PACKAGES.glob("*.tar.gz")), "-C", self.root)
        folder = next(p for p in self.root.iterdir() if p.name.startswith("hooke"))
        moved = (folder / "usr").rename(self.root / "anywhere")
        self.check_files("anywhere")
        copy_libraries(C_LIBRARY, self.root)
        self.run_example(f"/{moved.name}")


if __name__ == "__main__":
    unittest.main()
