"""How a plan is written for people."""
import pytest

from legacy_towers.migrate.conversion.plans import REFUSED, SAME_SEQUENCE, SAME_SET, PipelinePlan


@pytest.mark.parametrize("promise, reason, expected", [
    pytest.param(SAME_SEQUENCE, "", ["q: SAME SEQUENCE"], id="no reason"),
    pytest.param(SAME_SET, "it shuffles", ["q: SAME SET, since it shuffles"], id="one reason"),
    pytest.param(SAME_SET, "it shuffles; 2 operations fill it", [
        "q: SAME SET, since", "    it shuffles", "    2 operations fill it"], id="a line for each of several"),
    pytest.param(REFUSED, "Python fills it; see LT413", ["q: REFUSED, since Python fills it; see LT413"], id="refused"),
])
def test_reasons_of_a_plan(promise, reason, expected):
    assert str(PipelinePlan("q", promise, reason, (), None, "", ())).splitlines() == expected
