"""Writes the page of the command line from the parsers of legacy_towers.cli.

    python docs/tools/command_line.py     prints the page

It needs legacy_towers installed, and no TensorFlow: what `--help` needs.
"""
import argparse
import importlib
import inspect
import re
from unittest import mock

from legacy_towers.cli import main as cli
from legacy_towers.cli.parser import Parser

INTRODUCTION = """\
# Command line

After this page you know each command and each option of `legacy-towers`. The page is generated from the command's own
parsers: `legacy-towers COMMAND --help` prints the same text, and `legacy-towers COMMAND JOB --help` also lists the
options that a job adds.
"""


def page() -> str:
    """Returns the page as Markdown: a table of all commands, then a section for each of them."""
    lines = [INTRODUCTION, "| command | what it does |", "| --- | --- |"]
    lines += ["| [`{0}`](#{0}) | {1} |".format(row.name, _cell(row.help)) for row in cli.SUBCOMMANDS]
    lines += ["", "## Exit codes", "", "| code | meaning |", "| --- | --- |"]
    lines += ["| {} | {} |".format(code, _cell(meaning)) for code, meaning in _exit_codes()]
    for row in cli.SUBCOMMANDS:
        lines += ["", "## {0} {{: #{0} }}".format(row.name), ""] + _section(row)
    return "\n".join(lines) + "\n"


def parser_of(row) -> Parser:
    """Returns the parser of the subcommand `row`, as it is without a job."""
    module = importlib.import_module(row.module)
    parser = Parser(prog="{} {}".format(cli.PROGRAM, row.name), description=module.__doc__)
    module.add_arguments(parser, [])
    return parser


def shown_actions(parser):
    """Returns the arguments and options of a parser that --help shows, each once."""
    return [action for action in parser._actions if action.help is not argparse.SUPPRESS]


def _exit_codes():
    text = re.search(r"exit codes: (.*)", cli.EPILOG).group(1)
    return re.findall(r"(\d+) ([^,]+(?:,(?! \d)[^,]+)*)", text)


def _section(row):
    parser = parser_of(row)
    # The width of what is shown does not depend on the terminal of the build.
    with mock.patch.dict("os.environ", COLUMNS="92"):
        usage = parser.format_usage()
    lines = [_description(parser.description), "", "```text", re.sub(r"^usage: ", "", usage).strip(), "```"]
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action in shown_actions(parser)]
        if not actions:
            continue
        title = {"positional arguments": "Arguments", "optional arguments": "Options", "options": "Options"}.get(
            group.title, group.title[0].upper() + group.title[1:]
        )
        lines += ["", "### {0} {{: #{1}-{2} }}".format(title, row.name, re.sub(r"\W+", "-", title.lower())), ""]
        if group.description:
            lines += [group.description, ""]
        lines += ["| option | meaning |" if title != "Arguments" else "| argument | meaning |", "| --- | --- |"]
        lines += ["| {} | {} |".format(_names(action), _meaning(parser, action)) for action in actions]
    return lines


def _description(text):
    """Returns a docstring as Markdown: lines that are indented are a block of commands."""
    lines, inside = [], False
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith("    ") and not inside:
            lines.append("```text")
            inside = True
        elif inside and line and not line.startswith("    "):
            while lines[-1] == "":
                lines.pop()
            lines += ["```", ""]
            inside = False
        lines.append(line[4:] if inside else line)
    return "\n".join(lines + ["```"] if inside else lines)


def _names(action):
    value = action.metavar
    if value is None and action.choices is not None:
        value = ", ".join(str(choice) for choice in action.choices)
    if value is None:
        value = action.dest.upper()
    if isinstance(value, tuple):
        value = " ".join(value)
    if action.nargs == 0:
        value = ""
    if not action.option_strings:
        return "`{}`".format(value.replace("|", "\\|"))
    names = ", ".join("`{}`".format(name) for name in action.option_strings)
    return "{} `{}`".format(names, value.replace("|", "\\|")) if value else names


def _meaning(parser, action):
    if action.help is None:
        return ""
    return _cell(parser._get_formatter()._expand_help(action))


def _cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    print(page(), end="")
