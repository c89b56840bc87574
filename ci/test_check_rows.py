#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of check_rows.py."""
import unittest

import check_rows


def table(change=None):
    """A document with a line and a test for each row; change replaces the line of row 7."""
    lines = [f"| {row} | a concept | Row{row:02}Holds | yes |" for row in check_rows.ROWS]
    if change is not None:
        lines[6] = change
    return "# Text\n\n## Concepts of the notes\n\n| row | concept | test | state |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n"


TESTS = {f"Row{row:02}Holds": {row} for row in check_rows.ROWS}


class CheckRows(unittest.TestCase):
    def test_complete_table_is_right(self):
        self.assertEqual(check_rows.check(table(), TESTS), [])

    def test_row_without_a_test_is_found(self):
        tests = {name: rows for name, rows in TESTS.items() if name != "Row07Holds"}
        self.assertEqual(check_rows.check(table(), tests),
                         ["row 7: there is no test Row07Holds", "row 7: no test is named after it"])

    def test_test_that_is_not_listed_is_found(self):
        self.assertEqual(check_rows.check(table(), TESTS | {"Row07And08Both": {7, 8}}),
                         ["row 7: Row07And08Both is not listed", "row 8: Row07And08Both is not listed"])

    def test_missing_row_and_reason_are_found(self):
        self.assertIn("the rows of the table are", check_rows.check(table(""), TESTS)[0])
        self.assertEqual(check_rows.check(table("| 7 | a concept | Row07Holds | part |"), TESTS),
                         ["row 7: the state is neither yes, nor part or no with a reason"])


if __name__ == "__main__":
    unittest.main()
