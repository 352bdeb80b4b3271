"""What is compared: asked for by the settings, and possible with the job on this machine."""
from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.input_candidates import find_ways
from legacy_towers.compare.settings import CompareSettings
from legacy_towers.jobs import Job


def find_candidates(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the candidates: ways in, or where the settings name them strategies, reductions, or pairs of both.

    Raises:
      ArgumentError: an unknown name, one named twice, or `current` is none of them.
      UserError: what was asked for by name can't be.
    """
    if settings.variables is None and settings.reductions is None:
        return find_ways(job, settings)
    from legacy_towers.compare.strategy_candidates import find_strategies

    return find_strategies(job, settings)
