"""GANHead: losses, optimizers and hooks of a GAN for a script's own model function."""
import functools
from typing import Any, Callable, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.contrib.gan import gan_estimator
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python import namedtuples, train
from legacy_towers.compat.versions import tf

__all__ = ["GANHead", "gan_head"]

_estimator = script_api.tensorflow().estimator


class GANHead:
    """Makes the EstimatorSpec of a GANModel.

    Args:
      generator_loss_fn: a function of a GANModel, and of `add_summaries` unless `use_loss_summaries` is None.
      discriminator_loss_fn: the same for the discriminator.
      generator_optimizer: an optimizer.
      discriminator_optimizer: an optimizer.
      use_loss_summaries: passed to the losses as `add_summaries`; None for their default.
      get_hooks_fn: a function of GANTrainOps; returns the hooks that train. By default one step each, in turns.
      get_eval_metric_ops_fn: a function of a GANModel; returns name -> metric.
      name: a suffix of the names of metrics.

    Raises:
      TypeError: an argument is not callable, or `name` is not a string.
      ValueError: `use_loss_summaries` is neither a bool nor None.
    """

    def __init__(
        self,
        generator_loss_fn: Callable[..., Any],
        discriminator_loss_fn: Callable[..., Any],
        generator_optimizer: Any,
        discriminator_optimizer: Any,
        use_loss_summaries: Optional[bool] = True,
        get_hooks_fn: Optional[Callable[[Any], Any]] = None,
        get_eval_metric_ops_fn: Optional[Callable[[Any], Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        if not callable(generator_loss_fn):
            raise TypeError("generator_loss_fn must be callable.")
        if not callable(discriminator_loss_fn):
            raise TypeError("discriminator_loss_fn must be callable.")
        if use_loss_summaries not in (True, False, None):
            raise ValueError("use_loss_summaries must be True, False or None.")
        if get_hooks_fn is not None and not callable(get_hooks_fn):
            raise TypeError("get_hooks_fn must be callable.")
        if name is not None and not isinstance(name, str):
            raise TypeError("name must be string.")
        options = {} if use_loss_summaries is None else {"add_summaries": use_loss_summaries}
        self._generator_loss_fn = functools.partial(generator_loss_fn, **options)
        self._discriminator_loss_fn = functools.partial(discriminator_loss_fn, **options)
        self._generator_optimizer = generator_optimizer
        self._discriminator_optimizer = discriminator_optimizer
        self._get_hooks_fn = get_hooks_fn or train.get_sequential_train_hooks()
        self._get_eval_metric_ops_fn = get_eval_metric_ops_fn
        self._name = name

    @property
    def name(self) -> Optional[str]:
        return self._name

    @property
    def logits_dimension(self) -> None:
        return None

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> Any:
        """Returns the GANLoss of the GANModel `logits`; `labels` must be None, and the others are not used."""
        _check(logits, labels)
        return namedtuples.GANLoss(self._generator_loss_fn(logits), self._discriminator_loss_fn(logits))

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        train_op_fn: Optional[Callable[..., Any]] = train.gan_train_ops,
    ) -> Any:
        """Returns the EstimatorSpec of the GANModel `logits`.

        Args:
          features: must be None.
          mode: a tf.estimator.ModeKeys.
          logits: the GANModel.
          labels: must be None.
          train_op_fn: a function of the GANModel, GANLoss and both optimizers; returns GANTrainOps.

        Raises:
          ValueError: an argument that must be None is not, or the mode is unknown.
        """
        _check(logits, labels)
        if features is not None:
            raise ValueError("`features` should be `None`. Instead, found: {}".format(features))
        modes = _estimator.ModeKeys
        with tf.name_scope("GANHead"):
            if mode == modes.PREDICT:
                outputs = {"predict": _estimator.export.PredictOutput(logits.generated_data)}
                return _estimator.EstimatorSpec(mode, predictions=logits.generated_data, export_outputs=outputs)
            if mode not in (modes.TRAIN, modes.EVAL):
                raise ValueError("Mode not recognized: {}".format(mode))
            loss = self.create_loss(None, mode, logits, None)
            if mode == modes.EVAL:
                suffix = "/" + self._name if self._name else ""
                return gan_estimator.evaluation_spec(logits, loss, self._get_eval_metric_ops_fn, suffix)
            if train_op_fn is None:
                raise ValueError("train_op_fn can not be None.")
            train_ops = train_op_fn(logits, loss, self._generator_optimizer, self._discriminator_optimizer)
            return gan_estimator.training_spec(loss, train_ops, self._get_hooks_fn)


def gan_head(
    generator_loss_fn: Callable[..., Any],
    discriminator_loss_fn: Callable[..., Any],
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    use_loss_summaries: Optional[bool] = True,
    get_hooks_fn: Optional[Callable[[Any], Any]] = train.get_sequential_train_hooks(),
    get_eval_metric_ops_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
) -> GANHead:
    """Returns a GANHead."""
    return GANHead(
        generator_loss_fn,
        discriminator_loss_fn,
        generator_optimizer,
        discriminator_optimizer,
        use_loss_summaries,
        get_hooks_fn,
        get_eval_metric_ops_fn,
        name,
    )


def _check(logits: Any, labels: Any) -> None:
    if labels is not None:
        raise ValueError(
            "`GANHead`'s `create_estimator_spec` input `labels` must be `None`. Instead, found: {}".format(labels)
        )
    if not isinstance(logits, namedtuples.GANModel):
        raise ValueError(
            "`GANHead`'s `create_estimator_spec` input `logits` must be an instance of a `GANModel`. Instead, found: "
            "{}".format(logits)
        )
