"""The results of a comparison as plain values, which are printed and written as JSON and HTML."""
from typing import Any, Dict, List, NamedTuple, Optional

FORMAT = "legacy-towers compare"
VERSION = 2
INPUTS, VARIABLES, REDUCTIONS, PAIRS = "inputs", "variables", "reductions", "variables and reductions"
# Bit-equal; equal within the bound for rounding; different, or losses of different examples.
SAME, SAME_ROUNDING, DIFFER = LOSSES = ("same", "same, rounding", "differ")
SUBJECTS = (INPUTS, VARIABLES, REDUCTIONS, PAIRS)


class Spread(NamedTuple):
    """A median over rounds and its 95 % confidence interval."""

    median: float
    low: float
    high: float
    rounds: List[float]  # one value per round, in the order of the rounds


class Bar(NamedTuple):
    """A stretch of one traced step, for the timeline."""

    row: str  # "tower 0", "towers wait", "input", "variables, update"
    kind: str  # "compute", "wait" or "feed"
    start_ms: float  # from the step's beginning
    end_ms: float


class Waiting(NamedTuple):
    """The share of a step that is spent waiting for input, from 0 to 1, measured twice."""

    by_replay: Spread  # 1 - (time of a step on one cached batch) / (time of a step)
    by_trace: Spread  # the part of a traced step in which only input ops waited or a hook prepared the feed
    differ: bool  # by more than 5 points


class Row(NamedTuple):
    """One candidate at one number of towers."""

    candidate: str  # a unique name: an input pipeline, a strategy, a reduction, or "STRATEGY with REDUCTION"
    towers: int
    failed: Optional[str]  # why there are no figures; then the figures are None
    input: Optional[str]  # the input pipeline
    variables: Optional[str]  # the variable strategy; None: the default
    reduction: Optional[str]  # the gradient reduction; None: the default
    plan: Optional[Dict[str, Any]]  # the step's Plan as a dict
    examples_per_second: Optional[Spread]  # over all towers
    updates_per_second: Optional[Spread]  # by how much the global step grows
    steps_per_turn: Optional[int]  # timed steps in each round
    step_ms_p50: Optional[float]  # of one run of the train op
    step_ms_p95: Optional[float]
    waiting: Optional[Waiting]  # None unless input pipelines are compared, and for "synthetic", which never waits
    cpu_cores: Optional[Spread]  # CPU seconds of the process per second
    peak_memory_bytes: Optional[int]  # of the process, since its start
    fed_bytes_per_step: Optional[float]
    copied_bytes_per_step: Optional[float]
    ratio_to_current: Optional[Spread]  # of examples/s, paired by rounds; None if that one failed
    ratio_to_synthetic: Optional[Spread]  # of examples/s, paired by rounds; None without "synthetic"
    speedup_over_one_tower: Optional[Spread]  # None unless this candidate was also measured with one tower
    traced_steps: Optional[int]  # number of traced steps, one of which is in `timeline`
    timeline: List[Bar]  # the traced step nearest to the median of all, in length and in waiting


class Difference(NamedTuple):
    """The first difference between two candidates."""

    step: Optional[int]  # counted from 1
    tower: Optional[int]
    example: Optional[str]  # "train.tfrecords, byte 4096" or "row 17"
    sentence: str


class Parity(NamedTuple):
    """Whether an input pipeline gives the same data as the others, at one number of towers."""

    candidate: str
    towers: int
    losses: Optional[str]  # under order="fixed": one of `LOSSES`; None: not compared (see `sentence`)
    loss_difference: Optional[float]  # the largest of all steps; relative to the loss if the loss is above 1
    loss_bound: Optional[float]  # the largest difference that counts as rounding
    same_epoch: Optional[bool]  # the multiset of example ids of one epoch; None: not compared
    first_difference: Optional[Difference]
    sentence: str


class Proof(NamedTuple):
    """Whether a strategy or reduction computes the same as the current one, from equal initial values and batches."""

    candidate: str
    towers: int
    expected: str  # "current" (it is the current one), "same", "rounded" (to a documented bound) or "other", by design
    agrees: Optional[bool]  # whether it is within the bounds; None: other numbers by design, or not compared
    losses: List[float]  # of the first consecutive steps
    loss_difference: Optional[float]  # of the first step's losses; relative to the loss if the loss is above 1
    gradient_difference: Optional[float]  # the largest of all variables, relative to the variable's largest gradient
    next_loss_difference: Optional[float]  # of the second step's losses, each after its own update
    differs_in: Optional[str]  # the first variable whose gradient is outside its bound
    sentence: str


class Verdict(NamedTuple):
    """The result in one sentence, and the figures that support it."""

    sentence: str
    winner: Optional[str]  # the recommended candidate; None if none is proven better
    evidence: List[str]


class Document(NamedTuple):
    """A whole comparison; see docs/pages/compare.md for the JSON form of each field."""

    job: str  # "digits"
    job_file: str
    job_options: Dict[str, Any]
    subject: str  # one of `SUBJECTS`
    date: str  # of the start, as "2026-11-22T16:00:00+00:00"
    command: str  # the command line
    # "legacy_towers", "tensorflow", "python", "platform", "cpu" (the model), "cores" (the usable ones), "load_average"
    # (of the minute before the start; null if the system has none), "onednn"
    environment: Dict[str, Any]
    # "towers", "steps", "rounds", "warm_up_steps", "per_tower_batch_size", "device", "current", "left_out"; for other
    # subjects than "inputs" also "input", and "variables" or "reduction" if all candidates share it
    settings: Dict[str, Any]
    rows: List[Row]
    parity: List[Parity]  # of input pipelines
    proofs: List[Proof]  # of strategies and reductions
    verdicts: Dict[str, Verdict]  # number of towers, as a string -> its verdict
