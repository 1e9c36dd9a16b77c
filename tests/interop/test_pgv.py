"""The rules of PGV as lib/rules runs them, against the validators that PGV generated for go-control-plane."""

import os
import subprocess
import unittest

CASES = os.environ["XDSCOPE_PGV_CASES"]
ORACLE = os.environ["XDSCOPE_PGVORACLE"]


class AgainstGoControlPlane(unittest.TestCase):
    def differences(self, lines, seed):
        made = subprocess.run([CASES, str(lines), str(seed)], capture_output=True, check=True, timeout=120)
        judged = subprocess.run([ORACLE], input=made.stdout, capture_output=True, timeout=120)
        self.assertEqual(judged.stderr, b"")
        *differences, last = judged.stdout.decode().splitlines()
        self.assertEqual(last, f"read {lines}")
        self.violations = sum(int(line.split(b" ")[2]) for line in made.stdout.splitlines())
        return [f"{line[:400]} (pgv_cases {lines} {seed} -v {line.split()[0]})" for line in differences]

    def test_random_messages_break_as_many_rules(self):
        for seed in range(4):
            with self.subTest(seed=seed):
                self.assertEqual(self.differences(1500, seed), [])
                self.assertGreater(self.violations, 3000)


if __name__ == "__main__":
    unittest.main()
