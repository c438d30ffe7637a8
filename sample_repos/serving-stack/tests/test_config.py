from pathlib import Path

import pytest

from engine.command import command
from gateway.config import ConfigError, read_models

ROOT = Path(__file__).parent.parent
GOOD = """
[m]
engine = "vllm"
weights = "org/m"
gpus = 2
dtype = "bfloat16"
kv_cache = "fp8"
max_len = 4096
block_size = 16
replicas = ["http://m-0:8000"]
"""


def test_the_shipped_file_is_good():
    models = read_models(ROOT / "models.toml")
    assert models["llama-70b"].gpus == 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"vllm"', '"triton-server"', "engine must be one of"),
        ("gpus = 2", "gpus = 3", "gpus must be"),
        ('["http://m-0:8000"]', "[]", "no replicas"),
        ('dtype = "bfloat16"', "", "dtype"),
    ],
)
def test_faults_are_named(tmp_path, old, new, message):
    file = tmp_path / "models.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        read_models(file)


def test_no_fp8_cache_on_old_cards(tmp_path):
    file = tmp_path / "models.toml"
    file.write_text(GOOD)
    model = read_models(file)["m"]
    assert "--kv-cache-dtype=fp8" in command(model)
    assert "--kv-cache-dtype=auto" in command(model, fp8_ok=False)
    assert "--tensor-parallel-size=2" in command(model)
