"""Each block of README and of the documentation runs, and prints the output on the page."""
import ast
import builtins
import json
import os
import re
import subprocess
import sys

import preloaded
import pytest
from doc_blocks import CHECKOUT, blocks_of, missing_lines, pages

# The outputs on the pages are those of this TensorFlow. Other versions run the blocks, but may print other lines.
SHOWN = "2.21."
# The first line of a block that needs more than the page's first block: the names and the graph of the one above it.
CONTINUES = "# Continues the block above."
# Runs the blocks that it gets as JSON as a reader does who copies all of them into one interpreter.
DRIVER = """
import json, sys
names = {"__name__": "__main__"}
for block in json.load(open(sys.argv[1], encoding="utf-8")):
    exec(compile("\\n" * (block["line"] - 1) + block["text"], block["page"], "exec"), names)
    sys.stdout.flush()
    print("\\x00", end="", flush=True)
"""


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: the blocks run in other processes."""


def test_each_block_runs_or_has_a_reason():
    for page in pages():
        for block in blocks_of(page):
            if block.language == "text":
                assert block.output_of is not None or "not run" in block.marks, (
                    "{}:{}: no command above prints this block: give it a mark, <!-- not run: REASON -->".format(
                        page, block.line
                    )
                )


@pytest.mark.parametrize("page", pages())
def test_each_block_needs_only_the_first_one_of_its_page_or_says_that_it_continues(page):
    first, known = None, set()
    for block in blocks_of(page):
        if block.language != "python" or "not run" in block.marks:
            continue
        used, given = _names_of(block.text)
        if not block.text.startswith(CONTINUES):
            known = set(first or dir(builtins))
        assert used - given - known == set(), "{}:{}: neither the first block nor this one gives these names".format(
            page, block.line
        )
        known |= given
        first = first or frozenset(known)


def _names_of(text):
    """Returns the names that a block reads and those that it gives, wherever in the block."""
    used, given = set(), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else given).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            given.add(node.name)
        elif isinstance(node, ast.arg):
            given.add(node.arg)
        elif isinstance(node, ast.alias):
            given.add((node.asname or node.name).partition(".")[0])
    return used, given


def _cases():
    """Yields a parameter for each page and language that has blocks to run."""
    for page in pages():
        blocks = blocks_of(page)
        for language in ("python", "sh"):
            chosen = [block for block in blocks if block.language == language and "not run" not in block.marks]
            for is_slow in (False, True):
                part = [block for block in chosen if ("slow" in block.marks) == is_slow]
                if not part:
                    continue
                name = "{}-{}{}".format(page.rpartition("/")[2], language, "-slow" if is_slow else "")
                marks = [pytest.mark.slow] if is_slow else []
                if language == "python":
                    marks.append(pytest.mark.needs_layers)
                if any("contrib.gan" in block.text for block in part):
                    marks.append(pytest.mark.needs_gan)
                yield pytest.param(page, language, is_slow, id=name, marks=marks)


@pytest.mark.parametrize("page, language, is_slow", list(_cases()))
def test_blocks_run_and_print_the_output_on_the_page(page, language, is_slow, tmp_path):
    from legacy_towers.compat import tf

    if is_slow and not tf.__version__.startswith(SHOWN):
        pytest.skip("the slow commands run on TensorFlow {}x, whose output the pages show".format(SHOWN))
    blocks = blocks_of(page)
    chosen = [
        index
        for index, block in enumerate(blocks)
        if block.language == language and "not run" not in block.marks and ("slow" in block.marks) == is_slow
    ]
    run = _run_python if language == "python" else _run_commands
    outputs = run(page, [blocks[index] for index in chosen], _folder(tmp_path))
    for block in blocks:
        if block.output_of not in chosen or "output varies" in block.marks or not tf.__version__.startswith(SHOWN):
            continue
        printed = outputs[chosen.index(block.output_of)]
        assert missing_lines(block.text, printed) == [], "{}:{}: it printed\n{}".format(page, block.line, printed)


def _folder(tmp_path):
    """Returns a working directory like the checkout's, with this Python's environment as .venv."""
    folder = tmp_path / "page"
    folder.mkdir()
    for name in ("examples", "tests"):
        os.symlink(os.path.join(CHECKOUT, name), str(folder / name))
    os.symlink(sys.prefix, str(folder / ".venv"))
    return str(folder)


def _environment():
    variables = dict(os.environ, COLUMNS="120", PYTHONPATH="")
    for name in ("TF_USE_LEGACY_KERAS", "TF_CPP_MIN_LOG_LEVEL"):  # a reader has not set them
        variables.pop(name, None)
    variables["PATH"] = os.pathsep.join([preloaded.commands(), os.path.join(sys.prefix, "bin"), variables["PATH"]])
    return variables


def _run_python(page, blocks, folder):
    path = os.path.join(folder, "blocks.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"page": page, "line": block.line, "text": block.text} for block in blocks], file)
    done = subprocess.run(
        [preloaded.executable(), "-c", DRIVER, path], cwd=folder, env=_environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, universal_newlines=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.split("\x00")[: len(blocks)]


def _run_commands(page, blocks, folder):
    outputs = []
    for block in blocks:
        # The environment exists already: of a line that creates one, only the last command runs.
        text = re.sub(r"^python3 -m venv .* && ", "", block.text, flags=re.MULTILINE)
        done = subprocess.run(
            ["bash", "-e", "-c", text], cwd=folder, env=_environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
        )
        assert done.returncode == 0, "{}:{}: exit code {}\n{}".format(
            page, block.line, done.returncode, done.stdout[-4000:]
        )
        outputs.append(done.stdout)
    return outputs
