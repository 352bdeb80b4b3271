"""`--log-file` and `--quiet`: the content of the file, the printed output, and invalid paths."""
import io
import os
import re
import sys

import job_files
import preloaded
import pytest
from processes import run
from terminals import run_in_terminal

from legacy_towers.cli.log_file import LogFile, LoggedStream, log_to, silent, value_of
from legacy_towers.cli.main import main
from legacy_towers.errors import ArgumentError

TITLE = re.compile(r"==== \d{4}-\d\d-\d\d \d\d:\d\d:\d\d (.*)\n")

pytestmark = pytest.mark.usefixtures("folder")


def read(path="log"):
    with open(path, encoding="utf-8") as source:
        return source.read()


@pytest.mark.parametrize(
    "written, logged",
    [
        (["one\ntwo\n"], "one\ntwo\n"),
        (["on", "e\nt", "wo\n"], "one\ntwo\n"),
        (["unfinished"], "unfinished\n"),
        (["\r 10%", "\r 20%", "\r 30%\n", "end\n"], " 30%\nend\n"),
        ([" 10%\r", " 20%\r", "   \r", "line\n", "\r 30%"], "line\n 30%\n"),
        (["windows\r\n", "windows\r", "\n"], "windows\nwindows\n"),
        (["\033[32mgreen\033[0m\n", "\033[A\033[2Kup\n"], "green\nup\n"),
        (["\u00b1\n"], "\u00b1\n"),
        ([], ""),
    ],
    ids=[
        "lines", "parts of lines", "unfinished line", "progress bar", "progress bar, return last", "CRLF",
        "escape sequences", "not ASCII", "nothing",
    ],
)
def test_a_log_file_has_the_final_lines_of_a_stream(written, logged):
    log, terminal = LogFile("log"), io.StringIO(newline="")
    stream = LoggedStream(terminal, log)
    for text in written:
        stream.write(text)
    stream.end()
    log.close()
    assert (terminal.getvalue(), read()) == ("".join(written), logged)


def test_a_logged_stream_does_not_keep_overwritten_text():
    stream = LoggedStream(io.StringIO(), LogFile("log"))
    for number in range(1000):
        stream.write("\r{:80}".format(number))
    assert len(stream._line) < 200


def test_silent_writes_to_the_file_only(capsys):
    with log_to("log", "title"):
        silent(sys.stderr).write("silent\n")
        print("out")
        print("err", file=sys.stderr)
    assert capsys.readouterr() == ("out\n", "err\n")
    assert TITLE.sub(r"\1 ", read()) == "title silent\nout\nerr\n"
    silent(sys.stderr).write("without a file\n")
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_a_full_disk_is_reported_once_and_printing_goes_on():
    log, terminal = LogFile("/dev/full"), io.StringIO()
    stream = LoggedStream(terminal, log)
    stream.write("one\n")
    stream.write("two\n")
    assert terminal.getvalue().splitlines() == [
        "one",
        "legacy-towers: warning: the log file '/dev/full' can't be written any more: No space left on device",
        "two",
    ]
    with pytest.raises(ArgumentError, match="--log-file: the log file '/dev/full' can't be written"):
        with log_to("/dev/full", "title"):
            pass


@pytest.mark.parametrize(
    "words, value",
    [
        ("train job.py --log-file a", "a"), ("train --log-file=a job.py", "a"),
        ("train --log-file a --log-file=b", "b"),
        ("train --log-file", None), ("train --log-file --quiet", None), ("train --log-files a", None), ("train", None),
        ("train --log-file=", ""),
    ],
)
def test_value_of_returns_the_last_value_of_an_option(words, value):
    assert value_of(words.split(), "--log-file") == value


def test_the_log_file_has_the_printed_output_and_later_runs_are_appended(capsys):
    assert main("train line.py --steps 3 --log-file log --checkpoint-dir kept".split()) == 0
    shown = capsys.readouterr()
    text = read()
    assert TITLE.match(text).group(1) == "legacy-towers train line.py --steps 3 --log-file log --checkpoint-dir kept"
    assert TITLE.sub("", text) == shown.err + shown.out
    assert main("train line.py --steps 5 --log-file=log --checkpoint-dir kept".split()) == 0
    shown = capsys.readouterr()
    assert read().startswith(text) and TITLE.sub("", read()[len(text) :]) == shown.err + shown.out
    assert (isinstance(sys.stdout, LoggedStream), isinstance(sys.stderr, LoggedStream)) == (False, False)


def test_quiet_prints_one_line_and_the_log_file_has_everything(capsys):
    assert main("train line.py --steps 3 --quiet --log-file log --says beware".split()) == 0
    shown = capsys.readouterr()
    assert re.match(r"trained 3 steps to a loss of [^\n]*; test error [^\n]* step 3\)\n$", shown.out)
    assert shown.err == ""
    text = TITLE.sub("", read())
    assert "legacy-towers: warning: beware\n" in text and "\nstep 1/3  33%  loss " in text and text.endswith(shown.out)


def test_quiet_prints_errors(capsys, folder):
    assert main("train line.py --quiet --towers 0 --log-file log".split()) == 2
    message = "legacy-towers: error: --towers is 0: at least 1 is needed\n"
    assert (capsys.readouterr().err, TITLE.sub("", read())) == (message, message)
    job_files.write(folder, "fails.py", job_files.LINE.replace("import warnings", "import nowhere"))
    assert main("train fails.py --quiet --log-file log".split()) != 0
    shown = capsys.readouterr().err
    assert "nowhere" in shown and read().endswith(shown)


def test_a_usage_error_is_in_the_log_file_too(capsys):
    with pytest.raises(SystemExit):
        main("train line.py --log-file log --nothing".split())
    assert TITLE.sub("", read()) == capsys.readouterr().err


@pytest.mark.parametrize("path", ["nowhere/log", ".", "pipe", ""], ids=["no folder", "a folder", "a pipe", "empty"])
def test_an_invalid_path_is_reported_before_tensorflow_is_imported(path):
    os.mkfifo("pipe")
    command = [sys.executable, "-X", "importtime", "-m", "legacy_towers", "train", "line.py", "--log-file=" + path]
    done = run(command)
    assert done.returncode == 2
    assert "legacy-towers: error: --log-file {!r} can't be opened for appending: ".format(path) in done.stderr
    assert "tensorflow.python" not in done.stderr and "numpy" not in done.stderr


def test_the_progress_bar_of_a_terminal_is_not_in_the_log_file():
    words = "train line.py --towers 2 --steps 20 --log-every 10 --log-file log"
    code, text = run_in_terminal([preloaded.executable(), "-m", "legacy_towers"] + words.split())
    assert code == 0 and "|" in text
    steps = [line.split("  loss")[0] for line in read().splitlines() if line.startswith("step ")]
    assert steps == ["step  1/20   5%", "step 10/20  50%", "step 20/20 100%"]
    assert "|" not in read() and "\r" not in read()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has pipes of packets")
def test_output_before_a_crash_is_in_the_log_file(folder):
    crash = '"""Fits a line."""\n        import os\n        os.write(2, b"from C\\n")\n        os.abort()'
    job_files.write(folder, "crash.py", job_files.LINE.replace('"""Fits a line."""', crash))
    done = run(
        [sys.executable, "-m", "legacy_towers", "train", "crash.py", "--quiet", "--log-file", "log"],
        TF_CPP_MIN_LOG_LEVEL=None,
    )
    assert done.returncode < 0 and done.stderr.startswith("from C\n")
    assert TITLE.sub("", read()) == done.stderr
