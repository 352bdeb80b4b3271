"""Writes the pages of the checks of `legacy-towers doctor`: one for each check, and the list of all.

    python docs/tools/checks_pages.py      from the checkout

Unlike other generated pages they are in the checkout: the checks can't be imported without TensorFlow, and the site is
built without it. Pages of codes that are gone are removed.
"""
import os
import textwrap
from typing import Dict, List, Tuple

from legacy_towers.doctor import examine  # noqa: F401  # registers the checks
from legacy_towers.doctor.registry import Check, checks

PAGES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pages")
FOLDER = "checks"
_WIDTH = 119
_MARK = "<!-- Written by `python docs/tools/checks_pages.py`. -->\n"
_CHECKS = """\
# Checks of doctor

After this page you know which checks [`legacy-towers doctor`](doctor.md) runs; the page of each one says what it finds,
why it matters and what to do. `legacy-towers doctor --explain CODE` prints the same.

## Severities

An *error* is reported where what the script computes is wrong, or where it fails or never ends; a *warning* where it
is slower or less random than it looks. `legacy-towers run` prints errors, too.

## Codes

LD1 is about the examples of towers, LD2 about losses, gradients, variables and their updates, LD3 about queues and
staging areas, LD4 about sessions and the training loop, LD5 about devices, feeds and threads, LD6 about checkpoints.
"""


def pages() -> Dict[str, str]:
    """Returns path -> content of each page."""
    found = {"{}/{}.md".format(FOLDER, each.code): _check_page(each) for each in checks()}
    found["{}.md".format(FOLDER)] = _MARK + "\n" + _CHECKS + "\n" + _table(checks())
    return found


def write(folder: str = PAGES) -> None:
    """Writes the pages into a folder, and removes those of codes that are gone."""
    found = pages()
    os.makedirs(os.path.join(folder, FOLDER), exist_ok=True)
    for name in os.listdir(os.path.join(folder, FOLDER)):
        if "{}/{}".format(FOLDER, name) not in found:
            os.remove(os.path.join(folder, FOLDER, name))
    for path, text in found.items():
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)


def _table(rows: List[Check]) -> str:
    lines = ["| code | name | severity |", "| --- | --- | --- |"]
    lines += ["| [{0}]({1}/{0}.md) | {2} | {3} |".format(each.code, FOLDER, each.name, each.severity) for each in rows]
    return "\n".join(lines) + "\n"


def _check_page(check: Check) -> str:
    *what, remedy = check.explanation.split("\n\n")
    kind = {"error": "an *error*", "warning": "a *warning*"}[check.severity]
    return _page("{} {}".format(check.code, check.name), [
        ("", textwrap.fill(
            "After this page you know what the check {0} finds, why it matters and what to do. It is one of the "
            "[checks of doctor](../checks.md), and what it finds is {1}. `legacy-towers doctor --select {0}` runs it "
            "alone, `--ignore {0}` leaves it out.".format(check.code, kind), _WIDTH)),
        ("What it finds", "\n\n".join(what)),
        ("What to do", remedy),
    ])


def _page(title: str, sections: List[Tuple[str, str]]) -> str:
    parts = [_MARK, "# {}\n".format(title)]
    for heading, text in sections:
        parts += ["## {}\n".format(heading)] if heading else []
        parts.append(text + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    write()
