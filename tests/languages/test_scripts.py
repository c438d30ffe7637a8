"""Facts of shell scripts, container files and Makefiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.languages import dockerfile, make, shell
from estimator.languages.facts import NOTHING_HARVESTED, Fact, FactKind


def _commands(facts: tuple[Fact, ...]) -> list[tuple[str, int]]:
    return [(fact.text, fact.line) for fact in facts if fact.kind is FactKind.COMMAND]


def _shell(text: str) -> tuple[Fact, ...]:
    return shell.read("a.sh", text, NOTHING_HARVESTED).facts


def test_chains_pipes_and_substitutions_give_their_commands() -> None:
    text = 'a && b | c; d=$(nvidia-smi -L)\necho "$(nvcc -V) nvcc"\n(e) &\n'
    assert {command for command, _ in _commands(_shell(text))} == {
        "a",
        "b",
        "c",
        "nvidia-smi -L",
        "nvcc -V",
        "echo",
        "e",
    }


def test_wrappers_are_looked_through() -> None:
    text = "X=1 srun -n 4 --gres=gpu:4 nsys profile -o f python t.py\nsudo modprobe gdrdrv\nbash -c 'nvcc a.cu && b'\n"
    commands = [command for command, _ in _commands(_shell(text))]
    assert "nsys profile -o f python t.py" in commands
    assert "modprobe gdrdrv" in commands
    assert "nvcc a.cu" in commands


def test_comments_documents_and_messages_say_nothing() -> None:
    text = "# nvcc a\ncat <<EOF > x\nnvcc b\nEOF\necho nvcc c\nprintf 'nvcc'\ntrue # nvcc d\n"
    assert [command for command, _ in _commands(_shell(text))] == ["cat", "echo", "printf", "true"]


def test_settings_and_directives() -> None:
    text = '#SBATCH --gres=gpu:a100:4\nexport A=1 NCCL_P2P_LEVEL="NVL"\nsetenv B 2\nC=3\n'
    facts = _shell(text)
    assert [fact.text for fact in facts if fact.kind is FactKind.SETTING] == ["A=1", "NCCL_P2P_LEVEL=NVL", "B=2", "C=3"]
    assert _commands(facts) == [("SBATCH --gres=gpu:a100:4", 1)]


def test_arms_of_if_and_case_are_guards() -> None:
    text = (
        'if [ "$GPU" = amd ]; then\n  hipcc a\nelse\n  nvcc a\nfi\ncase $V in\n  amd|rocm) x ;;\n  *) y ;;\nesac\nz\n'
    )
    guards = {fact.text: fact.guards for fact in _shell(text)}
    assert guards["hipcc a"] == ("$GPU = amd",)
    assert guards["nvcc a"] == ("!($GPU = amd)",)
    assert guards["x"] == ("case $V in amd|rocm",)
    assert guards["z"] == ()


def test_installed_packages_stand_on_their_own_lines() -> None:
    text = (
        "apt-get install -y \\\n  cuda-toolkit-12-4 \\\n"
        "  libcudnn9=9.1\npip install -r r.txt 'flash-attn>=2' -f https://x.org/whl/cu121\n"
    )
    found = [(fact.text, fact.line, fact.detail) for fact in _shell(text) if fact.kind is FactKind.REQUIREMENT]
    assert found == [("cuda-toolkit-12-4", 2, "apt"), ("libcudnn9 =9.1", 3, "apt"), ("flash-attn >=2", 4, "pip")]
    assert ("-f=https://x.org/whl/cu121", 4) in [(fact.text, fact.line) for fact in _shell(text)]


def _settings(text: str) -> list[tuple[str, int]]:
    return [(fact.text, fact.line) for fact in _shell(text) if fact.kind is FactKind.SETTING]


def test_an_apostrophe_inside_quotes_is_text() -> None:
    text = 'echo "it\'s building"\nnvcc a.cu\necho "can\'t"; nvcc b.cu; echo "don\'t"\n'
    assert [command for command, _ in _commands(_shell(text)) if "nvcc" in command] == ["nvcc a.cu", "nvcc b.cu"]


def test_expansions_inside_expansions_keep_the_quotes_right() -> None:
    text = 'A="${A:-$(cd -- "${B}/.." && pwd)}"\nnvcc a\nC="${C:-\n'
    assert ("nvcc a", 2) in _commands(_shell(text))


def test_a_mark_of_a_comment_inside_quotes_is_text() -> None:
    assert _commands(_shell('A="x  # [y]"\nnvcc a "# b"\n')) == [("nvcc a # b", 2)]


def test_patterns_of_case_are_conditions() -> None:
    facts = _shell("case $X in\n  cuda) a ;;\n  hip|rocm) b ;;\nesac\n")
    conditions = [(fact.text, fact.line) for fact in facts if fact.kind is FactKind.CONDITION]
    assert conditions == [("case $X in cuda", 2), ("case $X in hip|rocm", 3)]


def test_settings_that_a_command_hands_on() -> None:
    text = "docker run \\\n  -e A=1 \\\n  --env=B=2 app C=3\necho D=4 >> $GITHUB_ENV\necho E=5\n"
    assert _settings(text) == [("A=1", 2), ("B=2", 3), ("D=4", 4)]


def test_what_is_written_into_a_configuration_is_a_setting() -> None:
    text = 'echo "A = [\'/x\']" > site.py\necho /opt/bin >> $GITHUB_PATH\necho "B = 1"\n'
    assert _settings(text) == [("A=['/x']", 1), ("PATH=/opt/bin", 2)]


def test_lines_of_powershell_and_cmd_go_on() -> None:
    facts = _shell("cmake -S . `\n  -DA=1\nbuild x ^\n  y\nz=`run `\nlast\n")
    assert [text for text, _ in _commands(facts)] == ["cmake -S . -DA=1", "build x y", "run", "last"]


def test_env_goes_on_behind_a_variable_whose_name_is_a_variable() -> None:
    text = 'env \\\n${V}="0" \\\n"$W=1" \\\nUCX_TLS=rc \\\n${X:+X=$X} \\\nrun a\n'
    assert _settings(text) == [("UCX_TLS=rc", 4)]
    assert ("run a", 6) in _commands(_shell(text))


def test_a_command_kept_in_a_variable_gives_its_settings() -> None:
    assert _settings('C="A=1 \\\n  B=2 \\\n  run"\n') == [("C=A=1 B=2 run", 1), ("B=2", 2)]


def test_packages_whose_release_is_a_variable() -> None:
    facts = _shell('apt install cuda-nvcc-${V} x\nmamba install "${C}::cuda-toolkit=$V"\n$python -m pip install y\n')
    found = [(fact.text, fact.detail) for fact in facts if fact.kind is FactKind.REQUIREMENT]
    assert found == [("cuda-nvcc", "apt"), ("x", "apt"), ("cuda-toolkit =$V", "conda"), ("y", "pip")]


def _asked(text: str) -> list[str]:
    return [fact.text for fact in _shell(text) if fact.kind is FactKind.REQUIREMENT]


@pytest.mark.parametrize(
    "text",
    [
        "conda install --channel nvidia -n env --channel-priority flexible x",
        "conda create --name env -c nvidia x",
        "pip install --trusted-host wheels.example.org --upgrade-strategy eager --progress-bar off x",
        "uv pip install --torch-backend cu128 x",
        "poetry add --group dev x",
        "apt-get install -o Acquire::Retries=3 x",
    ],
)
def test_the_value_of_an_option_is_no_package(text: str) -> None:
    assert _asked(text) == ["x"]


def test_what_holds_a_variable_or_a_template_gives_its_beginning_at_most() -> None:
    assert _asked("pip install {{ a }} ${{ b.c }} $D '{{e}}' f\n") == ["f"]
    assert _asked("pip install aa-{a} bb-%B% c=={{ d }} e\n") == ["aa", "bb", "c =={{ d }}", "e"]


def test_an_address_that_ends_in_a_variable_names_what_stands_before_it() -> None:
    there = "https://wheels.example.org"
    assert _asked(f"pip install {there}/$A-1.0.whl {there}/${{B}} {there}/flash_attn-$C.whl\n") == ["flash-attn"]


def test_images_are_resolved_and_stages_left_out() -> None:
    text = (
        "ARG V=12.4\nARG BASE=nvidia/cuda:${V}-devel\nFROM ${BASE} AS b\n"
        "FROM b\nCOPY --from=b /x /x\nCOPY --from=nvcr.io/a:1 /y /y\n"
    )
    facts = dockerfile.read("Dockerfile", text, NOTHING_HARVESTED).facts
    images = [(fact.text, fact.line) for fact in facts if fact.kind is FactKind.IMAGE]
    assert images == [("nvidia/cuda:12.4-devel", 3), ("nvcr.io/a:1", 6)]


def test_run_instructions_keep_the_lines_of_their_commands() -> None:
    text = 'FROM a\nRUN x && \\\n    # note\n    nvcc -V\nRUN <<EOF\ny\nEOF\nCMD ["nvidia-smi", "-L"]\n'
    facts = dockerfile.read("Dockerfile", text, NOTHING_HARVESTED).facts
    assert _commands(facts) == [("x", 2), ("nvcc -V", 4), ("y", 6), ("nvidia-smi -L", 8)]


def test_variables_of_make_are_settings_line_by_line() -> None:
    text = (
        "NVCC ?= $(CUDA_HOME)/bin/nvcc\nARCH = -gencode arch=compute_80,code=sm_80 \\\n"
        "  -gencode arch=compute_90,code=sm_90 # c\n# X = 1\n"
    )
    facts = make.read("Makefile", text, NOTHING_HARVESTED).facts
    assert [(fact.text, fact.line) for fact in facts] == [
        ("NVCC = $(CUDA_HOME)/bin/nvcc", 1),
        ("ARCH = -gencode arch=compute_80,code=sm_80", 2),
        ("ARCH = -gencode arch=compute_90,code=sm_90", 3),
    ]


def test_recipes_give_commands_and_conditionals_guards() -> None:
    text = "ifeq ($(USE_HIP),1)\nCC = hipcc\nelse\nwave: wave.cu\n\t@$(NVCC) $(ARCH) -o $@ $<\nendif\n"
    facts = make.read("Makefile", text, NOTHING_HARVESTED).facts
    recipe = next(fact for fact in facts if fact.kind is FactKind.COMMAND)
    assert (recipe.text, recipe.line, recipe.guards) == ("${NVCC} ${ARCH} -o ${@} ${<}", 5, ("!(USE_HIP == 1)",))
    assert recipe.amd_arm == "works"


@given(st.text(alphabet=st.sampled_from("ab $(){}'\"`\\\n#|&;<>=- EOF if fi case esac\t:["), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for module in (shell, dockerfile, make):
        reading = module.read("a", text, NOTHING_HARVESTED)
        assert all(1 <= fact.line <= fact.end_line for fact in reading.facts)
