# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of results with a line of JSON each, to which a measurement adds as it goes and from which a later one goes on."""

import json
import os


def read_rows(path):
    """The rows of the file; none if it does not exist. What a killed run has left of a last line is cut off."""
    if not path or not os.path.exists(path):
        return []
    with open(path, "r+", encoding="utf-8") as file:
        text = file.read()
        whole = text[:text.rfind("\n") + 1]
        if whole != text:
            file.truncate(len(whole.encode("utf-8")))
        return [json.loads(line) for line in whole.splitlines()]
