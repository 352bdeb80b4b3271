"""Records the methods of strategies, and the losses of training loops, of TensorFlow 1.8 to 1.14.

    python tests/tf1_cases/record_strategies.py 1.8           with TensorFlow 1.8, then with 1.12, 1.13 and 1.14

It adds the version to `reference/strategy_methods.txt`, a line for each signature with the versions that had it, and to
`reference/strategy_loops.json`, case -> version -> numbers. The loops run on two logical CPU devices.
"""
import inspect
import json
import os
import sys
import warnings

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")
METHODS = os.path.join(FOLDER, "strategy_methods.txt")
LOOPS = os.path.join(FOLDER, "strategy_loops.json")
OF_CONTRIB = (
    "MirroredStrategy OneDeviceStrategy ParameterServerStrategy CollectiveAllReduceStrategy TowerContext"
    " ReplicaContext AllReduceCrossTowerOps ReductionToOneDeviceCrossTowerOps AllReduceCrossDeviceOps DistributeConfig"
    " StandardInputStep StandardSingleLossStep Step Monitor DistributionStrategyExtended"
).split()
OF_CORE = "MirroredStrategy OneDeviceStrategy ReplicaContext StrategyExtended".split()
OF_VALUES = "PerDeviceDataset PerDeviceDataIterator MultiStepContext".split()


def classes(tf):
    """Yields (dotted name, class) of those that the running TensorFlow has."""
    places = [("tf.contrib.distribute.", tf.contrib.distribute, OF_CONTRIB)]
    if hasattr(tf, "distribute"):
        places.append(("tf.distribute.", tf.distribute, OF_CORE))
    try:
        from tensorflow.contrib.distribute.python import values

        places.append(("tf.contrib.distribute.python.values.", values, OF_VALUES))
    except ImportError:
        pass
    for prefix, place, names in places:
        for name in names:
            if hasattr(place, name):
                yield prefix + name, getattr(place, name)


def signature(function):
    """Returns the arguments as text: "value name=None"."""
    parts = []
    for each in inspect.signature(inspect.unwrap(function)).parameters.values():
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        is_plain = isinstance(each.default, (int, str, float, type(None)))
        default = "" if each.default is each.empty else "=" + (repr(each.default) if is_plain else "...")
        parts.append(stars + each.name + default)
    return " ".join(parts[1:])


def methods(tf):
    """Yields "class.method: arguments", or "class.name: property"."""
    for name, kind in classes(tf):
        is_tuple = issubclass(kind, tuple)
        for member in sorted(dir(kind)):
            value = inspect.getattr_static(kind, member)
            if member.startswith("_") and member != "__init__" or hasattr(tuple, member) and is_tuple:
                continue
            if member == "__init__" and (is_tuple or "__init__" not in vars(kind)):
                continue
            what = signature(value) if callable(value) else "property"
            yield "{}.{}: {}".format(name, member, what).strip()


def main(version):
    import tensorflow as tf

    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from tf1_cases.contrib import distributed_estimator_cases, strategy_cases

    found = {}
    if os.path.exists(METHODS):
        with open(METHODS) as file:
            found = {line[: line.index(" [")]: line.strip()[line.index(" [") + 2 : -1].split() for line in file}
    for line in methods(tf):
        if version not in found.setdefault(line, []):
            found[line].append(version)
    with open(METHODS, "w") as file:
        file.write("".join("{} [{}]\n".format(line, " ".join(found[line])) for line in sorted(found)))
    loops = {}
    if os.path.exists(LOOPS):
        with open(LOOPS) as file:
            loops = json.load(file)
    for cases in (strategy_cases.CASES, distributed_estimator_cases.CASES):
        for name, (case, versions) in cases.items():
            if version in versions:
                loops.setdefault(name, {})[version] = strategy_cases.numbers(tf, case, 2)
    with open(LOOPS, "w") as file:
        json.dump(loops, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.filterwarnings("ignore")
    main(sys.argv[1])
