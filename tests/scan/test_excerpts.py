"""Lines as they are shown: no secrets, and nothing else taken out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.scan.excerpts import excerpt, redacted

# "SECRET" marks what must not be seen, wherever it stands; names that hold it are written NCCL_TOP.
LEAKING = (
    'password = "SECRET2hunter2hunter"',
    'token="SECRET3abcdefghijkl"',
    "passwd: SECREThunter2hunter",
    "RUN export TOKEN=SECRET16abcdef && nvcc -V",
    "NCCL_TOKEN=SECRET16abcdef",
    "ENV HF_TOKEN SECRETabcdef12",
    "ENV API_KEY=SECRETabcdef12",
    "docker build --build-arg TOKEN=SECRETabcdef12 .",
    '-DAPI_KEY=\\"SECRETabcdefg1\\"',
    "RUN git clone https://SECRET4tokenabcdef@github.com/x",
    "pip install git+https://user:SECRETpw@host/x",
    'curl -H "Authorization: Bearer SECRET5abcdefgh" x',
    "Authorization: Basic dXNlcjpSECRET1",
    '#define API_KEY "SECRET7abcdefgh1234"',
    'api.key("SECRET8abcdefgh")',
    'setenv("API_TOKEN", "SECRETabcd1234", 1);',
    'os.environ["NCCL_TOP_TOKEN"]="SECRET21abcd"',
    'os.environ["AWS_ACCESS_KEY"] = "SECRETwJalrXUtnFEMI"',
    '"private_key": "SECRETabcdefgh",',
    "client_secret='SECRETabcdefgh'",
    'db_pwd = "SECRETabcdefgh"',
    "aws_access_key_id = AKIASECRETSECRETSECR",
    'x = "AIzaSySECRETabcdefghijklmnopqrstuv"',
    'x = "ghp_SECRETabcdefghijklmnopqrstuvwxyz01"',
    'x = "github_pat_SECRETabcdefghijklmnopqr"',
    'x = "glpat-SECRETabcdefgh1234"',
    'x = "xoxb-SECRET-1234567890"',
    "https://hooks.slack.com/services/SECRET00/B00/abcdefgh",
    'x = "hf_SECRETabcdefghijklmnopqr"',
    'x = "sk-proj-SECRETabcdefghijklmnopqr"',
    'x = "npm_SECRETabcdefghijklmnop"',
    "-----BEGIN RSA PRIVATE KEY-----SECRETMIIE",
    "jwt: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJSECRET.abcdefSECRET",
    'k = "aB3dE5gH7jK9SECRETmN1pQ4rS6tU8"',
    "k = '0a1b2c3d4e5f60718293SECRETa4b5c6d7'",
)

HARMLESS = (
    "auto key = cub::DeviceRadixSort::SortPairs(a1, b2);",
    "using SortKey = cuda::std::tuple<std::size_t, bst_feature_t, double>;",
    "token_ids = next_tokens[0:128]",
    "max_tokens = args.max_tokens_128",
    "int num_tokens = blockIdx.x * 128;",
    "sort_keys(d_keys_in, d_keys_out);",
    "cudaMemcpyToSymbol(key_table128, host, 128);",
    "token = tokenizer.next_token1234(x)",
    'key = os.environ["API_KEY"]',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "bearer authentication of basic arithmetic",
    "git clone ssh://git@github.com/NVIDIA/nccl.git",
    'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");',
    'asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));',
    'load("_ZN7cutlass6KernelINS_4gemm6kernel9GemmBatchedE12Sm80");',
    'kernel = "flash_fwd_splitkv_hdim128_bf16_sm80_kernel"',
    'module.get_function("FlashAttentionForwardKernel128Sm90")',
    '#include "cutlass/gemm/device/gemm_universal_SM90_128x128.h"',
    'AutoTokenizer.from_pretrained("meta-llama/Llama-2-7b-chat-hf")',
    "image: nvcr.io/nvidia/pytorch:24.01-py3",
    "pip install torch==2.1.0+cu121 --index-url https://download.pytorch.org/whl/cu121",
    'set(CMAKE_CUDA_ARCHITECTURES "70;75;80;86;89;90")',
    "cuda::barrier<cuda::thread_scope_block>::arrival_token token = bar.arrive();",
)


@pytest.mark.parametrize("line", LEAKING)
def test_secrets_are_not_shown(line: str) -> None:
    shown = excerpt(line)
    assert "SECRET" not in shown
    assert re.search(r"\[redacted:[a-z]+:\d+\]", shown)


@pytest.mark.parametrize("line", HARMLESS)
def test_code_is_shown_as_it_is(line: str) -> None:
    assert excerpt(line) == line


def test_an_excerpt_is_one_short_line_of_visible_characters() -> None:
    shown = excerpt("\tcudaMalloc(\x1b[31m&p,\u202e n);\u200b" + " x" * 500)
    assert shown.startswith("cudaMalloc( [31m&p, n); x x")
    assert len(shown) == 200


_WORDS = st.sampled_from(
    [
        *(
            "token",
            "password",
            "API_KEY",
            "Bearer",
            "Authorization",
            "://",
            "@",
            ":",
            "=",
            '"',
            "'",
            " ",
            "(",
            "[",
            "]",
            "/",
            "\\",
        ),
        *(
            "ghp_",
            "sk-",
            "eyJ",
            "AKIA",
            "-----BEGIN A-----",
            "redacted",
            "[redacted:token:8]",
            "aB3dE5gH7jK9mN1p",
            "12345678",
            "ENV",
        ),
    ]
)
_TEXTS = st.lists(st.one_of(_WORDS, st.text(max_size=12)), max_size=12).map("".join)


@given(_TEXTS)
def test_doing_it_again_changes_nothing(text: str) -> None:
    assert redacted(redacted(text)) == redacted(text)


@given(_TEXTS)
def test_it_grows_by_its_marks_alone(text: str) -> None:
    marks = len(re.findall(r"\[redacted:", redacted(text)))
    assert len(redacted(text)) <= len(text) + 30 * marks
    assert len(excerpt(text)) <= 200


def test_long_texts_take_time_by_their_length() -> None:
    for text in (
        "token" * 20_000,
        "a" * 100_000,
        '"' + "aB3/" * 25_000,
        "key=" * 20_000,
        "://" * 30_000,
        "x." * 50_000 + "key",
    ):
        assert len(redacted(text)) <= 2 * len(text) + 100
