"""Usage errors are reported before TensorFlow is imported and before the job's file is run."""
import json
import textwrap

import job_files
import pytest
from processes import run_python

from legacy_towers.training.job import declared_options

# Runs each command line and prints [exit code, standard error, whether TensorFlow or the job's file was imported].
PROGRAM = """
    import contextlib, io, json, sys
    from legacy_towers.cli.main import main

    results = []
    for words in json.load(open("words.json")):
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            try:
                code = main(words.split())
            except SystemExit as ended:
                code = ended.code
        results.append([code, stream.getvalue(), "tensorflow" in sys.modules or "line" in sys.modules])
    print(json.dumps(results))
"""

# (words, part of the message)
CLUSTER = "plan-cluster line.py --workers 4 --bandwidth 1Gbit --latency 50us"
MISTAKES = [
    ("nothing", "argument COMMAND: invalid choice: 'nothing'"),
    ("trian line.py", "argument COMMAND: invalid choice: 'trian', did you mean 'train'? (choose from"),
    ("train", "the following arguments are required: JOB"),
    ("train none.py", "there is no job file 'none.py' in the working directory /"),
    ("train line.py --towers x", "argument --towers: invalid int value: 'x'"),
    ("train line.py --towers 0", "--towers is 0: at least 1 is needed"),
    ("train line.py --device tpu", "argument --device: invalid choice: 'tpu'"),
    ("train line.py --input tape", "--input: there is no input pipeline 'tape'"),
    ("train line.py --input datset", "there is no input pipeline 'datset', did you mean 'dataset'? The names are "),
    ("train line.py --variables replicate", "there is no strategy 'replicate', did you mean 'replicated'? The names"),
    ("train line.py --reduction treee", "there is no reduction 'treee', did you mean 'tree'? The names are "),
    ("train line.py --reduction clip_by_global_norm+mean+", "the reduction 'clip_by_global_norm+mean+' ends in \"+\""),
    ("train line.py --reduction +mean", "the reduction '+mean' begins with \"+\": the names are "),
    ("train line.py --reduction mean++scale:2", "the reduction 'mean++scale:2' has no name between two \"+\""),
    ("train line.py --input dataset+staged", "a wrapper comes first: 'staged+dataset'"),
    ("train line.py --variables nowhere", "--variables: there is no strategy 'nowhere'"),
    ("train line.py --reduction mean+tree", "--reduction: the reduction 'mean+tree' has more than one member"),
    ("cluster --check --tf-config", "argument --tf-config: not allowed with argument --check"),
    ("cluster --start-seconds 9", "--start-seconds has no effect without --check"),
    ("cluster --allow-any-interface", "--allow-any-interface has no effect without --check"),
    ("train line.py --steps 0", "--steps is 0: at least 1 is needed"),
    ("train line.py --steps 3 --epochs 3", "argument --epochs: not allowed with argument --steps"),
    ("train line.py --per-tower-batch-size 0", "--per-tower-batch-size is 0: at least 1 is needed"),
    ("train line.py --towers 2 --global-batch-size 33", "is not divisible by 2 towers: use 32 or 34"),
    ("train line.py --memory-fraction 2", "--memory-fraction is 2: a number above 0 and up to 1 is needed"),
    ("train line.py --auto-seconds 0", "--auto-seconds is 0: a time above 0 is needed"),
    ("train line.py --log-every 0", "--log-every is 0: at least 1 is needed"),
    ("train line.py --trace no/x.json", "--trace is 'no/x.json': there is no directory"),
    ("train line.py --plan-json .", "--plan-json is '.', which is a directory: name a file"),
    ("train line.py --checkpoint-dir line.py", "--checkpoint-dir: 'line.py' is not a directory"),
    ("train line.py --rat 1", "there is no option --rat, did you mean --rate?; the job 'line' has --rate, --average, "),
    ("train line.py --rate fast", "argument --rate: invalid float value: 'fast'"),
    ("train --rate=fast line.py", "argument --rate: invalid float value: 'fast'"),
    ("train --rate 1 line.py --step 4", "there is no option --step, did you mean --steps?; the job 'line' has "),
    ("init line.py", "FILE is 'line.py', which exists: name another one"),
    ("init x.py --data arays", "argument --data: invalid choice: 'arays', did you mean 'arrays'?"),
    ("export line.py --checkpoint-dir none", "the following arguments are required: --output"),
    ("export line.py --checkpoint-dir none --output line.py", "--output is 'line.py', which exists: name a new direct"),
    ("export line.py --checkpoint-dir none --output x --outputs a,,b", "--outputs is 'a,,b': give names of predicti"),
    ("export line.py --checkpoint-dir none --output x --batch-size 0", "--batch-size is 0: at least 1 is needed"),
    ("export line.py --checkpoint-dir none --output x", "there is no checkpoint in 'none': train first"),
    ("evaluate line.py", "the following arguments are required: --checkpoint-dir"),
    ("evaluate line.py --checkpoint-dir none", "there is no checkpoint in 'none': train first, with --checkpoint-dir"),
    ("evaluate line.py --checkpoint-dir . --batch-size 0", "--batch-size is 0: at least 1 is needed"),
    ("predict line.py --checkpoint-dir . --output x.txt", "--output is 'x.txt': the name must end in .jsonl"),
    ("compare line.py --inputs feed,pigeon", "--inputs: there is no input pipeline 'pigeon'"),
    ("compare line.py --inputs dataset,dataset:next_per_tower", "--inputs names dataset:next_per_tower twice"),
    ("compare line.py --reductions nothing", "--reductions: there is no reduction 'nothing'"),
    ("compare line.py --towers 1,x", "argument --towers: '1,x' is not a list of whole numbers"),
    ("compare line.py --rounds 2", "--rounds is 2: at least 5 are needed"),
    ("compare line.py --json no/x.json", "--json is 'no/x.json': there is no directory"),
    ("compare line.py --html .", "--html is '.', which is a directory"),
    ("compare line.py --against .", ". can't be read: Is a directory"),
    ("parity line.py --python none", "--python 'none' can't be run: there is no such program"),
    ("parity line.py --python python3 --steps 0", "--steps is 0: at least 1 is needed"),
    ("run", "no script is given: pass SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]"),
    ("run none.py", "there is no script 'none.py' in the working directory /"),
    ("run /none.py", "there is no script '/none.py'\n"),
    ("run --check none.py", "there is no file or folder 'none.py' in the working directory /"),
    ("run --check line.md", "'line.md' is not a Python script: name a .py file"),
    ("run line.md", "'line.md' is not a Python script: name a .py file"),
    ("compare line.py --against none.json", "there is no file 'none.json' in the working directory /"),
    ("compare line.py --against none.json", ": write it first, by `legacy-towers compare JOB --json none.json`"),
    ("run --timeout-steps x line.py", "argument --timeout-steps: 'x' is not a whole number of at least 1"),
    ("run --towers 100000 line.py", "'100000' is not a whole number of at least 1 and at most 1024"),
    ("bottleneck --steps 1 line.py", "argument --steps: '1' is not a whole number of at least 5"),
    ("bottleneck --json no/x.json line.py", "there is no folder"),
    ("migrate . --select LT999", "no rule has the code 'LT999'; see `legacy-towers migrate --explain all`"),
    ("migrate --explain LT31", "no rule has the code 'LT31': the closest are LT309, LT310, "),
    ("migrate none.py", "there is no file or folder 'none.py' in the working directory /"),
    ("migrate . --out x.meta", "--out is for a MetaGraph (a file that ends in .meta), got '.'"),
    ("plan-cluster line.py --workers 4 --latency 50us", "the following arguments are required: --bandwidth"),
    ("plan-cluster line.py --workers 4 --bandwidth 25 --latency 1ms", "--bandwidth is '25': it must be a bandwidth "),
    ("plan-cluster line.py --workers 4 --bandwidth 1Gbit --latency 50", "--latency is '50': it must be a time "),
    ("plan-cluster line.py --workers 4 --bandwidth 1Gbit --latency=-5us", "--latency is '-5us': it must be a time of "),
    ("plan-cluster line.py --workers 4 --bandwidth 1Gbit --latency -5us", "--latency: expected one argument, and "),
    (CLUSTER + " --ps 0", "--ps is 0: at least 1 is needed"),
    (CLUSTER + " --towers 0", "--towers is 0: at least 1 is needed"),
    (CLUSTER + " --workers 0", "--workers is 0: at least 1 is needed"),
    (CLUSTER + " --per-tower-batch-size 0", "--per-tower-batch-size is 0: at least 1 is needed"),
    (CLUSTER + " --cores 0", "--cores is 0: a number above 0 is needed"),
    (CLUSTER + " --step-time 0ms", "--step-time is '0ms': it must be a time above 0 with its unit"),
    (CLUSTER + " --json no/x.json", "--json is 'no/x.json': there is no directory"),
    (CLUSTER + " --runtime none.json", "--runtime: there is no file 'none.json' in the working directory /"),
    (CLUSTER + " --runtime line.py", "line.py is not JSON: "),
    ("env --jsn", "there is no option --jsn, did you mean --json?"),
]


