"""Specs of learning-rate schedules."""
import pytest

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.schedules import parse_schedule


def test_a_spec_is_a_name_a_rate_and_options():
    assert parse_schedule("cosine:0.1,steps=1000,warmup=100") == (
        "cosine", {"rate": 0.1, "steps": 1000, "warmup": 100}, False
    )
    assert parse_schedule("piecewise:0.1,0.01@1000,0.001@2000,scale=towers") == (
        "piecewise", {"rates": [0.1, 0.01, 0.001], "boundaries": [1000, 2000]}, True
    )


@pytest.mark.parametrize("text, message", [
    ("cosin:0.1", "there is no schedule 'cosin' (in 'cosin:0.1'), did you mean 'cosine'?"),
    ("cosine:0.1", "the schedule 'cosine:0.1': after \":\", 'cosine' takes RATE,steps=NUMBER, and may take end=NUMBER, "
     "warmup=STEPS, warmup_from=RATE and scale=towers"),
    ("constant:fast", "after \":\", 'constant' takes RATE, and may take warmup=STEPS"),
    ("constant:0.1,steps=3", "'constant' takes RATE"),
    ("constant:0.1,scale=3", "scale=towers"),
    ("constant:0.1,warmup_from=0.1", "'constant' takes RATE"),
    ("constant:nan", "'constant' takes RATE"),
    ("cosine_restarts:0.1,steps=9,factor=0.5", "'cosine_restarts' takes RATE,steps=NUMBER"),
    ("cosine:0.1,steps=10,warmup=10", "'cosine' takes RATE,steps=NUMBER"),
    ("cosine:0.1,steps=10,steps=20", "'cosine' takes RATE,steps=NUMBER"),
    ("piecewise:0.1,0.01@20,0.001@10", "'piecewise' takes RATE,RATE@STEP,..., with rising steps"),
    ("piecewise:0.1", "'piecewise' takes RATE,RATE@STEP"),
    ("inverse_sqrt:0.1", "'inverse_sqrt' decays from the end of its warm-up: give warmup=STEPS"),
])
def test_what_is_wrong_with_a_spec_is_named(text, message):
    with pytest.raises(ArgumentError) as caught:
        parse_schedule(text)
    assert message in str(caught.value)
