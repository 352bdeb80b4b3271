"""The output of commands in a terminal of a given width."""
import re
import sys

import job_files
import preloaded
import pytest
from terminals import run_in_terminal, shown_lines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
LONG = job_files.LINE.replace('"w", [3, 1]', '"a_layer/whose_name/is_longer/than_the_terminal/is_wide/kernel", [3, 1]')


@pytest.fixture
def command(tmp_path):
    """A function that runs the command line in a terminal, with line.py and long.py in its folder."""
    job_files.write(tmp_path, "line.py", job_files.LINE)
    job_files.write(tmp_path, "long.py", LONG)

    def run_command(words, columns=80, **environment):
        command = [preloaded.executable(), "-m", "legacy_towers"] + words.split()
        return run_in_terminal(command, columns, cwd=tmp_path, **environment)

    return run_command


def test_train_prints_its_lines_above_the_progress_bar(command):
    pytest.importorskip("tqdm")
    code, text = command("train line.py --towers 2 --steps 20 --log-every 5")
    assert code == 0 and "\r" in text
    lines = shown_lines(text)
    steps = [line for line in lines if line.startswith("step ")]
    assert [line.split("  loss")[0] for line in steps[:-1]] == [
        "step  1/20   5%", "step  5/20  25%", "step 10/20  50%", "step 15/20  75%", "step 20/20 100%"
    ]
    assert re.match(r"step 20/20 100% \|.*\| \d\d:\d\d<00:00, loss 0\.\d+, [\d,]+ examples/s$", steps[-1])
    assert len(steps[-1]) <= 80
    assert lines[lines.index(steps[-1]) + 1].startswith("trained 20 steps ")


@pytest.mark.parametrize("columns", [80, 60])
def test_the_table_of_a_plan_fits_the_width(command, columns):
    code, text = command("train long.py --towers 2 --steps 1 --plan", columns)
    assert code == 0
    lines = shown_lines(text)
    first = next(number for number, line in enumerate(lines) if line.startswith("variable "))
    table = lines[first : next(number for number, line in enumerate(lines) if line.startswith("step 1/1"))]
    assert max(map(len, table)) <= columns
    # The name is wrapped in the first column.
    named = "".join(line.split("  ")[0].strip() for line in table if line and line.split("  ")[0].strip()[0] != "-")
    assert "a_layer/whose_name/is_longer/than_the_terminal/is_wide/kernel" in named
    for word in ("shape", "dtype", "bytes", "3x1", "float32", "12"):
        assert word in " ".join(table)


def test_env_fits_the_width_and_colours_what_will_not_work(command):
    code, text = command("env", 60)
    assert code == 0
    plain = re.sub(r"\033\[\d+m", "", text)
    assert max(map(len, plain.splitlines())) <= 60
    problems = text[text.index("will not work:") :].splitlines()[1:]
    assert problems == ["  none"] or all(re.match(r"\033\[31m  .*\033\[0m$", line) for line in problems if line)
    assert "\033" not in command("env", 60, NO_COLOR="1")[1]
