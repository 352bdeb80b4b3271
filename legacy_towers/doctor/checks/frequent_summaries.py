"""LD403: all summaries of the graph in every step."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import LARGE_SUMMARY_OPS, SUMMARY_OPS, applies_gradient

# Training runs that must have been seen, and summaries that must be in each.
RUNS, LEAST = 8, 3


@check("LD403", "summaries-in-each-step", WARNING, """
Every training step also computes all summaries of the graph, with histograms or images among them. A histogram reads
the whole variable, and each step writes it to the event file: steps get slower, and the file grows by megabytes.

Fetch the merged summaries every hundredth step, or let `tf.train.SummarySaverHook` do so.
""")
def summaries_in_each_step(subject: Subject) -> Iterator[Evidence]:
    everything = {each for each in subject.operations if each.type in SUMMARY_OPS}
    large = [each for each in everything if each.type in LARGE_SUMMARY_OPS]
    if subject.observed is None or len(everything) < LEAST or not large:
        return
    training = [each for each in map(subject.observed.ran, subject.observed.runs) if any(map(applies_gradient, each))]
    if len(training) >= RUNS and all(everything <= each for each in training):
        yield subject.evidence(
            min(large, key=lambda each: each.name),
            "each of {} training steps computes all {} summaries, {} of them histograms, images or sound".format(
                len(training), len(everything), len(large)),
            "fetch the merged summaries every hundredth step",
        )
