"""Wrong conversions of queues, for tests that must find them."""
from unittest import mock

from legacy_towers.migrate.conversion.consumers import MODEL
from legacy_towers.migrate.conversion.datasets import DatasetBuilder


def planted(change):
    """Returns a patch that changes the dataset of each converted pipeline."""
    flow_of = DatasetBuilder.flow_of

    def changed(self, operation, consumer=MODEL, *others):
        flow = flow_of(self, operation, consumer, *others)
        return flow.then(change(flow.dataset), "planted") if consumer is MODEL else flow

    return mock.patch.object(DatasetBuilder, "flow_of", changed)
