"""Documents of comparisons for the tests of reports: realistic and extreme ones, with invented consistent figures."""
import random

from legacy_towers.report.document import (
    Bar,
    Difference,
    Document,
    Parity,
    Proof,
    Row,
    Spread,
    Verdict,
    Waiting,
)

PIPELINES = (
    "synthetic",
    "feed",
    "feed:background",
    "queue",
    "dataset",
    "dataset:split",
    "dataset:next_per_tower",
    "dataset:sharded",
    "dataset:per_device",
    "staged+feed",
    "staged+feed:background",
    "staged+queue",
    "staged+dataset:next_per_tower",
    "staged+dataset:sharded",
)
FIVE_PIPELINES = ("synthetic", "feed", "queue", "dataset:split", "staged+dataset:next_per_tower")
HOSTILE = "<script>alert(1)</script>&\"'"
PER_TOWER = 16
# The share of waiting in a step of each pipeline.
WAITS = dict(zip(PIPELINES, (0.0, 0.41, 0.12, 0.18, 0.06, 0.08, 0.05, 0.04, 0.05, 0.21, 0.09, 0.11, 0.004, 0.012)))
FED = {"feed": (64e6, 0.0), "staged+feed": (64e6, 64e6)}


def spread(median, part=0.02, rounds=5, seed=0):
    """Returns a spread whose interval is `median` times (1 - part) to (1 + part)."""
    random_numbers = random.Random("{} {} {}".format(median, part, seed))
    values = sorted(median * (1 + part * random_numbers.uniform(-1, 1)) for _ in range(rounds - 1))
    values.insert(rounds // 2, median)
    return Spread(median=median, low=median * (1 - part), high=median * (1 + part), rounds=values)


def timeline(pipeline, towers, step_ms, waits):
    """Returns the bars of one traced step: each tower waits, then computes; then the variables are updated."""
    bars = []
    wait_ms = step_ms * waits
    fed = pipeline.startswith("feed") and "background" not in pipeline
    if fed:
        bars.append(Bar("input", "feed", 0.0, wait_ms))
    for tower in range(towers):
        begin = wait_ms * (1 if fed else 0.8 + 0.2 * (tower + 1) / towers)
        if not fed and waits:
            bars.append(Bar("towers wait", "wait", 0.0, begin))
        bars.append(Bar("tower {}".format(tower), "compute", begin, begin + (step_ms * 0.9 - wait_ms) * 0.45))
        bars.append(Bar("tower {}".format(tower), "compute", begin + (step_ms * 0.9 - wait_ms) * 0.5, step_ms * 0.9))
    bars.append(Bar("variables, update", "compute", step_ms * 0.9, step_ms))
    return bars


def row(pipeline, towers=4, waits=None, speed=1000.0, part=0.02, **changes):
    """Returns a row whose figures are computed from its share of waiting and the speed of one tower."""
    waits = WAITS.get(pipeline, 0.1) if waits is None else waits
    examples_per_second = speed * towers**0.9 * (1 - waits)
    step_ms = 1000.0 * PER_TOWER * towers / examples_per_second
    fed, copied = FED.get(pipeline, (0.0, 0.0))
    waiting = None
    if pipeline != "synthetic":
        waiting = Waiting(spread(waits, 0.1), spread(min(1.0, waits * 1.05), 0.1), differ=False)
    full = Row(
        candidate=pipeline,
        towers=towers,
        failed=None,
        input=pipeline,
        variables="parameter_server",
        reduction="mean",
        plan={"input": input_plan(pipeline, towers), "variables": []},
        examples_per_second=spread(examples_per_second, part),
        updates_per_second=spread(examples_per_second / PER_TOWER / towers, part),
        steps_per_turn=50,
        step_ms_p50=step_ms,
        step_ms_p95=step_ms * 1.18,
        waiting=waiting,
        cpu_cores=spread(1.9 - 0.8 * waits, 0.03),
        peak_memory_bytes=int(512e6 + 3e6 * len(pipeline) * towers),
        fed_bytes_per_step=fed,
        copied_bytes_per_step=copied,
        ratio_to_current=spread((1 - waits) / 0.59, part),
        ratio_to_synthetic=spread(1 - waits, part) if pipeline != "synthetic" else spread(1.0, 0.0),
        speedup_over_one_tower=None,
        traced_steps=9,
        timeline=timeline(pipeline, towers, step_ms, waits),
    )
    return full._replace(**changes)


def input_plan(pipeline, towers):
    return {
        "pipeline": pipeline.partition(":")[0],
        "route": pipeline.partition(":")[2] or None,
        "order": "any",
        "per_tower_batch_size": PER_TOWER,
        "global_batch_size": PER_TOWER * towers,
        "epochs": None,
        "examples": 1437,
        "source": "1 TFRecord file (digits-data/train.tfrecords)",
        "details": {"shuffle": 1437},
    }


def speedup(towers, part=0.02):
    return spread(towers**0.9, part) if towers > 1 else spread(1.0, 0.0)


def failed_row(pipeline, towers=4, sentence="the job has no files: this pipeline reads files, and the job has arrays"):
    return Row(pipeline, towers, sentence, *[None] * 18, timeline=[])


def same(pipeline, towers=4):
    sentence = "the same losses over 20 steps and the same 1,437 examples"
    return Parity(pipeline, towers, "same", 0.0, 1e-5, True, None, sentence)


def different(pipeline, towers=4, example="digits-data/train.tfrecords, byte 4096"):
    first = Difference(3, 1, example, "the loss is 2.7935 by feed and 2.7812 by {}".format(pipeline))
    return Parity(pipeline, towers, "differ", 0.004, 1e-5, True, first, "the losses part at step 3")


def rounding(pipeline, towers=4):
    return Parity(pipeline, towers, "same, rounding", 2.4e-8, 1e-5, True, None,
                  "10 losses in the fixed order are the same except for rounding, with a difference of at most 2.4e-08")


def not_compared(pipeline, towers=4):
    return Parity(pipeline, towers, None, None, None, None, None, "a generator has no ids, so nothing was compared")


def verdict(pipelines=FIVE_PIPELINES, winner="staged+dataset:next_per_tower"):
    if winner not in pipelines:
        return Verdict("nothing is measurably better than feed.", None, ["every interval of the ratio overlaps 1"])
    return Verdict(
        "with feed, the step waits for input 41 % of the time; {} is 1.69 \u00b1 0.05 times as fast as feed; nothing "
        "else is measurably different.".format(winner),
        winner,
        [
            "feed waits 41 % of the step (40 % by the trace)",
            "{} over feed: 1.69, 95 % interval 1.64 to 1.74, over 5 rounds".format(winner),
        ],
    )


def document(pipelines=FIVE_PIPELINES, towers=(4,), **changes):
    """Returns a comparison of `pipelines` at each number of towers, without failures and with the same data."""
    rows = [row(pipeline, count) for count in towers for pipeline in pipelines]
    if 1 in towers:
        rows = [item._replace(speedup_over_one_tower=speedup(item.towers)) for item in rows]
    full = Document(
        job="digits",
        job_file="examples/digits.py",
        job_options={"learning_rate": 0.05, "data_dir": "digits-data"},
        subject="inputs",
        date="2026-11-20T09:30:00+00:00",
        command="legacy-towers compare examples/digits.py --learning-rate 0.05 --html page.html",
        environment={
            "legacy_towers": "0.1.0",
            "tensorflow": "2.21.0",
            "python": "3.11.7",
            "platform": "Linux-6.1.0-x86_64-with-glibc2.36",
            "cpu": "A CPU @ 2.20GHz",
            "cores": 2,
            "load_average": 0.12,
            "onednn": "TensorFlow's default",
        },
        settings={
            "towers": list(towers),
            "steps": 50,
            "rounds": 5,
            "warm_up_steps": 10,
            "per_tower_batch_size": PER_TOWER,
            "device": "cpu",
            "current": "feed",
        },
        rows=rows,
        parity=[same(pipeline, count) for count in towers for pipeline in pipelines if pipeline != "synthetic"],
        proofs=[],
        verdicts={str(count): verdict(pipelines) for count in towers},
    )
    return full._replace(**changes)


def with_row(original, changed):
    """Returns the document with the row of the same pipeline and number of towers replaced."""
    place = (changed.candidate, changed.towers)
    return original._replace(rows=[changed if (old.candidate, old.towers) == place else old for old in original.rows])


def troubled():
    """Returns 14 pipelines: 3 failed, 1 with two estimates of waiting, 1 with different data, 1 not compared."""
    full = document(PIPELINES, (4,))
    twice = Waiting(spread(0.41, 0.1), spread(0.29, 0.1), differ=True)
    long_sentence = "OutOfRangeError: " + "the file digits-data/train.tfrecords ended within a record, " * 6
    for changed in (
        failed_row("queue"),
        failed_row("dataset:per_device"),
        failed_row("staged+queue", sentence=long_sentence + "at byte 4096"),
        row("feed", waiting=twice),
    ):
        full = with_row(full, changed)
    parity = {item.candidate: item for item in full.parity}
    parity["dataset:sharded"] = different("dataset:sharded")
    parity["feed:background"] = not_compared("feed:background")
    parity["dataset:split"] = rounding("dataset:split")
    parity["dataset"] = same("dataset")._replace(
        losses=None, loss_difference=None, sentence="the dataset is shuffled by itself"
    )
    return full._replace(parity=list(parity.values()))


def hostile():
    """Returns a document with HTML in names and sentences, which the page must escape."""
    full = document(("synthetic", "feed"))
    rows = full.rows + [row(HOSTILE, waits=0.2), failed_row(HOSTILE + " 2", sentence=HOSTILE)]
    rows[-2] = rows[-2]._replace(timeline=[Bar(HOSTILE, "compute", 0.0, 1.0)])
    return full._replace(
        job=HOSTILE,
        job_file=HOSTILE,
        job_options={HOSTILE: HOSTILE},
        date=HOSTILE,
        command=HOSTILE,
        environment={"platform": HOSTILE},
        rows=rows,
        parity=[different(HOSTILE, example=HOSTILE)],
        verdicts={"4": Verdict(HOSTILE, HOSTILE, [HOSTILE])},
    )


def long_names():
    """Returns a document whose pipeline and job have long names without spaces."""
    pipeline = "dataset:" + "very_long_" * 12
    return document(
        ("synthetic", "feed", pipeline),
        job="job_" * 40,
        job_file="/".join(["folder_of_the_job"] * 12) + "/job.py",
        job_options={"option_" * 12: "value_" * 40},
    )


def extremes():
    """Returns a document with zero, tiny and huge figures, one round, and no waiting."""
    full = document(("synthetic", "feed", "queue", "dataset"))
    zero = Spread(0.0, 0.0, 0.0, [0.0])
    huge = Spread(123456789.0, 100000000.0, 150000000.0, [123456789.0])
    tiny = Spread(0.0123, 0.001, 0.05, [0.0123])
    for changed in (
        row("feed", examples_per_second=tiny, step_ms_p50=1300813.0, step_ms_p95=2e6, ratio_to_synthetic=tiny),
        row("queue", examples_per_second=huge, step_ms_p50=0.0005, step_ms_p95=0.001, cpu_cores=zero, timeline=[]),
        row("dataset", waiting=None, ratio_to_synthetic=None, cpu_cores=None, peak_memory_bytes=None, plan=None),
    ):
        full = with_row(full, changed)
    return full._replace(parity=[], verdicts={})


def all_failed():
    return document()._replace(rows=[failed_row(pipeline) for pipeline in FIVE_PIPELINES], parity=[], verdicts={
        "4": Verdict("no verdict: every candidate failed.", None, [])
    })


# Strategy -> the speed of one tower, and the state of its proof.
STRATEGIES = {
    "parameter_server": (1000.0, "current"),
    "balanced": (1100.0, "rounding"),
    "replicated": (1210.0, "same"),
    "replicated_wrong": (1300.0, "differs"),
    "compressed": (900.0, "rounded"),
    "asynchronous": (1500.0, "other"),
    "drawing": (950.0, "not compared"),
}


def variable_plan(name, size, place, bucket=None, copies=()):
    return {
        "name": name, "shape": [size // 4], "dtype": "float32", "bytes": size, "device": place, "trainable": True,
        "gradient": "dense", "reduced_by": "add_n", "reduced_on": None if bucket is not None else place,
        "bucket": bucket, "objective": None, "copies": list(copies),
    }


def strategy_plan(name, towers):
    places = ["/cpu:{}".format(tower) for tower in range(towers)]
    if name == "balanced":
        variables = [variable_plan("layer_{}/w".format(n), 4000 * (n + 1), places[n % towers]) for n in range(10)]
    elif name.startswith("replicated"):
        variables = [variable_plan("layer_{}/w".format(n), 4000 * (n + 1), places[0], n // 5, places)
                     for n in range(10)]
    else:
        variables = [variable_plan("layer_{}/w".format(n), 4000 * (n + 1), "/cpu:0") for n in range(10)]
    return {"devices": places, "input": input_plan("synthetic", towers), "strategy": name, "variables": variables}


def proof(name, towers=4):
    state = STRATEGIES[name][1]
    losses = [2.5, 2.25, 2.125]
    if state == "current":
        return Proof(name, towers, "current", None, losses, 0.0, 0.0, 0.0, None, "the others are compared with it")
    if state == "same":
        return Proof(name, towers, state, True, losses, 0.0, 0.0, 0.0, None, "the same to the last bit")
    if state in ("rounding", "rounded"):
        expected = "same" if state == "rounding" else state
        return Proof(name, towers, expected, True, losses, 0.0, 8.4e-7, 1.2e-7, None, "gradients are within bounds")
    if state == "differs":
        return Proof(name, towers, "same", False, losses, 0.0, 0.75, 0.1, "layer_3/w",
                     "the gradient of 'layer_3/w' differs by 0.75 of its largest (bound 1e-05)")
    if state == "not compared":
        return Proof(name, towers, "same", None, [], None, None, None, None, "the model draws random numbers (dropout)")
    return Proof(name, towers, "other", None, losses, None, None, None, None, "towers apply on their own")


def strategies(names=tuple(STRATEGIES), towers=(4,), subject="variables", **changes):
    """Returns a comparison of strategies against parameter_server."""
    rows = []
    for count in towers:
        for name in names:
            speed = STRATEGIES[name][0] if name in STRATEGIES else 1000.0
            updates = speed * count**0.9 / PER_TOWER / (1 if name == "asynchronous" else count)
            rows.append(row(name, count, 0.0, speed)._replace(
                input="synthetic", variables=name, reduction="mean", plan=strategy_plan(name, count), waiting=None,
                updates_per_second=spread(updates), ratio_to_current=spread(speed / 1000.0), ratio_to_synthetic=None,
                speedup_over_one_tower=speedup(count) if 1 in towers else None,
            ))
    full = document(("synthetic",), towers)
    settings = dict(full.settings, current="parameter_server", input="synthetic", reduction="mean")
    verdicts = {str(count): Verdict(
        "replicated is 1.21 \u00b1 0.02 times as fast as parameter_server; balanced is faster too, but less",
        "replicated", ["replicated: 1.21 \u00b1 0.02 times parameter_server"],
    ) for count in towers}
    proofs = [proof(name, count) for count in towers for name in names if name in STRATEGIES]
    full = full._replace(
        subject=subject, settings=settings, rows=rows, parity=[], proofs=proofs, verdicts=verdicts
    )
    return full._replace(**changes)


def troubled_strategies():
    """Returns seven strategies at two numbers of towers; one failed."""
    full = strategies(towers=(1, 4))
    return with_row(full, failed_row("compressed", sentence="InvalidArgumentError: no such type"))


def hostile_strategies():
    """Returns a strategy with HTML in its name and plan, which the page must escape."""
    full = strategies(("parameter_server", "balanced"))
    rows = [full.rows[0], full.rows[1]._replace(candidate=HOSTILE, plan=strategy_plan(HOSTILE, 4))]
    for variable in rows[1].plan["variables"]:
        variable.update(name=HOSTILE, reduced_by=HOSTILE, device=HOSTILE)
    proofs = [full.proofs[1]._replace(candidate=HOSTILE, differs_in=HOSTILE, sentence=HOSTILE, agrees=False)]
    return full._replace(rows=rows, proofs=proofs)


DOCUMENTS = {
    "one pipeline": document(("synthetic",), parity=[]),
    "five pipelines": document(),
    "fourteen pipelines": document(PIPELINES),
    "three tower counts": document(towers=(1, 2, 4)),
    "fourteen pipelines at three tower counts": document(PIPELINES, (1, 2, 4)),
    "troubled": troubled(),
    "hostile": hostile(),
    "long names": long_names(),
    "extremes": extremes(),
    "all failed": all_failed(),
    "strategies": strategies(),
    "troubled strategies": troubled_strategies(),
    "strategies with hostile names": hostile_strategies(),
}
