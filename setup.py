"""Metadata of legacy_towers; the build system itself is named in pyproject.toml."""
import os
import re

import setuptools
from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(HERE, "legacy_towers", "version.py")) as source:
        namespace = {}
        exec(source.read(), namespace)
    return namespace["VERSION"]


def readme():
    """Returns README.md as a registry shows it: without pictures and links to files of the checkout, and comments."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as source:
        text = source.read()
    text = re.sub(r"<!--.*?-->\n", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n*", "", text)
    return re.sub(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


def license_keywords():
    """Returns the license as this setuptools takes it: an SPDX expression from 77 on, before that text and classifier.

    A registry refuses the expression and the classifier together.
    """
    if int(setuptools.__version__.split(".")[0]) >= 77:
        return {"license_expression": "Apache-2.0"}, []
    return {"license": "Apache-2.0"}, ["License :: OSI Approved :: Apache Software License"]


# The TF1 API is in the top-level folder compat/ and is imported as legacy_towers.compat: a top-level
# package of the name `compat` would be shadowed by the compat.py that many old code bases have beside their train.py.
compat_packages = ["legacy_towers.compat"] + [
    "legacy_towers.compat." + name for name in find_packages("compat")
]

license_fields, license_classifiers = license_keywords()

setup(
    name="legacy_towers",
    version=version(),
    description="Multi-device (tower) training on tf.compat.v1 sessions: one code base for TF 1.15 and TF 2.13 to 2.21",
    long_description=readme(),
    long_description_content_type="text/markdown",
    keywords=[
        "tensorflow", "tensorflow 1", "tf1", "tf.compat.v1", "tf.contrib", "migration", "multi-gpu", "data parallel",
        "towers", "input pipeline", "tf.data", "queue runners", "benchmark", "checkpoints",
    ],
    license_files=["LICENSE"],
    packages=find_packages(include=["legacy_towers", "legacy_towers.*"]) + compat_packages,
    package_dir={"legacy_towers.compat": "compat"},
    package_data={
        "legacy_towers": ["py.typed"],
        "legacy_towers.compat": ["py.typed"],
        "legacy_towers.compat.tf1": ["recorded/*.txt"],
        "legacy_towers.compat.tf1.core": ["*.csv"],
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
        "prometheus": ["prometheus_client"],
        "compare": ["jinja2>=3", "psutil"],
        # Rewrites source code, with its formatting and comments: `legacy-towers migrate PATH --write`.
        "migrate": ["libcst>=1.0"],
        "examples": ["scikit-learn", "tqdm"],
        # Builds the documentation, see docs/mkdocs.yml; ruff lays out the signatures of the API reference.
        "docs": ["mkdocs-material>=9.5", "mkdocstrings[python]>=0.26", "ruff>=0.6"],
        # setuptools and wheel: the packaging test builds the distributions without a network
        "test": [
            "pytest", "pytest-timeout>=2.1", "pytest-xdist>=3.2", "mock", "jinja2>=3", "psutil", "prometheus_client",
            "scikit-learn", "tqdm", "setuptools>=64", "wheel", "libcst>=1.0",
        ],
    },
    entry_points={"console_scripts": ["legacy-towers = legacy_towers.cli.main:main"]},
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3 :: Only",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Software Development :: Libraries :: Python Modules",
        "Typing :: Typed",
    ]
    + ["Programming Language :: Python :: 3.{}".format(minor) for minor in range(7, 14)]
    + license_classifiers,
    **license_fields
)
