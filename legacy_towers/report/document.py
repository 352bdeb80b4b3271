"""What a comparison found, as plain values: the contract between who measures, the JSON file and who prints."""
from typing import Any, Dict, List, NamedTuple, Optional

FORMAT = "legacy-towers compare"
VERSION = 2
INPUTS, VARIABLES, REDUCTIONS, PAIRS = "inputs", "variables", "reductions", "variables and reductions"
SUBJECTS = (INPUTS, VARIABLES, REDUCTIONS, PAIRS)


class Spread(NamedTuple):
    """A median over rounds, and the interval that holds the true one with 95 % confidence."""

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
    """The share of a step that is spent waiting for input, from 0 to 1, measured in two ways."""

    by_replay: Spread  # 1 - (time of a step on one cached batch) / (time of a step)
    by_trace: Spread  # the part of a traced step in which a pull was waited for, or a feed was made, and nothing ran
    differ: bool  # by more than 5 points


class Row(NamedTuple):
    """One candidate at one number of towers."""

    candidate: str  # its name, which no other has: a way in, a strategy, a reduction, or "STRATEGY with REDUCTION"
    towers: int
    failed: Optional[str]  # the sentence that says why there are no figures; then the figures are None
    input: Optional[str]  # the way in
    variables: Optional[str]  # the strategy for variables; None: what a step has where none is named
    reduction: Optional[str]  # how gradients are made one; None: what a step has where none is named
    plan: Optional[Dict[str, Any]]  # the step's Plan as a dict
    examples_per_second: Optional[Spread]  # over all towers
    updates_per_second: Optional[Spread]  # by how much the global step grows
    step_ms_p50: Optional[float]  # of one run of the train op
    step_ms_p95: Optional[float]
    waiting: Optional[Waiting]  # None where it isn't the question, and for "synthetic", which waits for nothing
    cpu_cores: Optional[Spread]  # CPU seconds of the process per second
    peak_memory_bytes: Optional[int]  # of the process, since its start
    fed_bytes_per_step: Optional[float]
    copied_bytes_per_step: Optional[float]
    ratio_to_current: Optional[Spread]  # of examples/s, paired by rounds; None where that one failed
    ratio_to_synthetic: Optional[Spread]  # of examples/s, paired by rounds; None without "synthetic"
    speedup_over_one_tower: Optional[Spread]  # None unless this candidate was also measured with one tower
    timeline: List[Bar]


class Difference(NamedTuple):
    """Where two candidates part for the first time."""

    step: Optional[int]  # from 1 up
    tower: Optional[int]
    example: Optional[str]  # "train.tfrecords, byte 4096" or "row 17"
    sentence: str


class Parity(NamedTuple):
    """Whether a way in gives the same data as the others, at one number of towers."""

    candidate: str
    towers: int
    same_trajectory: Optional[bool]  # losses under order="fixed", bit for bit; None: not compared (see `sentence`)
    same_epoch: Optional[bool]  # the multiset of example ids of one epoch; None: not compared
    first_difference: Optional[Difference]
    sentence: str


class Proof(NamedTuple):
    """Whether a strategy or reduction computes what the current one does, at one number of towers.

    All start from the same values and take the same batches.
    """

    candidate: str
    towers: int
    expected: str  # "current" (it is the current one), "same", "rounded" (to a stated bound) or "other", by design
    agrees: Optional[bool]  # whether it keeps the bounds; None: it is to compute something else, or wasn't compared
    losses: List[float]  # of the first steps, in a row
    loss_difference: Optional[float]  # of the first step's losses, as a share of the loss where that is above 1
    gradient_difference: Optional[float]  # the largest of all variables, as a share of the variable's largest gradient
    next_loss_difference: Optional[float]  # of the second step's losses, each after its own update
    differs_in: Optional[str]  # the first variable whose gradient is out of its bound
    sentence: str


class Verdict(NamedTuple):
    """The answer in one sentence, and the figures that it was drawn from."""

    sentence: str
    winner: Optional[str]  # the candidate to take; None where nothing is measurably better, or noise forbids a verdict
    evidence: List[str]


class Document(NamedTuple):
    """A whole comparison; see docs/compare.md for the JSON form of each field."""

    job: str  # "digits"
    job_file: str
    job_options: Dict[str, Any]
    subject: str  # what was compared: one of `SUBJECTS`
    machine: Dict[str, Any]  # "cores", "platform", "python", "tensorflow", "onednn"
    # "towers", "steps", "rounds", "warm_up_steps", "per_tower_batch_size", "device", "current", "left_out"; where the
    # subject isn't "inputs" also "input", and what of "variables" and "reduction" all candidates share
    settings: Dict[str, Any]
    rows: List[Row]
    parity: List[Parity]  # where ways in are compared
    proofs: List[Proof]  # where strategies or reductions are
    verdicts: Dict[str, Verdict]  # number of towers, as a string -> its verdict
