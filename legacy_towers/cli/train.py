"""Trains a job on one or several towers, and evaluates it on its test examples at the end.

With --checkpoint-dir, checkpoints and summaries are written there, and a run that finds
a checkpoint resumes from it and ends at the same step. Ctrl-C or SIGTERM ends the run
after the current step, with a checkpoint.
"""
import argparse
import sys
from typing import Any, Optional, Sequence

from legacy_towers.cli.job_options import add_device, add_job, add_soft_placement, add_towers, job_of
from legacy_towers.cli.log_file import LOG_FILE, QUIET, silent
from legacy_towers.cli.parser import Parser
from legacy_towers.specs.pipelines import HELP as PIPELINES_HELP
from legacy_towers.training.checkpoints.options import FULL_DISK
from legacy_towers.training.nan_policy import NAN_LIMIT, ON_NAN
from legacy_towers.training.settings import TrainSettings, check_settings
from legacy_towers.training.stall_policy import ON_STALL, STALL_SECONDS


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    towers = parser.add_argument_group("towers and input")
    add_towers(towers, 1)
    add_device(towers)
    towers.add_argument(
        "--input",
        metavar="PIPELINE",
        help="input pipeline: {} (default: the job's)".format(PIPELINES_HELP),
    )
    towers.add_argument(
        "--order",
        choices=("any", "fixed"),
        default="any",
        help="fixed: no shuffling, so that every input pipeline has the same batches (default: any)",
    )
    towers.add_argument(
        "--variables",
        metavar="NAME",
        help="variable strategy, such as parameter_server, balanced or replicated; auto: the fastest one, measured "
        "before training (default: the job's)",
    )
    towers.add_argument(
        "--reduction",
        metavar="NAME",
        help="gradient reduction, such as mean or tree; auto: the fastest one, measured before training (default: the "
        "job's)",
    )
    towers.add_argument(
        "--schedule",
        metavar="NAME:RATE[,...]",
        help="learning-rate schedule, such as cosine:0.1,steps=1000,warmup=100, for a job whose optimizer function has "
        "the parameter learning_rate (default: the job's)",
    )
    towers.add_argument(
        "--auto-seconds", type=float, metavar="SECONDS", help="how long auto measures (default: 20)"
    )
    size = towers.add_mutually_exclusive_group()
    size.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    size.add_argument("--global-batch-size", type=int, metavar="N", help="examples per step of all towers")
    run = parser.add_argument_group("the run")
    end = run.add_mutually_exclusive_group()
    end.add_argument("--steps", type=int, metavar="N", help="end at global step N")
    end.add_argument("--epochs", type=int, metavar="N", help="end after N passes over the data (default: the job's)")
    run.add_argument(
        "--overfit-batches", type=int, metavar="N",
        help="train on the same first N global batches again and again, in fixed order: a check that the model can "
        "learn them",
    )
    run.add_argument(
        "--checkpoint-dir", metavar="DIR",
        help="keep checkpoints and summaries in DIR, and resume from its newest checkpoint",
    )
    run.add_argument(
        "--save-steps", type=int, metavar="N", help="save a checkpoint every N global steps (default: the job's)"
    )
    run.add_argument(
        "--save-seconds", type=float, metavar="SECONDS",
        help="save a checkpoint every SECONDS (default: the job's, or 600 without --save-steps); one is always saved "
        "at the end",
    )
    run.add_argument("--keep", type=int, metavar="N", help="keep the newest N checkpoints (default: the job's, or 5)")
    run.add_argument(
        "--keep-best", metavar="max:METRIC|min:METRIC",
        help="also keep the checkpoint with the best METRIC of an evaluation, as in max:accuracy or min:loss",
    )
    run.add_argument(
        "--on-full-disk", choices=FULL_DISK,
        help="if a checkpoint can't be written: continue training and try again, or stop (default: the job's, or "
        "continue); earlier checkpoints stay",
    )
    run.add_argument(
        "--evaluate-steps", type=int, metavar="N",
        help="also evaluate on the test examples every N global steps (default: the job's, or at the end only)",
    )
    run.add_argument(
        "--evaluate-seconds", type=float, metavar="SECONDS", help="also evaluate every SECONDS (default: the job's)"
    )
    run.add_argument(
        "--stop-early", metavar="max:METRIC|min:METRIC",
        help="stop when METRIC of the evaluations no longer improves, as in max:accuracy or min:loss; the checkpoint "
        "with the best one is kept",
    )
    run.add_argument(
        "--patience", type=int, metavar="N",
        help="with --stop-early: stop after N evaluations in a row without an improvement (default: the job's, or 3)",
    )
    run.add_argument(
        "--min-delta", type=float, metavar="X",
        help="with --stop-early: only a gain of more than X is an improvement (default: the job's, or 0)",
    )
    run.add_argument(
        "--skip-bad-records", type=int, metavar="N",
        help="skip up to N training records that can't be read or parsed, and count them (default: the first one ends "
        "the run)",
    )
    run.add_argument(
        "--stall-seconds", type=float, default=STALL_SECONDS, metavar="SECONDS",
        help="report a step that takes longer, with what it waits for; the first may take 10 times as long "
        "(default: 600)",
    )
    run.add_argument(
        "--on-stall", choices=ON_STALL, default="wait",
        help="after that report: wait on, or save a checkpoint and end with exit code 1 (default: wait)",
    )
    run.add_argument(
        "--warm-start", metavar="CHECKPOINT",
        help="take initial values from this checkpoint, or the newest one of this directory; a run that resumes does "
        "not use it (default: the job's)",
    )
    run.add_argument(
        "--warm-start-rename", action="append", default=[], metavar="PATTERN=REPLACEMENT",
        help="the name in that checkpoint of variables whose names match a regular expression, as in "
        "'model/(.*)=old/\\1'; can be repeated",
    )
    run.add_argument(
        "--warm-start-include", action="append", metavar="PATTERN",
        help="only variables whose names match get values of it; can be repeated",
    )
    run.add_argument(
        "--warm-start-exclude", action="append", default=[], metavar="PATTERN",
        help="variables whose names match keep their initial values; can be repeated",
    )
    run.add_argument(
        "--warm-start-strict", action="store_true", help="end the run if a variable is not in it or does not fit",
    )
    run.add_argument(
        "--log-every", type=int, default=50, metavar="N",
        help="steps between two lines of progress (default: 50)",
    )
    run.add_argument(
        "--fast-dev-run", action="store_true",
        help="try everything in two steps, with a checkpoint, an evaluation and a restore, in a temporary directory; "
        "exit code 1 if something fails",
    )
    run.add_argument(
        "--on-nan", choices=ON_NAN, default="stop",
        help="if the loss is NaN or infinite: stop with exit code 1; skip the update of that step; restore the newest "
        "checkpoint and continue with the next examples; or off (default: stop)",
    )
    run.add_argument(
        "--nan-limit", type=int, default=NAN_LIMIT, metavar="N",
        help="stop if more than N steps in a row are skipped, or after N restores (default: {})".format(NAN_LIMIT),
    )
    run.add_argument(
        "--summary-every", type=int, metavar="N",
        help="steps between two summaries for TensorBoard in DIR; 0: none (default: the job's, or 100)",
    )
    run.add_argument(
        "--metrics-every", type=int, metavar="N",
        help="steps between two lines of DIR/metrics.jsonl; 0: none (default: the job's, or 100)",
    )
    run.add_argument(
        "--prometheus-port", type=int, metavar="PORT",
        help="serve metrics to Prometheus on this port; needs prometheus_client",
    )
    run.add_argument(
        "--trace", metavar="FILE",
        help="write a Chrome trace of the tenth step of this run, with a row per tower",
    )
    run.add_argument(
        "--trace-steps", metavar="STEPS",
        help="trace these global steps instead, as in 100,200 or 100:103, each in a file: step.json is step-100.json, "
        "and so on",
    )
    run.add_argument(
        "--plan", action="store_true",
        help="also print the device and the gradient reduction of each variable",
    )
    run.add_argument("--plan-json", metavar="FILE", help="write the plan of the step, as JSON, before the first step")
    printed = parser.add_argument_group("what is printed")
    printed.add_argument(QUIET, action="store_true", help="print errors and one line with the result only")
    printed.add_argument(
        LOG_FILE, metavar="FILE",
        help="append the output to FILE; with --quiet, the output that a run without --quiet prints",
    )
    session = parser.add_argument_group("the session")
    add_soft_placement(session)
    session.add_argument("--allow-growth", action="store_true", help="reserve GPU memory as it is needed")
    session.add_argument(
        "--memory-fraction", type=float, metavar="FRACTION",
        help="fraction of each GPU's memory to reserve",
    )
    session.add_argument(
        "--log-device-placement", action="store_true",
        help="let TensorFlow log the device of each operation",
    )
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    check_settings(_settings(arguments))


