"""Proves a conversion: runs the queues and tf.data, and compares what they give."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.meta_graphs import imported, meta_graph_of
from legacy_towers.migrate.conversion.convert import convert, convert_for_file
from legacy_towers.migrate.conversion.plans import REFUSED, SAME_SEQUENCE, PipelinePlan
from legacy_towers.migrate.conversion.queue_graph import QueueGraph
from legacy_towers.migrate.proof import alternatives, compare, copies
from legacy_towers.migrate.proof.parts import Parts
from legacy_towers.migrate.proof.random_feeds import LIMITS, problem_of
from legacy_towers.migrate.proof.recording import Recording, examples_of, record
from legacy_towers.migrate.proof.same_numbers import SEEDS, with_same_numbers
from legacy_towers.migrate.proof.shuffles import distance
from legacy_towers.migrate.proof.sides import Shape, Side, dataset_side, queue_side, shapes_of
from legacy_towers.migrate.proof.speed import measure
from legacy_towers.migrate.proof.training import prove_training
from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN, PipelineProof, Proof
from legacy_towers.text.names import counted

# An epoch of a constant has one element: less than a batch.
_MORE_EPOCHS = 8
_TWO_RUNS = "two runs of the queue differ from each other"


def prove(
    source: Any = None,
    losses: Sequence[Any] = (),
    train_op: Any = None,
    steps: int = 5,
    rounds: int = 5,
    seconds_per_batch: float = 60.0,
) -> Proof:
    """Proves that the queues of a graph, converted to tf.data, give what they gave, by running both for an epoch.

    If `num_epochs` limits them, all epochs are run, or the first 3 of more than 20. The graph stays as it is: copies of
    it are run, on CPUs, in sessions of their own. Call it before the conversion.

    Args:
      source: a `tf.Graph`, a `tf.MetaGraphDef` or the path of one; None: the default graph.
      losses: tensors or names of tensors whose values are compared in the first training steps; empty: those of the
        collection LOSSES.
      train_op: an operation or its name; None: those of the collection TRAIN_OP, where optimizers put theirs.
      steps: the number of training steps that are compared; 0: none.
      rounds: how often each version is timed; 0: not at all.
      seconds_per_batch: how long a batch may take.

    Returns:
      A `Proof`.

    Raises:
      ArgumentError: `source` is neither of these, or TensorFlow can't import it.
    """
    meta = meta_graph_of(tf.get_default_graph() if source is None else source)
    seeded, unseeded = copies.with_seeds(meta)
    graph = imported(seeded)
    shapes = shapes_of(graph)
    parts = Parts(graph, seeded, shapes)
    made = convert if source is None or isinstance(source, tf.Graph) else convert_for_file
    plans = {plan.name: plan for plan in made(graph).plans}
    pipelines = tuple(
        _refused(plans[shape.name]) if plans[shape.name].promise == REFUSED
        else _Pipeline(parts.of(shape.name), shape, unseeded, rounds, seconds_per_batch).prove()
        for shape in shapes
    )
    training = prove_training(seeded, losses, train_op, steps, seconds_per_batch) if steps and pipelines else None
    return Proof(pipelines, training)


def _refused(plan: PipelinePlan) -> PipelineProof:
    return PipelineProof(plan.name, plan.promise, NOT_COMPARED, "it is refused: " + plan.reason, "")


class _Pipeline:
    def __init__(self, meta: Any, shape: Shape, unseeded: Sequence[str], rounds: int, seconds: float) -> None:
        self._meta, self._limits = copies.with_few_epochs(meta)
        self._shape, self._name, self._rounds, self._seconds = shape, shape.name, rounds, seconds
        self._epochs = 1
        self._limit, self._random_examples = LIMITS[0], 0  # of queues that Python code fills
        self._one_thread = self._shape.threads
        self._notes = []
        given = [each for each in self._shape.random_ops if each in unseeded]
        if given:
            self._notes.append("{} had no seed, and got one in the copies that were run".format(_names(given)))
        if self._one_thread:
            self._notes.append("one thread per operation filled the queues here, since {} draws random numbers".format(
                _names(self._shape.random_ops)
            ))

    def _sides(self, meta: Any, one_thread: bool = False) -> Tuple[Side, Optional[Side], Any]:
        one_thread = one_thread or self._one_thread
        queue = queue_side(imported(meta, one_thread), self._shape, self._epochs, self._limit)
        dataset, plan = dataset_side(imported(meta, one_thread), self._shape, self._epochs, self._limit)
        self._note_made_up(queue)
        return queue, dataset, plan

    def _note_made_up(self, side: Side) -> None:
        note = "{} has made-up values in the copies that were run: the script feeds them to a variable"
        for tensor in side.made_up:
            if note.format(repr(tensor.op.name)) not in self._notes:
                self._notes.append(note.format(repr(tensor.op.name)))

    def prove(self) -> PipelineProof:
        queue, dataset, plan = self._sides(self._meta)
        if dataset is None:
            return _refused(plan)
        filled = QueueGraph(imported(self._meta)).queues.values() if self._shape.filled else ()
        problem = problem_of([each for each in filled if each.name in self._shape.filled])
        if problem is not None:
            return PipelineProof(self._name, plan.promise, NOT_COMPARED, problem, "")
        self._random_examples = queue.random_examples
        first = self._record(queue)
        for limit in LIMITS[1:] if self._shape.filled else ():
            if first.error:
                self._limit = limit
                queue, dataset, plan = self._sides(self._meta)
                assert dataset is not None
                first = self._record(queue)
        if not first.batches and not first.error and not self._shape.is_limited:
            self._epochs = max(_MORE_EPOCHS, 2 * (self._shape.batch_size or 1))
            queue, dataset, plan = self._sides(self._meta)
            assert dataset is not None
            first = self._record(queue)
        second = self._record(dataset)
        base = PipelineProof(
            self._name, plan.promise, NOT_COMPARED, "", "", (len(first.batches), len(second.batches)),
            (len(first.examples), len(second.examples)), (first.last_batch, second.last_batch),
        )
        if first.error:
            if self._shape.filled:
                return self._done(base, NOT_COMPARED, "Python code fills {}, and with random examples the queue "
                                  "fails: {}".format(_names(self._shape.filled), first.error))
            return self._done(base, NOT_COMPARED, "the queue fails: " + first.error)
        if second.error:
            return self._done(base, DIFFERENT, "tf.data fails after {} of {} batches, the queue does not: {}".format(
                len(second.batches), len(first.batches), second.error
            ))
        if not first.batches and not second.batches:
            return self._done(base, NOT_COMPARED, "an epoch has no full batch")
        again = self._record(queue), self._record(dataset)
        base = base._replace(repeats=(again[0].batches == first.batches, again[1].batches == second.batches))
        if plan.promise == SAME_SEQUENCE:
            found = self._sequence(base, queue, dataset, first, second, again[0])
        else:
            found = self._set(base, first, second, again[0])
        if self._rounds and found.verdict != DIFFERENT and not self._shape.filled:  # else Python code is measured
            found = found._replace(speed=measure(queue, dataset, self._shape, self._seconds, self._rounds))
        return found

    def _sequence(
        self, base: PipelineProof, queue: Side, dataset: Side, first: Recording, second: Recording, again: Recording
    ) -> PipelineProof:
        found = compare.sequences(first, second, self._shape)
        if found is None:
            number = len(first.batches)
            return self._done(base, PROVEN, "", "the same {} in the same order, bit for bit".format(
                "batch" if number == 1 else "{} batches".format(number)
            ))
        if compare.sequences(first, again, self._shape) is not None:
            return self._done(base, NOT_COMPARED, "two runs of the queue differ from each other")
        return self._done(base, DIFFERENT, found.sentence + self._values(queue, dataset, found, first, second))

    def _values(
        self, queue: Side, dataset: Side, found: compare.Difference, first: Recording, second: Recording
    ) -> str:
        if found.component is None or max(found.batch + 1, 0) > min(len(first.batches), len(second.batches)):
            return ""
        seen = []
        for side in (queue, dataset):
            values = self._batch(side, found.batch)
            seen.append(compare.shown(values[found.component]))
        return ": {} in the queue, {} in tf.data".format(*seen)

    def _set(self, base: PipelineProof, first: Recording, second: Recording, again: Recording) -> PipelineProof:
        found = compare.counts(first, second) or compare.descriptions(first, second)
        if found is not None:
            if compare.counts(first, again) is not None:
                return self._done(base, NOT_COMPARED, "two runs of the queue differ in their numbers of examples")
            return self._done(base, DIFFERENT, found.sentence)
        base = base._replace(shuffle_distance=self._distances(first, second))
        # Which examples are in a last batch that is dropped depends on the order.
        for batches in dict.fromkeys([self._shape.batches, ()]):
            kept = copies.with_remainder(self._meta, self._shape.read_names, batches)
            queue, kept_dataset, _ = self._sides(kept)
            assert kept_dataset is not None
            first, second = self._record(queue), self._record(kept_dataset)
            if not first.error and not second.error:
                break  # else what fills a queue of batches may not be able to compute a smaller one
        several = self._shape.joins
        operations = alternatives.operations_of(imported(self._meta), self._name) if several else ()
        if operations:
            return self._of_alternatives(base, kept, operations)
        if batches != self._shape.batches:
            return self._in_order(base)
        every = list(range(len(self._shape.reads[0])))
        # Which of several operations draws the next random number for an example is a race.
        if self._shape.joins and any(self._shape.reads[0][index].is_random for index in every):
            reason = "which example gets which random numbers is a race between operations"
            return self._with_same_numbers(base, kept, every, reason)
        found = compare.sets(first, second, every)
        if found is not None:
            assert kept_dataset is not None
            if self._shape.inner and not self._shape.joins:
                return self._in_order(base)
            if compare.sets(first, self._record(queue), every) is not None:
                return self._with_same_numbers(base, kept, every, _TWO_RUNS)
            example = self._example(queue, kept_dataset, found, first, second)
            return self._done(base, DIFFERENT, found.sentence + example)
        return self._done(base, PROVEN, "", self._same(first))

    def _in_order(self, base: PipelineProof) -> PipelineProof:
        """Compares copies whose queues do not shuffle: which examples are batched, or dropped, depends on the order."""
        if self._shape.joins:
            return self._done(base, NOT_COMPARED, _TWO_RUNS)
        queue, dataset, _ = self._sides(copies.without_shuffling(self._meta), one_thread=True)
        assert dataset is not None
        first, second = self._record(queue), self._record(dataset)
        found = compare.sets(first, second, list(range(len(self._shape.reads[0]))))
        if found is not None:
            if compare.sequences(first, self._record(queue), self._shape) is not None:
                return self._done(base, NOT_COMPARED, _TWO_RUNS)
            return self._done(base, DIFFERENT, found.sentence + self._example(queue, dataset, found, first, second))
        self._notes.append("in the copies that were compared, queues do not shuffle, and one thread per operation "
                           "fills them: the order decides what {} puts together".format(_names(self._shape.inner)))
        return self._done(base, PROVEN, "", self._same(first))

    def _with_same_numbers(self, base: PipelineProof, kept: Any, every: Sequence[int], reason: str) -> PipelineProof:
        """Compares copies in which a random operation draws the same numbers for each example."""
        drawn = [each for each in self._shape.random_ops if each not in self._shape.orders]
        recorded: List[Recording] = []
        for seed in SEEDS:
            meta = with_same_numbers(kept, drawn, seed) if drawn else None
            if meta is None:
                return self._done(base, NOT_COMPARED, reason)
            queue, dataset, _ = self._sides(meta)
            assert dataset is not None
            recorded = [self._record(queue), self._record(dataset)]
            found = compare.sets(recorded[0], recorded[1], every)
            if any(each.error for each in recorded):
                return self._done(base, NOT_COMPARED, reason)
            if found is not None:
                if compare.sets(recorded[0], self._record(queue), every) is not None:
                    return self._done(base, NOT_COMPARED, reason)
                example = self._example(queue, dataset, found, recorded[0], recorded[1])
                return self._done(base, DIFFERENT, found.sentence + example)
        note = "{}: in the copies that were compared, each of {} drew the same numbers for all examples"
        self._notes.append(note.format(reason, _names(drawn)))
        return self._done(base, PROVEN, "", self._same(recorded[0]))

    def _of_alternatives(self, base: PipelineProof, kept: Any, operations: Sequence[str]) -> PipelineProof:
        """Compares each example with what each of several operations computes of it, alone."""
        reason = "which of {} takes an example is a race".format(_names(operations))
        drawn = [each for each in self._shape.random_ops if each not in self._shape.orders]
        number = 0
        for seed in SEEDS if drawn else (None,):
            meta = kept if seed is None else with_same_numbers(kept, drawn, seed)
            if meta is None:
                return self._done(base, NOT_COMPARED, reason)
            graph = imported(meta)
            computed = []
            for name in operations:
                alone = alternatives.only(meta, graph, self._name, name)
                if alone is None:
                    return self._done(base, NOT_COMPARED, reason)
                side = queue_side(imported(alone, one_thread=True), self._shape, self._epochs, self._limit)
                computed.append(self._record(side).examples)
            queue, dataset, _ = self._sides(meta)
            assert dataset is not None
            found = [alternatives.compare(computed, self._record(side).examples) for side in (queue, dataset)]
            if found[0].sentence or not found[1].is_known:
                return self._done(base, NOT_COMPARED, reason)
            if found[1].sentence:
                return self._done(base, DIFFERENT, "tf.data: " + found[1].sentence)
            number = len(computed[0])
        self._notes.append("{}: each alone computed all examples, and each example of tf.data is one of these".format(
            reason
        ))
        if drawn:
            note = "in the copies that were compared, each of {} drew the same numbers for all examples"
            self._notes.append(note.format(_names(drawn)))
        compared = "the same {}, each as often, each as one of {} operations computes it, bit for bit{}"
        examples = counted(number, "example")
        return self._done(base, PROVEN, "", compared.format(examples, len(operations), self._padding()))

    def _same(self, recording: Recording) -> str:
        examples = counted(len(recording.examples), "example")
        return "the same {}, each as often, bit for bit{}".format(examples, self._padding())

    def _padding(self) -> str:
        padded = any(each.is_padded for read in self._shape.reads for each in read)
        return " but for zeros at the end of padded ones" if padded else ""

    def _example(
        self, queue: Side, dataset: Side, found: compare.Difference, first: Recording, second: Recording
    ) -> str:
        """Returns the values of the first example that differs, as the end of a sentence."""
        in_queue = "of the queue" in found.sentence
        wanted = (first if in_queue else second).examples[found.batch]
        parts: List[str] = []

        # Another run may give it in another batch.
        def watch(number: int, values: Sequence[Any]) -> None:
            components = self._shape.reads[number % len(self._shape.reads)]
            rows = examples_of(values, components, self._shape.has_batches)
            if parts or wanted not in rows:
                return
            row = rows.index(wanted)
            for component, value in zip(components, values):
                chosen = value if component.is_sparse or not self._shape.has_batches else value[row]
                parts.append("{!r}: {}".format(component.name, compare.shown(chosen)))

        self._record(queue if in_queue else dataset, watch)
        if not parts:
            return ""
        return "; one of {}: {}".format("the queue" if in_queue else "tf.data", ", ".join(parts))

    def _batch(self, side: Side, number: int) -> Any:
        found = {}

        def watch(index: int, values: Sequence[Any]) -> None:
            if index == number:
                found["values"] = values

        self._record(side, watch)
        return found.get("values", ())

    def _distances(self, first: Recording, second: Recording) -> Optional[Tuple[float, float]]:
        plain = imported(copies.without_shuffling(self._meta), one_thread=True)
        order = self._record(queue_side(plain, self._shape, self._epochs, self._limit)).examples
        found = [distance(each.examples, order) for each in (first, second)]
        return None if found[0] is None or found[1] is None else (found[0], found[1])

    def _record(self, side: Side, watch: Any = None) -> Recording:
        return record(side, self._shape, self._seconds, watch)

    def _done(self, base: PipelineProof, verdict: str, reason: str, compared: str = "") -> PipelineProof:
        if compared and self._shape.filled:
            compared += ", for {} random examples, since Python code fills {}".format(
                self._random_examples, _names(self._shape.filled))
        elif compared:
            epochs = "one epoch" if self._epochs == 1 else "{} epochs".format(self._epochs)
            limited = "the first {} of {} epochs".format(copies.FEW_EPOCHS, min(self._limits)) if self._limits \
                else "all epochs"
            compared += ", in " + (limited if self._shape.is_limited else epochs)
        return base._replace(verdict=verdict, reason=reason, compared=compared, notes=tuple(self._notes))


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown + (" and {} more".format(len(names) - 3) if len(names) > 3 else "")
