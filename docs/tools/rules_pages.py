"""Writes the pages of the rules of `legacy-towers migrate PATH`: one for each rule, and the list of all.

    python docs/tools/rules_pages.py LT101     prints the page of a rule

It needs legacy_towers installed, and no TensorFlow.
"""
import re
import sys
from typing import Dict, List, Tuple

from legacy_towers.migrate.source import output
from legacy_towers.migrate.source import rules as _registered  # noqa: F401  # registers the rules
from legacy_towers.migrate.source.rules.registry import Rule, rules, written

FOLDER = "rules"
# Beginning of the codes -> what the rules are about.
GROUPS = {
    "LT1": "Producers", "LT2": "Readers", "LT3": "Batches", "LT4": "Queues and staging areas",
    "LT5": "What starts and stops queues", "LT6": "Libraries",
}
_HEAD = """\
# Rules of migrate

After this page you know each construct of queues that
[`legacy-towers migrate PATH`](../queues-to-tf-data.md#audit-source-code) finds, what it becomes in tf.data, and
where to read when it stays. `legacy-towers migrate --explain CODE` prints the page of a rule.
"""
_NAMES = """
## Names in the examples

The examples of the pages run in the tests, on TensorFlow 1.15 and on TensorFlow 2 with
`from legacy_towers.compat import tf`. They use these names:

| name | what it is |
| --- | --- |
| `records`, `pattern` | names of two TFRecord files with the feature `id`; a pattern that they match |
| `texts` | names of two CSV files with a header and the columns `id` and `x` |
| `binaries` | names of two files of 16 bytes |
| `images`, `labels` | names of six PNG files of 2 by 2 pixels; six numbers |
| `parse`, `parse_many` | functions that return the `id` of a serialized example, and those of several |
"""


def pages() -> Dict[str, str]:
    """Returns path -> content of each page."""
    found = {"{}/{}.md".format(FOLDER, rule.code): page(rule) for rule in rules()}
    found["{}/index.md".format(FOLDER)] = _list()
    return found


def navigation() -> List[Dict[str, object]]:
    """Returns the entries of the navigation: the list, and the rules by group."""
    entries: List[Dict[str, object]] = [{"All rules": "{}/index.md".format(FOLDER)}]
    for title, group in _groups():
        entries.append({title: [
            {"{} {}".format(rule.code, rule.title.rpartition(".")[2]): "{}/{}.md".format(FOLDER, rule.code)}
            for rule in group
        ]})
    return entries


def page(rule: Rule) -> str:
    """Returns the page of a rule."""
    names = ["`{}`".format(written(name)) for name in rule.names]
    lines = [
        "# {} {}".format(rule.code, rule.title), "",
        "After this page you know what `{}` becomes in tf.data, and when it stays.".format(rule.title), "",
        "Becomes: {}.".format(_code_in(rule.becomes)), "", rule.explanation.strip(), "",
    ]
    if len(names) > 1:
        lines += ["The rule finds {}.".format(", ".join(names)), ""]
    lines += [
        "## When it stays", "", rule.limits.strip(), "",
        "## Example", "", "With queues:", "", "```python", rule.example.before.strip(), "```", "",
        "With tf.data:", "", "```python", rule.example.after.strip(), "```", "",
        output.compared(rule.example), "", "[Names in the examples](index.md#names-in-the-examples)",
    ]
    return _linked("\n".join(lines)) + "\n"


def _list() -> str:
    lines = [_HEAD]
    for title, group in _groups():
        lines += ["## {}".format(title), "", "| code | construct | becomes |", "| --- | --- | --- |"]
        lines += ["| [{0}]({0}.md) | `{1}` | {2} |".format(rule.code, rule.title, _code_in(rule.becomes))
                  for rule in group]
        lines.append("")
    return "\n".join(lines) + _NAMES


def _groups() -> List[Tuple[str, List[Rule]]]:
    return [(title, [rule for rule in rules() if rule.code.startswith(code)]) for code, title in GROUPS.items()]


def _code_in(text: str) -> str:
    """Returns the line on what a construct becomes with its calls as code."""
    calls = re.sub(r"(?<![\w.])((?:tf\.|Dataset\.)?[\w.]+\((?:[^()]|\([^()]*\))*\))", r"`\1`", text)
    return calls.replace("|", "\\|")


def _linked(text: str) -> str:
    """Makes links of the codes of other rules in parentheses: (LT301)."""
    return re.sub(r"\((LT\d{3}(?:, LT\d{3})*)\)", lambda found: "({})".format(
        re.sub(r"(LT\d{3})", r"[\1](\1.md)", found.group(1))), text)


if __name__ == "__main__":
    print(pages()["{}/{}.md".format(FOLDER, sys.argv[1])], end="")
