"""Writes docs/pages/checks.md: what each check of `legacy-towers doctor` finds, why it matters and what to do.

    python docs/tools/checks_page.py docs/pages/checks.md     from the checkout
"""
import sys
from typing import List

from legacy_towers.doctor import examine  # noqa: F401  # registers the checks
from legacy_towers.doctor.registry import Check, checks

_HEAD = """\
<!-- Written by `python docs/tools/checks_page.py docs/pages/checks.md`. -->

# Checks of doctor

After this page you know what each check of [`legacy-towers doctor`](doctor.md) finds, why it matters and what to do.
`legacy-towers doctor --explain CODE` prints the same.

An *error* is reported where what the script computes is wrong, or where it fails or never ends; a *warning* where it
is slower or less random than it looks.
"""


def page() -> str:
    """Returns the text of the page."""
    return "\n".join([_HEAD, _table(checks())] + [_section(each) for each in checks()])


def _table(rows: List[Check]) -> str:
    lines = ["| code | name | severity |", "| --- | --- | --- |"]
    lines += ["| {} | {} | {} |".format(each.code, each.name, each.severity) for each in rows]
    return "\n".join(lines) + "\n"


def _section(check: Check) -> str:
    return "## {} {}\n\n{}\n".format(check.code, check.name, check.explanation)


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(page())