def test_usage_errors_are_reported_before_tensorflow_is_imported(tmp_path, monkeypatch):
    pytest.importorskip("psutil")  # compare checks for it first
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)
    (tmp_path / "line.md").write_text("# A line\n")
    (tmp_path / "words.json").write_text(json.dumps([words for words, _ in MISTAKES]))
    results = json.loads(run_python(PROGRAM).stdout.splitlines()[-1])
    assert len(results) == len(MISTAKES)
    for (words, message), (code, error, imported) in zip(MISTAKES, results):
        assert (words, code, imported) == (words, 2, False), error
        assert message in error and error.count("\n") == 1, (words, error)


DECLARED = {
    "one job": ("import legacy_towers as lt\n@lt.job\ndef a(x=1, *, y=2): pass\n", ("a", {"x": 1, "y": 2})),
    "job by its name": ("from legacy_towers import job\n@job\ndef a(x=-1.5): pass\n", ("a", {"x": -1.5})),
    "defaults that are not literals": (
        "import legacy_towers as lt\n@lt.job\ndef a(v, w=RATE, *, x, y=2 * 3, z='t'): pass\n",
        ("a", {"v": None, "w": None, "x": None, "y": None, "z": "t"}),
    ),
    "another name": ("from legacy_towers import job as task\n@task\ndef a(): pass\n", ("a", {})),
    "two jobs": ("import legacy_towers as lt\n@lt.job\ndef a(): pass\n@lt.job\ndef b(): pass\n", None),
    "two decorators": ("import legacy_towers as lt\n@lt.job\n@other\ndef a(x=1): pass\n", None),
    "another package's job": ("import other as lt\n@lt.job\ndef a(x=1): pass\n", None),
    "imported job": ("from jobs import a\n", None),
    "not Python": ("def a(:\n", None),
}


@pytest.mark.parametrize("source, expected", list(DECLARED.values()), ids=list(DECLARED))
def test_declared_options_reads_the_file_without_running_it(source, expected, tmp_path):
    path = tmp_path / "jobs.py"
    path.write_text("raise SystemExit('the file was run')\n" + textwrap.dedent(source))
    assert declared_options(str(path)) == expected


def test_declared_options_of_one_of_several_jobs(tmp_path):
    path = tmp_path / "jobs.py"
    path.write_text("import legacy_towers as lt\n@lt.job\ndef a(x=1): pass\n@lt.job\ndef b(y=1): pass\n")
    assert declared_options(str(path) + ":b") == ("b", {"y": 1})
    assert declared_options(str(path) + ":c") is None
