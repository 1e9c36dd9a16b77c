#!/usr/bin/env python3
"""The text form of `xdscope validate`, word for word: a mistake of each kind, in tests/golden/validate.

Usage: test_validate_examples.py PATH_OF_XDSCOPE

Each folder there holds files and, as expected.txt, what is printed about them.
"""

import os
import subprocess
import sys
import unittest

XDSCOPE = ""
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "validate")


class Examples(unittest.TestCase):
    def test_each_folder_is_judged_as_expected(self):
        folders = sorted(os.listdir(GOLDEN))
        self.assertEqual(len(folders), 6)
        for name in folders:
            with self.subTest(name):
                folder = os.path.join(GOLDEN, name)
                with open(os.path.join(folder, "expected.txt"), encoding="utf-8") as file:
                    expected = file.read()
                done = subprocess.run([XDSCOPE, "validate", ".", "-q"], cwd=folder, capture_output=True, timeout=60,
                                      check=False)
                self.assertEqual(done.stdout.decode(), expected, done.stderr.decode())


if __name__ == "__main__":
    XDSCOPE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
