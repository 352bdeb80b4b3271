"""Training and validation in one graph: each run takes its batches from one of two pipelines.

    train pipeline       --+
                           +--> tower        only one pipeline runs; the other keeps its position in the data
    validation pipeline  --+
"""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, host_device
from legacy_towers.inputs.tf_data.routes import DatasetPipeline
from legacy_towers.inputs.tf_data.switched_dataset import SwitchedDataset
from legacy_towers.inputs.wrappers.compatible_batches import check_compatible, check_inputs
from legacy_towers.inputs.wrappers.switch_hook import SwitchHook
from legacy_towers.inputs.wrappers.switched_batches import switched_batches
from legacy_towers.tensor_types import Fetches, Tensor
from legacy_towers.text.names import quoted

BY = ("placeholder", "iterator")


def switch(train: Input, validation: Input, by: str = "placeholder") -> "SwitchInput":
    """Creates an input pipeline that trains, and validates in the runs that feed `is_validating`.

        source = lt.inputs.switch(train=lt.inputs.dataset(...), validation=lt.inputs.dataset(..., epochs=1))
        step = lt.build_train_step(model_fn, source, ...)
        session.run(step.train_op)                                   # a training batch
        session.run(step.loss, {source.is_validating: True})         # a validation batch, no update

    Validation runs don't change the position in the training data. Validation data that has ended can be restarted with
    `source.restart_validation()`, except for queues, which should be endless. In a plain tf.Session, whose `run` calls
    no hooks, `source.validate(step.loss)` runs a validation batch.

    Args:
      train, validation: any two input pipelines, including staged ones. Their batches must have the same structure,
        dtypes and ranks. If their sizes differ, the static sizes are unknown.
      by: "placeholder" supports all pipelines: the operations of the other pipeline don't run. "iterator" uses
        TensorFlow's feedable iterator: both pipelines must read datasets, with the same route.

    Raises:
      ArgumentError: train or validation is not an input pipeline, or is a switch; or `by` is unknown.
      InputError: when the step is built: the batches differ; the message names the component.
    """
    check_inputs("switch", train, validation)
    for name, pipeline in (("train", train), ("validation", validation)):
        if isinstance(pipeline, SwitchInput):
            raise ArgumentError("switch: {} is a switch itself; give it a pipeline without a switch".format(name))
    if by not in BY:
        raise ArgumentError("by must be one of {}, got {!r}".format(quoted(BY), by))
    if by == "iterator":
        _check_datasets(train, validation)
    return SwitchInput(train, validation, by)


class SwitchInput(Input):
    """The input pipeline of `switch`."""

    refuses_staging = "a switch decides in each run; stage its pipelines: switch(staged(train), staged(validation))"

    def __init__(self, train: Input, validation: Input, by: str) -> None:
        self._train = train
        self._validation = validation
        self._by = by
        self._is_validating: Any = None
        self._hook: Optional[SwitchHook] = None

    @property
    def is_validating(self) -> Tensor:
        """Boolean scalar tensor of the last graph, False unless a run feeds True. A model function may read it.

        Raises:
          ArgumentError: the step is not built yet.
        """
        if self._is_validating is None:
            raise ArgumentError("is_validating is created with the batches: build the step first")
        return self._is_validating

    def validate(self, fetches: Fetches, feed_dict: Optional[Dict[Any, Any]] = None) -> Any:
        """Runs one validation batch in the current session, and returns the values of the fetches.

        Args:
          fetches: as in `session.run`.
          feed_dict: as in `session.run`.

        Raises:
          ArgumentError: there is no current session.
          tf.errors.OutOfRangeError: the validation data has ended.
        """
        return self._hook_now().validate(fetches, feed_dict)

    def restart_validation(self) -> None:
        """Restarts the validation data in the current session.

        Raises:
          ArgumentError: there is no current session, or the data is read by queues.
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
                raise ArgumentError("switch: {} has a validation tower, which validates in every run".format(name))
        per_tower, counts = switched_batches(train, validation, self._is_validating, devices)
        self._hook = _hook_of(train, validation, self._is_validating)
        return train._replace(
            per_tower=per_tower,
            hooks=[self._hook],
            plan=_plan(train.plan, short_plan(validation.plan), self._by),
            input_ops=tuple(dict.fromkeys(train.input_ops + validation.input_ops)),
            counts=counts,
            padded=train.padded or validation.padded,
            shared_by_towers=train.shared_by_towers or validation.shared_by_towers,
            shared=train.shared + validation.shared,
        )

    def _by_iterator(self, devices: Sequence[str]) -> TowerBatches:
        train, validation = self._train, self._validation
        assert isinstance(train, DatasetPipeline) and isinstance(validation, DatasetPipeline)  # `switch` checked it
        pairs = []
        datasets = train.datasets(len(devices))
        for one, other in zip(datasets.each, validation.datasets(len(devices)).each):
            check_compatible(one.element_spec, other.element_spec)
            pairs.append(SwitchedDataset(one, other, self._is_validating))
        batches = train.build_over(datasets._replace(each=pairs), devices)
        self._hook = _hook_of(
            batches, batches._replace(hooks=[]), self._is_validating, [pair.restart for pair in pairs]
        )
        return batches._replace(hooks=[self._hook], plan=_plan(batches.plan, validation.source, self._by))

    def _hook_now(self) -> "SwitchHook":
        if self._hook is None or not self._hook.is_running:
            raise ArgumentError(
                "there is no current session: call this inside a MonitoredSession, or `with step.running(session)`"
            )
        return self._hook


def _hook_of(train: TowerBatches, validation: TowerBatches, is_validating: Tensor, restart: Any = None) -> SwitchHook:
    hook = SwitchHook(train, validation, is_validating, restart)
    if train.position is not None:
        train.position.is_other_run = hook.validates
    return hook


def _check_datasets(train: Input, validation: Input) -> None:
    for name, pipeline in (("train", train), ("validation", validation)):
        if not isinstance(pipeline, DatasetPipeline) or pipeline.route == "per_device":
            raise ArgumentError(
                'by="iterator" supports only lt.inputs.dataset and from_dataset, and not their route "per_device"; {} '
                'is something else: use by="placeholder"'.format(name)
            )
    assert isinstance(train, DatasetPipeline) and isinstance(validation, DatasetPipeline)
    if train.route != validation.route:
        raise ArgumentError(
            'by="iterator" needs the same route for both, but train has {!r} and validation {!r}'.format(
                train.route, validation.route
            )
        )
    if train.counts_examples != validation.counts_examples:
        raise ArgumentError(
            'by="iterator" does not support remainder="drop" in one pipeline and another remainder in the other'
        )


def _plan(train: InputPlan, validation: str, by: str) -> InputPlan:
    return train._replace(
        details=dict(train.details, switch="by {}".format(by), validation=validation),
        resume_reason=with_validation(train.resume_reason),
    )


def with_validation(reason: str) -> str:
    """Returns the reason of a promise, with what becomes of the validation data."""
    return reason + "; the validation data begins again"


def short_plan(plan: InputPlan) -> str:
    """Returns the first line of a plan, for the details of another plan."""
    return str(plan).splitlines()[0]
