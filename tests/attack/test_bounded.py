"""What bounded.py measures is the program's own."""

import unittest

from bounded import Attack, run


class Measured(Attack):
    def test_the_peak_is_not_that_of_these_tests(self):
        held = b"x" * (300 << 20)
        result = self.survives(run("--version"), 0, peak_mb=40)
        self.assertGreater(result.peak_mb, 2, str(result))
        self.assertEqual(len(held), 300 << 20)


if __name__ == "__main__":
    unittest.main()
