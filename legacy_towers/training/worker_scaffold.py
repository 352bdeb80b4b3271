"""The initialization of a worker whose variables are on parameter servers, where the chief initializes them."""
from typing import Any

from legacy_towers.cluster.parameter_servers import is_on_server
from legacy_towers.compat import tf


def worker_scaffold() -> Any:
    """Returns a `tf.train.Scaffold` for the default graph that initializes what is on this worker alone.

    The hooks of the step wait for the chief.
    """
    own = [variable for variable in tf.global_variables() if not is_on_server(variable.device)]
    return tf.train.Scaffold(
        init_op=tf.group(*[variable.initializer for variable in own]),
        ready_op=tf.report_uninitialized_variables(own),
        ready_for_local_init_op=tf.report_uninitialized_variables(own),
    )
