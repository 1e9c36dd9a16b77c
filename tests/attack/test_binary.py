"""The built program itself: hardened by compiler and linker, in every kind of build.

What linker and loader do is in the headers of the file. What the compiler does is in the code of our functions, whose
names are in the symbol table: the libraries of the system bring their own hardening along, and would hide that ours is
missing."""

import re
import subprocess
import unittest

from bounded import program

ENDBR64 = b"\xf3\x0f\x1e\xfa"
CANARY = re.compile(rb"\x64\x48[\x8b\x2b\x3b].\x25\x28\x00\x00\x00", re.DOTALL)  # mov, sub or cmp with %fs:0x28
PROBES = (b"\x48\x83\x0c\x24\x00", b"\x48\xc7\x04\x24\x00\x00\x00\x00")  # orq or movq $0 to (%rsp): g++, clang


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, program("XDSCOPE")], capture_output=True, text=True,
                          check=True).stdout


def functions(pattern):
    """The code of the functions whose names match, by name."""
    segments = []
    for line in readelf("-l").splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            segments.append((int(words[2], 16), int(words[4], 16), int(words[1], 16)))
    with open(program("XDSCOPE"), "rb") as stream:
        image = stream.read()
    found = {}
    for line in readelf("-s").splitlines():
        words = line.split()
        if len(words) != 8 or words[3] != "FUNC" or words[6] == "UND" or not re.search(pattern, words[7]):
            continue
        address, size = int(words[1], 16), int(words[2], 0)
        for start, length, offset in segments:
            if start <= address < start + length:
                found[words[7]] = image[offset + address - start:offset + address - start + size]
    return found


class Headers(unittest.TestCase):
    def test_the_program_is_put_at_another_address_in_each_run(self):
        self.assertRegex(readelf("-h"), r"Type:\s+DYN")

    def test_what_is_relocated_is_not_writable_afterwards(self):
        self.assertIn("GNU_RELRO", readelf("-l"))
        self.assertRegex(readelf("-d"), r"\(FLAGS_1\).*\bNOW\b")

    def test_the_stack_is_not_executable(self):
        stack = next(line for line in readelf("-l").splitlines() if "GNU_STACK" in line)
        self.assertNotIn("E", stack.split()[6])


class Code(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours = functions("^_ZNK?7xdscope")
        assert len(cls.ours) > 1000, "the program has no symbols of ours"

    def share(self, condition):
        return sum(1 for code in self.ours.values() if condition(code)) / len(self.ours)

    def test_a_function_is_entered_at_its_beginning_only(self):
        # Not those that nobody can call by address.
        self.assertGreater(self.share(lambda code: code.startswith(ENDBR64)), 0.5)

    def test_functions_with_arrays_guard_their_stack(self):
        self.assertGreater(self.share(CANARY.search), 0.05)

    def test_a_large_array_is_touched_page_by_page(self):
        # base::DiskFiles reads into 64 kB on the stack.
        reading = functions("^_ZN7xdscope4base.*(ReadFrom|ReadAll|DiskFiles4Read)")
        self.assertTrue(any(probe in code for code in reading.values() for probe in PROBES), reading.keys())

    def test_the_standard_library_checks_indexes(self):
        self.assertIn("__glibcxx_assert_fail", readelf("-s"))


if __name__ == "__main__":
    unittest.main()
