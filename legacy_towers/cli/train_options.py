"""The options of `legacy-towers train`, in the groups of its help."""
from typing import Sequence

from legacy_towers.cli.cluster_options import add_cluster_options
from legacy_towers.cli.job_options import add_device, add_job, add_soft_placement, add_towers
from legacy_towers.cli.log_file import LOG_FILE, QUIET
from legacy_towers.cli.parser import Parser
from legacy_towers.specs.pipelines import HELP as PIPELINES_HELP
from legacy_towers.training.checkpoints.options import FULL_DISK
from legacy_towers.training.nan_policy import NAN_LIMIT, ON_NAN
from legacy_towers.training.stall_policy import ON_STALL, STALL_SECONDS


def add_train_options(parser: Parser, given: Sequence[str]) -> None:
    """Adds all options, and JOB with the job's own ones.

    Args:
      given: the command line, in which a JOB may be named already.
    """
    _add_towers_and_input(parser)
    _add_length(parser)
    _add_checkpoints(parser)
    _add_warm_start(parser)
    _add_evaluation(parser)
    _add_faults(parser)
    _add_records(parser)
    _add_printed(parser)
    _add_session(parser)
    cluster = parser.add_argument_group("several processes")
    add_cluster_options(cluster)
    cluster.add_argument(
        "--backup-workers", type=int, default=0, metavar="B",
        help="with parameter servers: an update does not wait for the last B workers, whose gradients are dropped "
        "(default: 0)",
    )
    cluster.add_argument(
        "--evaluator", action="store_true",
        help="the task evaluator:0 evaluates each checkpoint while the others train, and the chief evaluates none; for "
        "all tasks",
    )
    cluster.add_argument(
        "--elastic", metavar="MIN:MAX",
        help="refuse what could not resume with another number of workers, from MIN to MAX, and each example once per "
        "epoch; `launch --elastic` gives it",
    )
    add_job(parser, given)


def _add_towers_and_input(parser: Parser) -> None:
    group = parser.add_argument_group("towers and input")
    add_towers(group, 1)
    add_device(group)
    group.add_argument(
        "--input",
        metavar="PIPELINE",
        help="input pipeline: {} (default: the job's)".format(PIPELINES_HELP),
    )
    group.add_argument(
        "--order",
        choices=("any", "fixed"),
        default="any",
        help="fixed: no shuffling, so that every input pipeline has the same batches (default: any)",
    )
    group.add_argument(
        "--variables",
        metavar="NAME",
        help="variable strategy, such as parameter_server, balanced or replicated; auto: the fastest one, measured "
        "before training (default: the job's)",
    )
    group.add_argument(
        "--reduction",
        metavar="NAME",
        help="gradient reduction, such as mean or tree; auto: the fastest one, measured before training (default: the "
        "job's)",
    )
    group.add_argument(
        "--schedule",
        metavar="NAME:RATE[,...]",
        help="learning-rate schedule, such as cosine:0.1,steps=1000,warmup=100, for a job whose optimizer function has "
        "the parameter learning_rate (default: the job's)",
    )
    group.add_argument(
        "--auto-seconds", type=float, metavar="SECONDS", help="how long auto measures (default: 20)"
    )
    size = group.add_mutually_exclusive_group()
    size.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    size.add_argument("--global-batch-size", type=int, metavar="N", help="examples per step of all towers")


def _add_length(parser: Parser) -> None:
    group = parser.add_argument_group("the run")
    end = group.add_mutually_exclusive_group()
    end.add_argument("--steps", type=int, metavar="N", help="end at global step N")
    end.add_argument("--epochs", type=int, metavar="N", help="end after N passes over the data (default: the job's)")
    group.add_argument(
        "--overfit-batches", type=int, metavar="N",
        help="train on the same first N global batches again and again, in fixed order: a check that the model can "
        "learn them",
    )
    group.add_argument(
        "--fast-dev-run", action="store_true",
        help="try everything in two steps, with a checkpoint, an evaluation and a restore, in a temporary directory; "
        "exit code 1 if something fails",
    )
    group.add_argument(
        "--log-every", type=int, default=50, metavar="N",
        help="steps between two lines of progress (default: 50)",
    )


def _add_checkpoints(parser: Parser) -> None:
    group = parser.add_argument_group("checkpoints")
    group.add_argument(
        "--checkpoint-dir", metavar="DIR",
        help="keep checkpoints and summaries in DIR, and resume from its newest checkpoint",
    )
    group.add_argument(
        "--save-steps", type=int, metavar="N", help="save a checkpoint every N global steps (default: the job's)"
    )
    group.add_argument(
        "--save-seconds", type=float, metavar="SECONDS",
        help="save a checkpoint every SECONDS (default: the job's, or 600 without --save-steps); one is always saved "
        "at the end",
    )
    group.add_argument("--keep", type=int, metavar="N", help="keep the newest N checkpoints (default: the job's, or 5)")
    group.add_argument(
        "--keep-best", metavar="max:METRIC|min:METRIC",
        help="also keep the checkpoint with the best METRIC of an evaluation, as in max:accuracy or min:loss",
    )
    group.add_argument(
        "--on-full-disk", choices=FULL_DISK,
        help="if a checkpoint can't be written: continue training and try again, or stop (default: the job's, or "
        "continue); earlier checkpoints stay",
    )


