"""Build backend (PEP 517): a wheel is the package's files, zipped.

There is nothing to compile, so there is nothing to need: no setuptools, no
wheel, no network. Name, version and the rest are read from pyproject.toml,
which is ours and plain: one `key = "value"` a line.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "loopwatch"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Writes the wheel into wheel_directory and returns its file name."""
    version = _field("version")
    info = f"{PACKAGE}-{version}.dist-info"
    files = {f"{PACKAGE}/{name}": _read(PACKAGE, name) for name in _sources()}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: wheel_of_files\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{PACKAGE}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Writes the source archive into sdist_directory and returns its file name."""
    root = f"{PACKAGE}-{_field('version')}"
    with tarfile.open(os.path.join(sdist_directory, root + ".tar.gz"), "w:gz") as out:
        for name in ["pyproject.toml", "README.md", "wheel_of_files.py"]:
            out.add(os.path.join(HERE, name), f"{root}/{name}")
        for name in _sources():
            out.add(os.path.join(HERE, PACKAGE, name), f"{root}/{PACKAGE}/{name}")
    return root + ".tar.gz"


def _sources() -> list[str]:
    return sorted(n for n in os.listdir(os.path.join(HERE, PACKAGE)) if n.endswith((".py", ".typed")))


def _read(*path: str) -> bytes:
    with open(os.path.join(HERE, *path), "rb") as f:
        return f.read()


def _field(key: str) -> str:
    found = re.search(rf'^{key} = "(.*)"$', _read("pyproject.toml").decode(), re.MULTILINE)
    if not found:
        raise SystemExit(f"pyproject.toml: {key}: is missing")
    return found.group(1)


def _metadata() -> str:
    return (
        f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {_field('version')}\nSummary: {_field('description')}\n"
        f"Requires-Python: {_field('requires-python')}\nDescription-Content-Type: text/markdown\n\n"
        + _read("README.md").decode()
    )


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
