"""The package installs without a network and without anything but pip."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from .gateway import missing

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class InstallTest(unittest.TestCase):
    def test_offline(self) -> None:
        if importlib.util.find_spec("pip") is None:
            missing("pip is not there")
        for flags in ([], ["--no-build-isolation"]):
            with self.subTest(flags), tempfile.TemporaryDirectory() as target:
                pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-index", *flags]
                subprocess.run([*pip, "--target", target, HERE], check=True, capture_output=True, timeout=300)
                says = "import loopwatch, os; print(loopwatch.Run.__name__, os.path.dirname(loopwatch.__file__))"
                env = {**os.environ, "PYTHONPATH": target}
                done = subprocess.run([sys.executable, "-c", says], env=env, cwd="/", capture_output=True, text=True)
                self.assertEqual(done.stdout.split(), ["Run", os.path.join(target, "loopwatch")], done.stderr)
                self.assertTrue(os.path.exists(os.path.join(target, "loopwatch", "py.typed")))
