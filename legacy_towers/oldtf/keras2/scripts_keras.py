"""tf.keras as scripts of TensorFlow 1.x know it: Keras 2. What builds models is refused where only Keras 3 is there."""
import functools
from typing import Any

from legacy_towers.compat import keras as chosen
from legacy_towers.compat import tf, versions
from legacy_towers.compat.view import ModuleView
from legacy_towers.errors import EnvironmentProblem
from legacy_towers.oldtf.keras2.provides import BUILDERS


def _builder(name: str) -> Any:
    problem = chosen.keras_3_problem(versions.parse(tf.__version__))
    if problem is not None:
        raise EnvironmentProblem(problem)
    return getattr(tf.keras, name)


keras = ModuleView("tf.keras", tf.keras, replaced={name: functools.partial(_builder, name) for name in BUILDERS})
