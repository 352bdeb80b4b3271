"""Metadata of legacy_towers; the build system itself is named in pyproject.toml."""
import os

from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(HERE, "legacy_towers", "version.py")) as source:
        namespace = {}
        exec(source.read(), namespace)
    return namespace["VERSION"]


def readme():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as source:
        return source.read()


# The door to TensorFlow lives in the top-level folder compat/ and is imported as legacy_towers.compat: a top-level
# package of the name `compat` would be shadowed by the compat.py that many old code bases have beside their train.py.
compat_packages = ["legacy_towers.compat"] + [
    "legacy_towers.compat." + name for name in find_packages("compat")
]

setup(
    name="legacy_towers",
    version=version(),
    description="Multi-device (tower) training on tf.compat.v1 sessions: one code base for TF 1.15 and TF 2.13 to 2.21",
    long_description=readme(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["legacy_towers", "legacy_towers.*"]) + compat_packages,
    package_dir={"legacy_towers.compat": "compat"},
    package_data={
        "legacy_towers": ["py.typed"],
        "legacy_towers.compat": ["py.typed"],
        "legacy_towers.oldtf": ["*.txt"],
        "legacy_towers.oldtf.changed": ["*.csv"],
        "legacy_towers.report": ["templates/*"],
    },
    zip_safe=False,
    python_requires=">=3.7,<3.14",
    # tf_slim and fissix are pure Python and small; `legacy-towers run` needs them, and is what people try first.
    install_requires=["six>=1.12", "fissix>=21.11", 'tf_slim>=1.1; python_version >= "3.8"'],
    extras_require={
        # TensorFlow is never a hard requirement: it would overwrite a tensorflow-cpu or a vendor's build.
        "tensorflow": [
            'tensorflow==1.15.5; python_version < "3.8"',
            'protobuf<3.21; python_version < "3.8"',
            'numpy<1.19; python_version < "3.8"',
            'tensorflow==2.13.*; python_version == "3.8"',
            'tensorflow>=2.13,<2.21; python_version == "3.9"',
            'tf_keras>=2.16,<2.21; python_version == "3.9"',
            'tensorflow>=2.13,<2.22; python_version >= "3.10"',
            'tf_keras>=2.16,<2.22; python_version >= "3.10"',
            # TensorFlow brought it along until 2.20, and scripts import it.
            'tensorboard; python_version >= "3.10"',
        ],
        "progress": ["tqdm"],
        "compare": ["jinja2>=3", "psutil"],
        "examples": ["scikit-learn", "tqdm"],
        # setuptools and wheel: the packaging test builds the distributions without a network
        "test": [
            "pytest", "pytest-xdist", "mock", "jinja2>=3", "psutil", "scikit-learn", "tqdm", "setuptools>=64", "wheel",
        ],
    },
    entry_points={"console_scripts": ["legacy-towers = legacy_towers.cli.main:main"]},
    classifiers=[
        "License :: OSI Approved :: Apache Software License",
        "Programming Language :: Python :: 3",
    ]
    + ["Programming Language :: Python :: 3.{}".format(minor) for minor in range(7, 14)],
)
