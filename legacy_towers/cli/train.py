"""Trains a job on several towers.

With --checkpoint-dir, checkpoints and summaries are kept there, and a run that
finds a checkpoint goes on from it to the same end. At the end the job's test
examples are evaluated on the same towers. Ctrl-C or a SIGTERM ends the run after the
running step and saves a checkpoint.
"""
import argparse
import sys
from typing import Optional, Sequence

from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    towers = parser.add_argument_group("towers and input")
    towers.add_argument("--towers", type=int, default=1, metavar="N", help="number of towers (default: 1)")
    towers.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where towers are (default: cpu)")
    towers.add_argument(
        "--input",
        metavar="WAY",
        help="synthetic, feed, feed:background, queue, dataset, dataset:split, dataset:next_per_tower, "
        "dataset:sharded, dataset:per_device, or any but synthetic followed by +staged (default: the job's)",
    )
    towers.add_argument(
        "--order",
        choices=("any", "fixed"),
        default="any",
        help="fixed: no shuffling, the same batches for every way in (default: any)",
    )
    towers.add_argument(
        "--variables",
        metavar="NAME",
        help="where variables live, such as parameter_server, balanced or replicated; auto measures first which is the "
        "fastest (default: the job's)",
    )
    towers.add_argument(
        "--reduction",
        metavar="NAME",
        help="how the towers' gradients meet, such as mean or tree; or auto (default: the job's)",
    )
    towers.add_argument(
        "--auto-seconds", type=float, metavar="S", help="how long auto measures (default: 20)"
    )
    size = towers.add_mutually_exclusive_group()
    size.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    size.add_argument("--global-batch-size", type=int, metavar="N", help="examples per step over all towers")
    run = parser.add_argument_group("the run")
    end = run.add_mutually_exclusive_group()
    end.add_argument("--steps", type=int, metavar="N", help="stop at global step N")
    end.add_argument("--epochs", type=int, metavar="N", help="stop after N passes over the data (default: the job's)")
    run.add_argument("--checkpoint-dir", metavar="DIR", help="keep checkpoints there, and go on from what is there")
    run.add_argument("--log-every", type=int, default=50, metavar="N", help="steps between two lines (default: 50)")
    run.add_argument("--trace", metavar="FILE", help="write a Chrome trace of one step, with a row per tower")
    run.add_argument("--plan", action="store_true", help="also print each variable: where it lives, how it is averaged")
    run.add_argument("--plan-json", metavar="FILE", help="write the whole plan as JSON before the first step")
    session = parser.add_argument_group("the session")
    session.add_argument("--soft-placement", action="store_true", help="let TensorFlow move what a device can't run")
    session.add_argument("--allow-growth", action="store_true", help="reserve GPU memory as it is needed")
    session.add_argument("--memory-fraction", type=float, metavar="F", help="share of each GPU's memory to reserve")
    session.add_argument("--log-device-placement", action="store_true", help="let TensorFlow log each op's device")
    add_job(parser, given)


def run(arguments: argparse.Namespace) -> int:
    job_function, job = job_of(arguments)
    from legacy_towers.training import TrainSettings, train

    settings = TrainSettings(**{name: getattr(arguments, name) for name in TrainSettings._fields})
    trained = train(job, settings, name=job_function.name, full_plan=arguments.plan)
    if trained.steps:
        print(_result(trained.steps, trained.loss, trained.examples_per_second, settings.towers))
    for sentence in trained.staleness:
        print(sentence)
    if trained.overlap is not None:
        print("{} (trace of step {} in {})".format(trained.overlap, trained.traced_step, arguments.trace))
    if trained.interrupted is not None:
        kept = "; the same command goes on from there" if arguments.checkpoint_dir else ""
        print("interrupted at step {} of {}{}".format(trained.step, trained.last_step, kept), file=sys.stderr)
        return 128 + trained.interrupted  # as a shell says it: 130 after Ctrl-C
    if trained.evaluation is not None:
        print(trained.evaluation)
    return 0


def _result(steps: int, loss: Optional[float], examples_per_second: Optional[float], towers: int) -> str:
    from legacy_towers.training.figures import in_short

    words = "trained {:,} step{}".format(steps, "" if steps == 1 else "s")
    if loss is not None:
        words += " to a loss of {}".format(in_short(loss))
    if examples_per_second is not None:
        words += ", {:,.0f} examples/s over {} tower{}".format(
            examples_per_second, towers, "" if towers == 1 else "s"
        )
    return words
