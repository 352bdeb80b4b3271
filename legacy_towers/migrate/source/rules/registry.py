"""The rules: each registers a construct of queues by its code."""
from typing import Dict, List, NamedTuple, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.text.codes import chosen, first_unknown, unknown_code

# How the code before and after compares: what `batch` gives, or what both print.
SAME_SEQUENCE, SAME_SET, SAME_OUTPUT = "the same sequence", "the same examples", "the same output"


class Example(NamedTuple):
    """A piece of code before and after the change, which the tests run.

    Attributes:
      before: the code with queues; it makes `batch`, or prints where `same` is SAME_OUTPUT.
      after: the code with tf.data.
      same: SAME_SEQUENCE, SAME_SET or SAME_OUTPUT; else why what they give is not compared.
      steps: the number of batches that are compared where the input never ends; 0: all.
    """

    before: str
    after: str
    same: str
    steps: int = 0


class Rule(NamedTuple):
    """One construct of queues.

    Attributes:
      code: its stable code, "LT101".
      names: the functions, classes or methods of TensorFlow, by their public names; the first is the rule's title.
      becomes: what it becomes, in one line.
      explanation: what it does, and what becomes of it.
      limits: when it can't be rewritten, and what to do then.
      example: the same in code.
      needs_queues: whether it is of queues only if there are some: a Coordinator can serve other threads too.
    """

    code: str
    names: Tuple[str, ...]
    becomes: str
    explanation: str
    limits: str
    example: Example
    needs_queues: bool = False

    @property
    def title(self) -> str:
        """The first of its names as scripts write it: "reader.read" for tf.ReaderBase.read."""
        return written(self.names[0])


# Filled by the modules of this package, which are imported together.
_RULES: Dict[str, Rule] = {}
_BY_NAME: Dict[str, Rule] = {}
# What scripts call the object of a method.
_OBJECTS = (
    ("tf.ReaderBase.", "reader."),
    ("tf.QueueBase.", "queue."),
    ("tf.Session.", "session."),
    ("tf.StagingArea.", "area."),
    ("tf.train.Coordinator.", "coordinator."),
    ("tf.train.Supervisor.", "supervisor."),
    ("tf.train.QueueRunner.", "runner."),
    ("tf.contrib.slim.ParallelReader.", "reader."),
    ("tf.contrib.slim.DatasetDataProvider.", "provider."),
    ("tf.contrib.slim.ParallelDataProvider.", "provider."),
    ("tf.contrib.training.SequenceQueueingStateSaver.", "saver."),
)


def rule(rule: Rule) -> Rule:
    """Registers a rule and returns it.

    Raises:
      ValueError: its code, or one of its names, has a rule already.
    """
    for key, known in [(rule.code, _RULES)] + [(name, _BY_NAME) for name in rule.names]:
        if key in known:
            raise ValueError("{} has a rule already".format(key))
        known[key] = rule
    return rule


def written(name: str) -> str:
    """Returns a name as scripts write it: "queue.dequeue" for tf.QueueBase.dequeue."""
    for beginning, shown in _OBJECTS:
        if name.startswith(beginning):
            return shown + name[len(beginning) :]
    return name


def rules(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> List[Rule]:
    """Returns the rules in the order of their codes.

    Args:
      select: codes, or beginnings of codes, of the rules to return; empty: all.
      ignore: codes, or beginnings of codes, of the rules to leave out.

    Raises:
      ArgumentError: a code of `select` or `ignore` is that of no rule.
    """
    unknown = first_unknown(list(select) + list(ignore), _RULES)
    if unknown is not None:
        raise _unknown(unknown)
    return [_RULES[code] for code in chosen(_RULES, select, ignore)]


def of_code(code: str) -> Rule:
    """Returns the rule of a code.

    Raises:
      ArgumentError: there is none.
    """
    if code not in _RULES:
        raise _unknown(code)
    return _RULES[code]


def of_name(name: str) -> Rule:
    """Returns the rule of a function, class or method of TensorFlow.

    Raises:
      KeyError: there is none.
    """
    return _BY_NAME[name]


def _unknown(code: str) -> ArgumentError:
    return ArgumentError(unknown_code("rule", code, _RULES))
