import pytest
import torch


def pytest_collection_modifyitems(items):
    if torch.cuda.is_available():
        return
    skip = pytest.mark.skip(reason="no GPU")
    for item in items:
        item.add_marker(skip)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(20)