def _settings(arguments: argparse.Namespace) -> TrainSettings:
    return TrainSettings(**{name: getattr(arguments, name) for name in TrainSettings._fields})


def run(arguments: argparse.Namespace) -> int:
    job_function, job = job_of(arguments)
    from legacy_towers.training.hooks.signal_watch import interruptible
    from legacy_towers.training.train import train

    settings = _settings(arguments)
    notes: Any = silent(sys.stderr) if arguments.quiet else sys.stderr
    if arguments.fast_dev_run:
        with interruptible():
            return _fast_dev_run(job, settings, arguments, job_function.name)
    with interruptible():
        trained = train(job, settings, notes, name=job_function.name, full_plan=arguments.plan)
    results = []
    if trained.steps:
        results.append(_result(trained.steps, trained.loss, trained.examples_per_second, settings.towers))
    details = list(trained.staleness)
    if trained.skipped is not None:
        details.append(str(trained.skipped))
    if trained.skipped_steps:
        details.append("{:,} step{} skipped: a loss or a gradient was NaN or infinite".format(
            trained.skipped_steps, " was" if trained.skipped_steps == 1 else "s were"
        ))
    if trained.restored:
        details.append("the variables were restored {} after a loss of NaN".format(
            "once" if trained.restored == 1 else "{} times".format(trained.restored)
        ))
    details += trained.traces
    if trained.stopped_early is not None:
        details.append(trained.stopped_early)
    if trained.best is not None:
        details.append("the best checkpoint is {}".format(trained.best))
    if trained.evaluation is not None:
        results.append(str(trained.evaluation))
    if arguments.quiet:
        notes.writelines(line + "\n" for line in details)
        if results:
            print("; ".join(results))
    else:
        for line in results[:1] + details + results[1:] if trained.steps else details + results:
            print(line)
    if trained.interrupted is not None:
        kept = "; the same command resumes from there" if arguments.checkpoint_dir else ""
        print("interrupted at step {} of {}{}".format(trained.step, trained.last_step, kept), file=sys.stderr)
        return 128 + trained.interrupted  # the exit code of a shell: 130 after Ctrl-C
    return 0


def _fast_dev_run(job: Any, settings: TrainSettings, arguments: argparse.Namespace, name: str) -> int:
    from legacy_towers.text.terminal import layout_of
    from legacy_towers.training.fast_dev_run import fast_dev_run

    tried = fast_dev_run(job, settings, _print_nothing if arguments.quiet else _print_now, name)
    if tried.interrupted is not None:
        print("interrupted", file=sys.stderr)
        return 128 + tried.interrupted
    if arguments.plan:
        print("\n{}\n".format(tried.plan.as_text(layout_of(sys.stdout))))
    print("the fast dev run passed, and nothing of it is kept")
    return 0


def _print_now(line: str) -> None:
    print(line, flush=True)


def _print_nothing(line: str) -> None:
    pass


def _result(steps: int, loss: Optional[float], examples_per_second: Optional[float], towers: int) -> str:
    from legacy_towers.training.formatting import format_number

    result = "trained {:,} step{}".format(steps, "" if steps == 1 else "s")
    if loss is not None:
        result += " to a loss of {}".format(format_number(loss))
    if examples_per_second is not None:
        result += ", {:,.0f} examples/s over {} tower{}".format(
            examples_per_second, towers, "" if towers == 1 else "s"
        )
    return result
