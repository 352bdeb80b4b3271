"""Trains a job on one or several towers, and evaluates it on its test examples at the end.

With --checkpoint-dir, checkpoints and summaries are written there, and a run that finds
a checkpoint resumes from it and ends at the same step. Ctrl-C or SIGTERM ends the run
after the current step, with a checkpoint.
"""
import argparse
import os
import sys
from typing import Any, Optional, Sequence

from legacy_towers.cli.cluster_options import check_no_cluster_options, cluster_of
from legacy_towers.cli.job_options import job_of, options_of
from legacy_towers.cli.log_file import silent
from legacy_towers.cli.parser import Parser
from legacy_towers.cli.refusing import refusing
from legacy_towers.cli.train_options import add_train_options
from legacy_towers.cluster.records import JOB_FILE
from legacy_towers.cluster.value import EVALUATOR, PARAMETER_SERVER, START_SECONDS
from legacy_towers.errors import ArgumentError
from legacy_towers.training.settings import TrainSettings, check_settings


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_train_options(parser, given)


def check(arguments: argparse.Namespace) -> None:
    with refusing(arguments):
        check_settings(settings_of(arguments))


def settings_of(arguments: argparse.Namespace) -> TrainSettings:
    """Returns the settings that the options give."""
    return TrainSettings(**{name: getattr(arguments, name) for name in TrainSettings._fields})


def run(arguments: argparse.Namespace) -> int:
    with refusing(arguments):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    job_function, job = job_of(arguments)
    from legacy_towers.training.hooks.signal_watch import interruptible
    from legacy_towers.training.train import train

    settings = settings_of(arguments)
    cluster = _cluster_of_run(arguments, job_function)
    notes: Any = silent(sys.stderr) if arguments.quiet else sys.stderr
    if cluster is not None:
        settings = settings._replace(evaluator=settings.evaluator or bool(cluster.cluster.addresses(EVALUATOR)))
        if cluster.cluster.task_type == PARAMETER_SERVER:
            from legacy_towers.training.runs.serving import serve_run

            with interruptible():
                serve_run(cluster, settings)
            return 0
        if cluster.cluster.task_type == EVALUATOR:
            return _evaluate(job, settings._replace(evaluator=True), notes, cluster, arguments.quiet)
    if arguments.fast_dev_run:
        with interruptible():
            return _fast_dev_run(job, settings, arguments, job_function.name)
    with interruptible():
        trained = train(job, settings, notes, name=job_function.name, full_plan=arguments.plan, cluster=cluster)
    results = []
    if trained.steps:
        is_last = trained.loss_step == trained.step
        results.append(_result(
            trained.steps, trained.loss, None if is_last else trained.loss_step, trained.examples_per_second,
            trained.towers,
        ))
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
    if trained.late is not None:
        details.append(trained.late)
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


def _evaluate(job: Any, settings: TrainSettings, notes: Any, cluster: Any, quiet: bool) -> int:
    """Evaluates the checkpoints of the others' training; returns the exit code."""
    from legacy_towers.training.hooks.signal_watch import interruptible
    from legacy_towers.training.runs.evaluating import evaluate_run

    printed = []

    def report(evaluation: Any) -> None:
        if not quiet:
            print(evaluation, flush=True)
            printed.append(evaluation)

    with interruptible():
        evaluated = evaluate_run(job, settings, notes, cluster.wait_for_chief, report)
    if evaluated.best is not None:
        print("the best checkpoint is {}".format(evaluated.best))
    for evaluation in evaluated.evaluations[-1:]:
        if evaluation not in printed:
            print(evaluation)
    return 0 if evaluated.interrupted is None else 128 + evaluated.interrupted


def _cluster_of_run(arguments: argparse.Namespace, job_function: Any) -> Any:
    """Returns the cluster that the options name, and prints it; None without --cluster."""
    if arguments.cluster is None:
        check_no_cluster_options(
            arguments, allow_any_interface=arguments.allow_any_interface,
            start_seconds=arguments.start_seconds != START_SECONDS,
        )
        if arguments.backup_workers:
            raise ArgumentError("--backup-workers has no effect without --cluster")
        if arguments.evaluator:
            raise ArgumentError("--evaluator has no effect without --cluster")
        if arguments.elastic:
            raise ArgumentError("--elastic has no effect without --cluster")
        if "TF_CONFIG" in os.environ and not arguments.quiet:
            print("TF_CONFIG is not read, and this process trains alone: --cluster trains over its tasks",
                  file=sys.stderr)
        return None
    if arguments.fast_dev_run:
        raise ArgumentError("--fast-dev-run tries a job in one process: leave out --cluster")
    from legacy_towers import cluster as clusters
    from legacy_towers.training.runs.workers import ClusterOfRun

    found = cluster_of(arguments)
    if found.is_chief and not arguments.quiet:
        print(found, file=sys.stderr, flush=True)

    of_job = {"--" + name.replace("_", "-"): value for name, value in options_of(arguments).items()}
    of_job[JOB_FILE] = job_function.checksum

    def start(config: Any, flags: Any) -> Any:
        arguments.has_started = True
        return clusters.start(
            found, "train " + job_function.name, dict(flags, **of_job), config, arguments.start_seconds,
            arguments.allow_any_interface,
        )

    def wait_for_chief(is_over: Any) -> Any:
        from legacy_towers.cluster import chief

        return chief.wait_for_chief(
            found, "train " + job_function.name, dict(of_job, **{"--evaluator": True}), arguments.start_seconds, is_over
        )

    return ClusterOfRun(found, start, wait_for_chief)


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


def _result(
    steps: int, loss: Optional[float], loss_step: Optional[int], examples_per_second: Optional[float], towers: int
) -> str:
    """Returns a sentence on the steps; `loss_step` is the step of the loss, None for the last one."""
    from legacy_towers.training.formatting import format_number

    result = "trained {:,} step{}".format(steps, "" if steps == 1 else "s")
    if loss is not None:
        text = " to a loss of {}" if loss_step is None else ", with a loss of {} at step {:,}"
        result += text.format(format_number(loss), loss_step)
    if examples_per_second is not None:
        result += ", {:,.0f} examples/s over {} tower{}".format(
            examples_per_second, towers, "" if towers == 1 else "s"
        )
    return result
