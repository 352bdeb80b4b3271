"""`WarmStart`: names in the checkpoint by a dict or by patterns, and what is refused before TensorFlow is imported."""
import pytest

from legacy_towers.errors import ArgumentError
from legacy_towers.training.settings import TrainSettings, check_settings
from legacy_towers.training.warm_start import WarmStart, as_warm_start

VARIABLES = ["fc/bias", "fc/kernel", "logits/kernel"]


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


@pytest.mark.parametrize("names, expected", [
    ((), VARIABLES),
    ({"fc/bias": "old/b"}, ["old/b", "fc/kernel", "logits/kernel"]),
    ([("fc/(.*)", r"old/\1")], ["old/bias", "old/kernel", "logits/kernel"]),
    ([("fc/bias", "b"), ("(?P<layer>.*)/kernel", r"\g<layer>/w")], ["b", "fc/w", "logits/w"]),
    ([("kernel", "never")], VARIABLES),  # a pattern must match the whole name
])
def test_names(names, expected):
    assert [WarmStart("c", names).checked().name_of(name) for name in VARIABLES] == expected


def test_include_and_exclude():
    def included(**options):
        return [name for name in VARIABLES if WarmStart("c", **options).is_included(name)]

    assert included(exclude=["logits/.*"]) == VARIABLES[:2]
    assert included(include=[".*/kernel"]) == VARIABLES[1:]
    assert included(include=[".*/kernel"], exclude=["logits/.*"]) == ["fc/kernel"]


@pytest.mark.parametrize("options, message", [
    (dict(include=["("]), r"'\(' in include is not a regular expression"),
    (dict(exclude="logits"), "exclude='logits' must be a list"),
    (dict(names=[("(", "x")]), r"'\(' in names is not a regular expression"),
    (dict(names=[("a(.*)", r"\2")]), r"the replacement '\\\\2' does not fit 'a\(\.\*\)': invalid group reference"),
    (dict(names=["a=b"]), "names must be a dict, or pairs"),
])
def test_wrong_patterns_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        WarmStart("c", **options).checked()


@pytest.mark.parametrize("options, message", [
    (dict(names={"fc/weights": "w"}), "names has 'fc/weights', and the model has no such variable; it has 'fc/bias'"),
    (dict(include=["conv/.*"]), r"'conv/\.\*' in include matches none of the model's variables, which are 'fc/bias'"),
    (dict(exclude=["x"]), "'x' in exclude matches none"),
    (dict(names=[("x", "y")]), "'x' in names matches none"),
])
def test_names_that_fit_no_variable_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        WarmStart("c", **options).checked().check_names(VARIABLES)


def test_values_and_settings(tmp_path):
    assert as_warm_start(None) is None and as_warm_start("a") == WarmStart("a")
    with pytest.raises(ArgumentError, match="warm_start must be an lt.training.WarmStart or the name of"):
        as_warm_start(3)
    settings = TrainSettings(warm_start=str(tmp_path), warm_start_rename=["a(.)=b=\\1"], warm_start_strict=True)
    check_settings(settings)
    assert settings.warm_start_value() == WarmStart(str(tmp_path), [("a(.)", "b=\\1")], strict=True)
    for settings, message in [
        (TrainSettings(warm_start="absent"), "--warm-start: there is no checkpoint 'absent' in the working directory"),
        (TrainSettings(warm_start_strict=True), "--warm-start-strict has no effect without --warm-start"),
        (TrainSettings(warm_start=str(tmp_path), warm_start_rename=["a"]), "PATTERN=REPLACEMENT is needed"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            check_settings(settings)
