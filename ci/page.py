# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of documentation of which a measure writes a part."""
import os
import sys


def rewrite(page, begin, end, text):
    """Puts text between the lines begin and end, which page must have."""
    with open(page) as file:
        head, has_begin, rest = file.read().partition(begin)
    _, has_end, tail = rest.partition(end)
    if not has_begin or not has_end:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {page} lacks the lines {begin}{end}")
    with open(page, "w") as file:
        file.write(head + begin + "\n" + text + "\n" + end + tail)