def _add_warm_start(parser: Parser) -> None:
    group = parser.add_argument_group("initial values from another checkpoint")
    group.add_argument(
        "--warm-start", metavar="CHECKPOINT",
        help="take initial values from this checkpoint, or the newest one of this directory; a run that resumes does "
        "not use it (default: the job's)",
    )
    group.add_argument(
        "--warm-start-rename", action="append", default=[], metavar="PATTERN=REPLACEMENT",
        help="the name in that checkpoint of variables whose names match a regular expression, as in "
        "'model/(.*)=old/\\1'; can be repeated",
    )
    group.add_argument(
        "--warm-start-include", action="append", metavar="PATTERN",
        help="only variables whose names match get values of it; can be repeated",
    )
    group.add_argument(
        "--warm-start-exclude", action="append", default=[], metavar="PATTERN",
        help="variables whose names match keep their initial values; can be repeated",
    )
    group.add_argument(
        "--warm-start-strict", action="store_true", help="end the run if a variable is not in it or does not fit",
    )


def _add_evaluation(parser: Parser) -> None:
    group = parser.add_argument_group("evaluation during training")
    group.add_argument(
        "--evaluate-steps", type=int, metavar="N",
        help="also evaluate on the test examples every N global steps (default: the job's, or at the end only)",
    )
    group.add_argument(
        "--evaluate-seconds", type=float, metavar="SECONDS", help="also evaluate every SECONDS (default: the job's)"
    )
    group.add_argument(
        "--stop-early", metavar="max:METRIC|min:METRIC",
        help="stop when METRIC of the evaluations no longer improves, as in max:accuracy or min:loss; the checkpoint "
        "with the best one is kept",
    )
    group.add_argument(
        "--patience", type=int, metavar="N",
        help="with --stop-early: stop after N evaluations in a row without an improvement (default: the job's, or 3)",
    )
    group.add_argument(
        "--min-delta", type=float, metavar="X",
        help="with --stop-early: only a gain of more than X is an improvement (default: the job's, or 0)",
    )


def _add_faults(parser: Parser) -> None:
    group = parser.add_argument_group("bad data, stalls and NaN")
    group.add_argument(
        "--skip-bad-records", type=int, metavar="N",
        help="skip up to N training records that can't be read or parsed, and count them (default: the first one ends "
        "the run)",
    )
    group.add_argument(
        "--stall-seconds", type=float, default=STALL_SECONDS, metavar="SECONDS",
        help="report a step that takes longer, with what it waits for; the first may take 10 times as long "
        "(default: 600)",
    )
    group.add_argument(
        "--on-stall", choices=ON_STALL, default="wait",
        help="after that report: wait on, or save a checkpoint and end with exit code 1 (default: wait)",
    )
    group.add_argument(
        "--on-nan", choices=ON_NAN, default="stop",
        help="if the loss is NaN or infinite: stop with exit code 1; skip the update of that step; restore the newest "
        "checkpoint and continue with the next examples; or off (default: stop)",
    )
    group.add_argument(
        "--nan-limit", type=int, default=NAN_LIMIT, metavar="N",
        help="stop if more than N steps in a row are skipped, or after N restores (default: {})".format(NAN_LIMIT),
    )


def _add_records(parser: Parser) -> None:
    group = parser.add_argument_group("what is recorded")
    group.add_argument(
        "--summary-every", type=int, metavar="N",
        help="steps between two summaries for TensorBoard in DIR; 0: none (default: the job's, or 100)",
    )
    group.add_argument(
        "--metrics-every", type=int, metavar="N",
        help="steps between two lines of DIR/metrics.jsonl; 0: none (default: the job's, or 100)",
    )
    group.add_argument(
        "--prometheus-port", type=int, metavar="PORT",
        help="serve metrics to Prometheus on this port; needs prometheus_client",
    )
    group.add_argument(
        "--trace", metavar="FILE",
        help="write a Chrome trace of the tenth step of this run, with a row per tower",
    )
    group.add_argument(
        "--trace-steps", metavar="STEPS",
        help="trace these global steps instead, as in 100,200 or 100:103, each in a file: step.json is step-100.json, "
        "and so on",
    )
    group.add_argument(
        "--plan", action="store_true",
        help="also print the device and the gradient reduction of each variable",
    )
    group.add_argument("--plan-json", metavar="FILE", help="write the plan of the step, as JSON, before the first step")


def _add_printed(parser: Parser) -> None:
    group = parser.add_argument_group("what is printed")
    group.add_argument(QUIET, action="store_true", help="print errors and one line with the result only")
    group.add_argument(
        LOG_FILE, metavar="FILE",
        help="append the output to FILE; with --quiet, the output that a run without --quiet prints",
    )


def _add_session(parser: Parser) -> None:
    group = parser.add_argument_group("the session")
    add_soft_placement(group)
    group.add_argument("--allow-growth", action="store_true", help="reserve GPU memory as it is needed")
    group.add_argument(
        "--memory-fraction", type=float, metavar="FRACTION",
        help="fraction of each GPU's memory to reserve",
    )
    group.add_argument(
        "--log-device-placement", action="store_true",
        help="let TensorFlow log the device of each operation",
    )
