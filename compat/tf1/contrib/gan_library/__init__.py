"""tensorflow_gan, imported as `gan_library.tensorflow_gan` so that it is tf.contrib.gan on all supported TensorFlows.

tensorflow_gan 2.1.0 continues tf.contrib.gan, but it requires packages that only its newer parts use, and functions
that Python and TensorFlow removed. This package imports its files under another name: their `import tensorflow` gets
TensorFlow 1.x as scripts see it, and `adaptations` replaces what differs from 1.14.
`import tensorflow_gan` elsewhere is unchanged.
"""
from legacy_towers.compat.tf1.contrib import adapted_library
from legacy_towers.compat.tf1.contrib.gan_library import adaptations

_MISSING = (
    "tf.contrib.gan needs the package tensorflow_gan, which is not installed: "
    "pip install --no-deps tensorflow-gan==2.1.0 (without --no-deps, pip also installs packages that are not needed, "
    "and may upgrade TensorFlow)"
)

adapted_library.install(
    adapted_library.Adaptation(
        theirs="tensorflow_gan",
        ours=__name__ + ".tensorflow_gan",
        missing=_MISSING,
        import_other=adaptations.import_other,
        after=adaptations.AFTER,
        # They import all of the library, and check the versions of packages.
        without_init=frozenset(["", "python", "python.eval", "python.estimator", "python.features"]),
    )
)
