"""tf.contrib.distribute.python.step_fn: training steps as objects, of TensorFlow 1.8 to 1.14."""
from typing import Any, List

from legacy_towers.compat.tf1.contrib.distribute import operations
from legacy_towers.compat.tf1.contrib.distribute.contexts import with_tower_methods


class Step:
    """A training step; calling it returns the operation that runs the step."""

    def __init__(self, distribution: Any) -> None:
        self._distribution = with_tower_methods(distribution)

    @property
    def distribution(self) -> Any:
        return self._distribution

    def initialize(self) -> List[Any]:
        """Returns the operations that run before the first step."""
        return []

    def inputs(self) -> Any:
        """Returns the inputs of `step`; a method of TensorFlow 1.8."""
        raise NotImplementedError("must be implemented in descendants")

    def step(self, inputs: Any) -> Any:
        """Returns the operation that runs the step on `inputs`; a method of TensorFlow 1.8."""
        raise NotImplementedError("must be implemented in descendants")

    def __call__(self) -> Any:
        return self.step(self.inputs())


class StandardInputStep(Step):
    """A step that reads a dataset.

    Args:
      dataset_fn: a function that returns a tf.data.Dataset, or a dataset (TensorFlow 1.8); each tower gets an element.
      distribution: the strategy.
      input_dataset: the name of `dataset_fn` in TensorFlow 1.8.
    """

    def __init__(self, dataset_fn: Any = None, distribution: Any = None, input_dataset: Any = None) -> None:
        super().__init__(distribution)
        dataset_fn = operations.only_one(dataset_fn, input_dataset)
        self._of_dataset = not callable(dataset_fn)
        make = (lambda: dataset_fn) if self._of_dataset else dataset_fn
        self._iterator = self._distribution.distribute_dataset(make).make_one_shot_iterator()

    def inputs(self) -> Any:
        """Returns the towers' next inputs, as TensorFlow 1.8 does."""
        return self._iterator.get_next()


class StandardSingleLossStep(StandardInputStep):
    """A step that minimizes a loss: it applies the sum of the towers' gradients.

    Args:
      dataset_fn: see `StandardInputStep`.
      loss_fn: called for each tower, returns its loss: of (context, *inputs) with a function that returns the dataset,
        of the inputs with a dataset (TensorFlow 1.8). Variables that it makes must be reused by tf.get_variable.
      optimizer: a tf.train.Optimizer.
      distribution: the strategy.
      iterations_per_step: the number of batches per step.
      input_dataset: the name of `dataset_fn` in TensorFlow 1.8.
    """

    def __init__(
        self,
        dataset_fn: Any = None,
        loss_fn: Any = None,
        optimizer: Any = None,
        distribution: Any = None,
        iterations_per_step: int = 1,
        input_dataset: Any = None,
    ) -> None:
        super().__init__(dataset_fn, distribution, input_dataset)
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._iterations = iterations_per_step

    def step(self, inputs: Any) -> Any:
        """Returns the operation that trains on `inputs`, as TensorFlow 1.8 does."""
        with self._distribution.scope():
            return self._train(inputs)

    def __call__(self) -> Any:
        with self._distribution.scope():
            if self._of_dataset:
                return self._train(self.inputs())

            def step(context: Any, *inputs: Any) -> Any:
                return self._train(context, *inputs)

            return self._distribution.run_steps_on_dataset(step, self._iterator, self._iterations).run_op

    def _train(self, *arguments: Any) -> Any:
        def minimize(*given: Any) -> Any:
            loss = self._loss_fn(*given)
            gradients = self._optimizer.compute_gradients(loss)
            return self._optimizer.apply_gradients([pair for pair in gradients if pair[0] is not None])

        # Not call_for_each_tower: the step adds the towers' gradients, and does not divide the loss.
        trained = self._distribution.extended.call_for_each_replica(minimize, args=arguments)
        return self._distribution.group(trained)


