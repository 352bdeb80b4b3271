"""Train and validation from one graph: each run takes its batches from the one or the other.

    train batch       --+
                        +--> the tower        only the chosen way in is pulled; the other stays where it is
    validation batch  --+
"""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device
from legacy_towers.inputs.chosen_batches import chosen_batches
from legacy_towers.inputs.chosen_dataset import ChosenDataset
from legacy_towers.inputs.dataset import DatasetInput
from legacy_towers.inputs.existing import FromDataset
from legacy_towers.inputs.switch_hook import SwitchHook
from legacy_towers.inputs.two_ways import check_alike, check_ways
from legacy_towers.names import quoted

BY = ("placeholder", "iterator")


def switch(train: Input, validation: Input, by: str = "placeholder") -> "SwitchInput":
    """Returns the way in whose runs train, and validate where their caller says so.

        source = lt.inputs.switch(train=lt.inputs.dataset(...), validation=lt.inputs.dataset(..., epochs=1))
        step = lt.build_train_step(model_fn, source, ...)
        session.run(step.train_op)                                   # a training batch
        session.run(step.loss, {source.is_validating: True})         # a validation batch, no update

    The training data is where it was after any number of validation runs. Validation data that ended can be started
    again by `source.restart_validation()`, but for queues, which can't: make theirs endless. In a bare session, where
    `session.run` knows no hooks, `source.validate(step.loss)` runs a validation batch.

    Args:
      train, validation: any two ways in, staged ones too. Their batches must have the same structure, dtypes and ranks;
        the sizes may differ, and are unknown to the graph then.
      by: "placeholder" serves all ways in: it stops the operations that pull of the one that isn't chosen. "iterator"
        is TensorFlow's feedable iterator: both must read datasets, by the same route.

    Raises:
      ArgumentError: one of the two is no way in, or is a switch; or `by` is unknown.
      InputError: later, when the step is built: the batches differ; the message names the component.
    """
    check_ways("switch", train, validation)
    for name, way_in in (("train", train), ("validation", validation)):
        if isinstance(way_in, SwitchInput):
            raise ArgumentError("switch: {} is a switch itself".format(name))
    if by not in BY:
        raise ArgumentError("by must be one of {}, not {!r}".format(quoted(BY), by))
    if by == "iterator":
        _check_datasets(train, validation)
    return SwitchInput(train, validation, by)


class SwitchInput(Input):
    """See `switch`."""

    refuses_staging = "it decides in each run; stage what it holds: switch(staged(train), staged(validation))"

    def __init__(self, train: Input, validation: Input, by: str) -> None:
        self._train = train
        self._validation = validation
        self._by = by
        self._is_validating: Any = None
        self._hook: Optional[SwitchHook] = None

    @property
    def is_validating(self) -> Any:
        """Boolean scalar tensor of the graph built last, False unless a run feeds True; a model function may read it.

        Raises:
          ArgumentError: nothing has been built yet.
        """
        if self._is_validating is None:
            raise ArgumentError("is_validating is made with the batches: build the step first")
        return self._is_validating

    def validate(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None) -> Any:
        """Runs one validation batch in the session that runs now, beside its other hooks, and returns the fetches.

        Raises:
          ArgumentError: no session runs.
          tf.errors.OutOfRangeError: the validation data ended.
        """
        return self._hook_now().validate(fetches, feed_dict)

    def restart_validation(self) -> None:
        """Starts the validation data at its beginning, in the session that runs now.

        Raises:
          ArgumentError: no session runs, or the data comes by queues.
        """
        self._hook_now().restart_validation()

    def build(self, devices: Sequence[str]) -> TowerBatches:
        with tf.device(host_device(devices[0])):
            self._is_validating = tf.placeholder_with_default(tf.constant(False), [], name="is_validating")
            if self._by == "iterator":
                return self._by_iterator(devices)
        return self._by_placeholder(devices)

    def _by_placeholder(self, devices: Sequence[str]) -> TowerBatches:
        train, validation = self._train.build(devices), self._validation.build(devices)
        for name, batches in (("train", train), ("validation", validation)):
            if batches.modes is not None:
                raise ArgumentError("switch: {} has a tower that validates all the time".format(name))
        per_tower, counts = chosen_batches(train, validation, self._is_validating, devices)
        self._hook = SwitchHook(train, validation, self._is_validating)
        return train._replace(
            per_tower=per_tower,
            hooks=[self._hook],
            plan=_plan(train.plan, short_plan(validation.plan), self._by),
            pulls=tuple(dict.fromkeys(train.pulls + validation.pulls)),
            counts=counts,
            padded=train.padded or validation.padded,
            shared_by_towers=train.shared_by_towers or validation.shared_by_towers,
            shared=train.shared + validation.shared,
        )

    def _by_iterator(self, devices: Sequence[str]) -> TowerBatches:
        train, validation = self._train, self._validation
        assert isinstance(train, _DATASETS) and isinstance(validation, _DATASETS)  # `switch` checked it
        pairs = []
        for one, other in zip(train.datasets(len(devices)), validation.datasets(len(devices))):
            check_alike(one.element_spec, other.element_spec)
            pairs.append(ChosenDataset(one, other, self._is_validating))
        batches = train.build_over(pairs, devices)
        self._hook = SwitchHook(
            batches, batches._replace(hooks=[]), self._is_validating, [pair.restart for pair in pairs]
        )
        return batches._replace(hooks=[self._hook], plan=_plan(batches.plan, validation.source, self._by))

    def _hook_now(self) -> "SwitchHook":
        if self._hook is None or not self._hook.is_running:
            raise ArgumentError("no session runs: call this inside a MonitoredSession, or `with step.running(session)`")
        return self._hook


# The ways in that iterate over tf.data.Datasets which can be had by themselves.
_DATASETS = (DatasetInput, FromDataset)


def _check_datasets(train: Input, validation: Input) -> None:
    for name, way_in in (("train", train), ("validation", validation)):
        if not isinstance(way_in, _DATASETS) or way_in.route == "per_device":
            raise ArgumentError(
                'by="iterator" serves inputs.dataset and inputs.from_dataset, but not by the route "per_device", and '
                '{} is something else: use by="placeholder"'.format(name)
            )
    assert isinstance(train, _DATASETS) and isinstance(validation, _DATASETS)
    if train.route != validation.route:
        raise ArgumentError(
            'by="iterator" needs one route for both; train has {!r} and validation {!r}'.format(
                train.route, validation.route
            )
        )
    if train.counts_examples != validation.counts_examples:
        raise ArgumentError('by="iterator" can\'t serve remainder="drop" in one and another remainder in the other')


def _plan(train: InputPlan, validation: str, by: str) -> InputPlan:
    return train._replace(details=dict(train.details, switch="by {}".format(by), validation=validation))


def short_plan(plan: InputPlan) -> str:
    """Returns the first line of a plan, to stand within another one's details."""
    return str(plan).splitlines()[0]
