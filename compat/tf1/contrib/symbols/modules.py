"""The private modules of tf.contrib that scripts import from, such as tensorflow.contrib.image.python.ops.

Each is another name of the public package that has its functions.
"""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_OURS = "legacy_towers.compat.tf1.contrib."
# (package below tf.contrib, package below that) -> modules.
_MODULES: Dict[Tuple[str, str], str] = {
    ("cluster_resolver", "python.training"): "cluster_resolver gce_cluster_resolver kubernetes_cluster_resolver"
    " slurm_cluster_resolver tfconfig_cluster_resolver tpu_cluster_resolver",
    ("copy_graph", "python.util"): "copy_elements",
    ("data", "python.ops"): "counter enumerate_ops error_ops get_single_element parsing_ops random_ops resampling"
    " scan_ops sliding unique writers",
    ("distributions", "python.ops"): "autoregressive batch_reshape binomial cauchy chi2 deterministic distribution_util"
    " geometric gumbel half_normal independent inverse_gamma kumaraswamy logistic mixture mixture_same_family"
    " moving_stats mvn_diag mvn_diag_plus_low_rank mvn_full_covariance mvn_linear_operator mvn_tril negative_binomial"
    " normal_conjugate_posteriors onehot_categorical poisson poisson_lognormal quantized_distribution"
    " relaxed_bernoulli relaxed_onehot_categorical sample_stats sinh_arcsinh vector_student_t wishart",
    ("distributions.bijectors", "python.ops.bijectors"): "absolute_value affine affine_linear_operator affine_scalar"
    " batch_normalization chain cholesky_outer_product exp fill_triangular gumbel inline invert kumaraswamy"
    " masked_autoregressive matrix_inverse_tril ordered permute power_transform real_nvp reshape scale_tril sigmoid"
    " sinh_arcsinh softmax_centered softplus softsign square transform_diagonal",
    ("eager", "python"): "datasets network saver tfe",
    ("estimator", "python.estimator"): "early_stopping exporter extenders head logit_fns",
    ("feature_column", "python.feature_column"): "sequence_feature_column",
    ("grid_rnn", "python.ops"): "grid_rnn_cell",
    ("hooks", "python.training"): "profiler_hook",
    ("image", "python.ops"): "distort_image_ops",
    ("input_pipeline", "python.ops"): "input_pipeline_ops",
    ("learn", "python.learn"): "evaluable export_strategy trainable",
    ("learn", "python.learn.learn_io"): "graph_io",
    ("nn", "python.ops"): "alpha_dropout cross_entropy fwd_gradients sampling_ops scaled_softplus",
    ("sparsemax", "python.ops"): "sparsemax sparsemax_loss",
}

SYMBOLS: Tuple[Symbol, ...] = tuple(
    Symbol("tensorflow.contrib.{}.{}.{}".format(part.split(".")[0], package, module), _OURS + part)
    for (part, package), modules in _MODULES.items()
    for module in modules.split()
) + (
    Symbol("tensorflow.contrib.eager.python.metrics", _OURS + "eager.metrics"),
    Symbol("tensorflow.contrib.eager.python.metrics_impl", _OURS + "eager.metrics"),
    Symbol("tensorflow.contrib.data.python.ops.threadpool", _OURS + "data.threadpool"),
    Symbol("tensorflow.python.data.experimental.ops.threadpool", _OURS + "data.threadpool"),
    Symbol("tensorflow.python.profiler.profile_context", _OURS + "tfprof.profile_context"),
    Symbol("tensorflow.contrib.learn.python.learn.basic_session_run_hooks", "legacy_towers.compat.versions:tf.train"),
    Symbol("tensorflow.contrib.learn.python.learn.monitored_session", "legacy_towers.compat.versions:tf.train"),
    Symbol("tensorflow.contrib.learn.python.learn.session_run_hook", "legacy_towers.compat.versions:tf.train"),
)
