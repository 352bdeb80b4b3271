"""GANEstimator, whose training hooks train the generator and the discriminator in turns."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python import namedtuples, train
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.estimator import gan_estimator as _library
from legacy_towers.compat.versions import tf

__all__ = ["GANEstimator", "SummaryType"]

SummaryType = _library.SummaryType
_estimator = script_api.tensorflow().estimator


class GANEstimator(_estimator.Estimator):  # type: ignore
    """Trains a GAN: `features` are the inputs of the generator, `labels` the real data.

    Args:
      model_dir: the folder of checkpoints and event files.
      generator_fn: a function of `features`, and of `mode` if it is an argument; returns generated data.
      discriminator_fn: a function of data and `features`, and of `mode` if it is an argument; returns logits.
      generator_loss_fn: a function of a GANModel and `add_summaries`; returns the loss.
      discriminator_loss_fn: the same for the discriminator.
      generator_optimizer: an optimizer, or a function without arguments that returns one.
      discriminator_optimizer: the same for the discriminator.
      get_hooks_fn: a function of GANTrainOps; returns the hooks that train. By default one step each, in turns.
      get_eval_metric_ops_fn: a function of a GANModel; returns name -> metric.
      add_summaries: a SummaryType or a list of them.
      use_loss_summaries: passed to the losses as `add_summaries`.
      config: a RunConfig.
      warm_start_from: see tf.estimator.Estimator.
      is_chief: whether this process is the chief, for SyncReplicasOptimizer.

    Raises:
      ValueError: a loss is not callable, or `use_loss_summaries` is neither a bool nor None.
      TypeError: `get_hooks_fn` is not callable.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        generator_fn: Optional[Callable[..., Any]] = None,
        discriminator_fn: Optional[Callable[..., Any]] = None,
        generator_loss_fn: Optional[Callable[..., Any]] = None,
        discriminator_loss_fn: Optional[Callable[..., Any]] = None,
        generator_optimizer: Any = None,
        discriminator_optimizer: Any = None,
        get_hooks_fn: Optional[Callable[[Any], Any]] = None,
        get_eval_metric_ops_fn: Optional[Callable[[Any], Any]] = None,
        add_summaries: Any = None,
        use_loss_summaries: Optional[bool] = True,
        config: Any = None,
        warm_start_from: Any = None,
        is_chief: bool = True,
    ) -> None:
        _library._validate_input_args(generator_loss_fn, discriminator_loss_fn, use_loss_summaries, get_hooks_fn)

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            model = _library.get_gan_model(
                mode, generator_fn, discriminator_fn, labels, features, add_summaries
            )
            if mode == _estimator.ModeKeys.PREDICT:
                return _estimator.EstimatorSpec(mode, predictions=model.generated_data)
            loss = namedtuples.GANLoss(
                generator_loss_fn(model, add_summaries=use_loss_summaries),  # type: ignore
                discriminator_loss_fn(model, add_summaries=use_loss_summaries),  # type: ignore
            )
            if mode == _estimator.ModeKeys.EVAL:
                return evaluation_spec(model, loss, get_eval_metric_ops_fn)
            optimizers = [
                each() if callable(each) else each for each in (generator_optimizer, discriminator_optimizer)
            ]
            train_ops = train.gan_train_ops(model, loss, *optimizers, is_chief=is_chief)
            return training_spec(loss, train_ops, get_hooks_fn or train.get_sequential_train_hooks())

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


def training_spec(loss: Any, train_ops: Any, get_hooks_fn: Callable[[Any], Any]) -> Any:
    """Returns the EstimatorSpec of a GANLoss whose hooks train; the train op counts steps."""
    return _estimator.EstimatorSpec(
        _estimator.ModeKeys.TRAIN,
        loss=loss.generator_loss + loss.discriminator_loss,
        train_op=train_ops.global_step_inc_op,
        training_hooks=get_hooks_fn(train_ops),
    )


def evaluation_spec(
    model: Any, loss: Any, get_eval_metric_ops_fn: Optional[Callable[[Any], Any]], suffix: str = ""
) -> Any:
    """Returns the EstimatorSpec with the metrics of both losses, whose names end with `suffix`, and the script's own.

    Raises:
      TypeError: `get_eval_metric_ops_fn` does not return a dict.
    """
    total = loss.generator_loss + loss.discriminator_loss
    with tf.name_scope(None, "metrics", [loss.generator_loss, loss.discriminator_loss]):
        metrics: Dict[str, Any] = {
            "generator_loss" + suffix: tf.metrics.mean(loss.generator_loss),
            "discriminator_loss" + suffix: tf.metrics.mean(loss.discriminator_loss),
        }
        if get_eval_metric_ops_fn is not None:
            own = get_eval_metric_ops_fn(model)
            if not isinstance(own, dict):
                raise TypeError("get_eval_metric_ops_fn must return a dict, received: {}".format(own))
            metrics.update(own)
    return _estimator.EstimatorSpec(
        _estimator.ModeKeys.EVAL, predictions=model.generated_data, loss=total, eval_metric_ops=metrics
    )
