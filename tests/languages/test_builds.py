"""Facts of CMake, Meson, TOML, YAML and requirements files, and of languages without a grammar."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from estimator.languages import autotools, cmake, lines, meson, ptx_files, requirements, toml_files, yaml_files
from estimator.languages.facts import NOTHING_HARVESTED, Fact, FactKind


def _of(facts: tuple[Fact, ...], kind: FactKind) -> list[tuple[str, int]]:
    return [(fact.text, fact.line) for fact in facts if fact.kind is kind]


def _cmake(text: str) -> tuple[Fact, ...]:
    return cmake.read("CMakeLists.txt", text, NOTHING_HARVESTED).facts


def test_a_command_of_cmake_is_one_fact_and_later_arguments_settings() -> None:
    facts = _cmake('Target_Link_Libraries(x\n  PUBLIC CUDA::cudart # c\n  "CUDA::cublas")\n# find_package(CUDA)\n')
    assert _of(facts, FactKind.COMMAND) == [("target_link_libraries x PUBLIC CUDA::cudart CUDA::cublas", 1)]
    assert ("target_link_libraries = CUDA::cublas", 3) in _of(facts, FactKind.SETTING)


def test_arms_of_cmake() -> None:
    text = "if(USE_HIP)\n  {}\nelseif(B)\n  b()\nelse()\n  nv()\nendif()\nz()\n"
    works = {fact.text: (fact.guards, fact.amd_arm) for fact in _cmake(text.format("hip()"))}
    assert works["hip"] == (("USE_HIP",), "amd")
    assert works["b"] == (("!(USE_HIP)", "B"), "works")
    assert works["nv"] == (("!(USE_HIP)", "!(B)"), "works")
    assert works["z"] == ((), "")
    stops = {fact.text: fact.amd_arm for fact in _cmake(text.format('message(FATAL_ERROR "no")'))}
    assert stops["nv"] == "missing"


def test_conditions_of_cmake_know_the_arms_before_them() -> None:
    facts = _cmake('if(A STREQUAL "HIP")\n  x()\nelseif(A STREQUAL "CUDA")\n  y()\nendif()\nif(USE_CUDA)\nendif()\n')
    assert [(f.line, f.amd_arm) for f in facts if f.kind is FactKind.CONDITION] == [(1, ""), (3, "works"), (6, "")]


def test_an_arm_for_amd_behind_stands_beside() -> None:
    text = 'if(A STREQUAL "CUDA")\n  x()\nelseif(A STREQUAL "{}")\n  y()\nendif()\n'
    arms = {which: {f.text: f.amd_arm for f in _cmake(text.format(which))} for which in ("HIP", "rocm", "SYCL")}
    assert (arms["HIP"]["x"], arms["HIP"]["y"]) == ("works", "amd")
    assert (arms["rocm"]["x"], arms["rocm"]["y"]) == ("works", "amd")
    assert arms["SYCL"]["x"] == ""


def test_what_cmake_only_says_is_no_fact() -> None:
    assert _cmake('message(STATUS "find_package(CUDA)")\n') == ()


def test_macros_settings_and_tests_of_autoconf() -> None:
    text = (
        "dnl AC_CHECK_LIB(cuda)\nAC_ARG_WITH([cuda],\n  AS_HELP_STRING([--with-cuda], [a, b]), [x=yes])\n"
        'if [test "$x" = "yes"]\nthen\n  CUFLAGS+="-O2 -g"\n'
        "  AC_CHECK_PROGS(CUCC, nvcc, no)\n  AC_MSG_ERROR([cuda])\nfi\n"
    )
    facts = autotools.read("configure.ac", text, NOTHING_HARVESTED).facts
    assert _of(facts, FactKind.COMMAND) == [("AC_ARG_WITH cuda ,", 2), ("AC_CHECK_PROGS CUCC, nvcc", 7)]
    assert _of(facts, FactKind.SETTING) == [("CUFLAGS = -O2 -g", 6)]
    assert _of(facts, FactKind.CONDITION) == [("test $x = yes", 4)]


def test_a_check_of_options_is_no_condition_of_the_build() -> None:
    text = (
        "if(USE_NCCL AND NOT USE_CUDA)\n  message(SEND_ERROR a)\nendif()\n"
        "if(CUDA_VERSION VERSION_LESS 12)\n  message(a)\nendif()\n"
        "if(USE_NVTX)\n  if(A)\n    message(a)\n  endif()\n  x()\nendif()\n"
    )
    assert _of(_cmake(text), FactKind.CONDITION) == [("CUDA_VERSION VERSION_LESS 12", 4), ("USE_NVTX", 7)]


def test_calls_of_meson() -> None:
    text = (
        "project('w', 'cuda')\nif get_option('hip')\n  x = dependency('hip')\n"
        "else\n  y = dependency('cuda', # c\n    modules : ['cublas'])\nendif\n"
    )
    facts = meson.read("meson.build", text, NOTHING_HARVESTED).facts
    by_text = {fact.text: fact for fact in facts}
    assert by_text["project 'w', 'cuda'"].line == 1
    assert by_text["dependency 'hip'"].guards == ("get_option('hip')",)
    assert ("dependency = cublas", 6) in _of(facts, FactKind.SETTING)


def test_yaml_paths_images_and_scripts() -> None:
    text = (
        "jobs:\n  a:\n    container:\n      image: nvidia/cuda:12\n"
        "    steps:\n      - run: |\n          x\n          nvcc b.cu\n"
        "      - run: >\n          nvcc\n          -V\n      - command: [sh, -c, nvidia-smi && y]\n"
    )
    facts = yaml_files.read("a.yml", text, NOTHING_HARVESTED).facts
    assert ("jobs.a.container.image=nvidia/cuda:12", 4) in _of(facts, FactKind.SETTING)
    assert _of(facts, FactKind.IMAGE) == [("nvidia/cuda:12", 4)]
    commands = _of(facts, FactKind.COMMAND)
    assert [place for place in commands if place[0].startswith("nv")] == [
        ("nvcc b.cu", 8),
        ("nvcc -V", 10),
        ("nvidia-smi", 12),
    ]


def test_a_script_of_many_lines_is_no_setting() -> None:
    facts = yaml_files.read("ci.yml", "run: |\n  a\n  b\ninstall: c\n", NOTHING_HARVESTED).facts
    assert _of(facts, FactKind.SETTING) == [("install=c", 4)]
    assert _of(facts, FactKind.COMMAND) == [("a", 2), ("b", 3), ("c", 4)]


def test_a_template_is_read_by_lines() -> None:
    text = "a:\n  {{- if .x }}\n  nvidia.com/gpu: {{ .y }}\n  run: nvcc -V\n"
    reading = yaml_files.read("a.yaml", text, NOTHING_HARVESTED)
    assert ("a.nvidia.com/gpu={{ .y }}", 3) in _of(reading.facts, FactKind.SETTING)
    assert _of(reading.facts, FactKind.LINE) == [("{{- if .x }}", 2)]
    assert _of(reading.facts, FactKind.COMMAND) == [("nvcc -V", 4)]
    assert reading.doubts == ()


def test_items_of_a_template_are_settings_and_packages() -> None:
    text = (
        "requirements:\n  run:\n    - {{ environ.get('X') }}\n    - cudnn >=9\n    - python {{ p }}\n"
        "build:\n  env:\n    - FORCE_CUDA\n"
    )
    facts = yaml_files.read("meta.yaml", text, NOTHING_HARVESTED).facts
    assert ("- {{ environ.get('X') }}", 3) in _of(facts, FactKind.LINE)
    assert ("cudnn >=9", 4) in _of(facts, FactKind.REQUIREMENT)
    assert ("build.env=FORCE_CUDA", 8) in _of(facts, FactKind.SETTING)
    mapping = yaml_files.read("meta.yaml", "a:\n  - {{ environ.get('X') }}\n", NOTHING_HARVESTED).facts
    assert ("- {{ environ.get('X') }}", 2) in _of(mapping, FactKind.LINE)


def test_anchors_are_not_expanded_and_nothing_is_built() -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{n}: &{n} [*{p},*{p},*{p},*{p}]\n" for p, n in zip("abcdefghi", "bcdefghij", strict=True)
    )
    assert len(yaml_files.read("a.yml", bomb, NOTHING_HARVESTED).facts) < 50
    tagged = yaml_files.read("a.yml", "a: !!python/object/apply:os.system [x]\n", NOTHING_HARVESTED)
    assert ("a=x", 1) in _of(tagged.facts, FactKind.SETTING)


def test_environments_of_conda() -> None:
    text = "dependencies:\n  - nvidia::cuda-toolkit=12.1\n  - pip:\n    - flash_attn==2.6\n"
    facts = yaml_files.read("env.yml", text, NOTHING_HARVESTED).facts
    assert _of(facts, FactKind.REQUIREMENT) == [("cuda-toolkit =12.1", 2), ("flash-attn ==2.6", 4)]


def test_requirements_are_normalised() -> None:
    text = (
        "# x\nflash_attn[x] == 2.6 ; python_version > '3'\n--extra-index-url https://x.org/whl/cu121\n"
        "nvidia-cublas-cu12==12.1 \\\n    --hash=sha256:abc\n    # via torch\napex @ git+https://x.org/apex\n"
        "git+https://x.org/a/TransformerEngine.git@stable\nhttps://x.org/y/flash_attn-2.5-cp310.whl\n"
    )
    facts = requirements.read("requirements.txt", text, NOTHING_HARVESTED).facts
    assert [(fact.text, fact.line, fact.detail) for fact in facts] == [
        ("flash-attn ==2.6", 2, "pip"),
        ("--extra-index-url=https://x.org/whl/cu121", 3, ""),
        ("nvidia-cublas-cu12 ==12.1", 4, "lock"),
        ("apex @ git+https://x.org/apex", 7, "pip"),
        ("transformerengine", 8, "pip"),
        ("flash-attn", 9, "pip"),
    ]


def test_requirements_in_toml() -> None:
    text = (
        '[project]\ndependencies = [\n  "torch>=2", # x\n  "flash-attn==2.6",\n]\n[project.optional-dependencies]\n'
        'a = ["apex"]\n[tool.poetry.dependencies]\ncupy-cuda12x = "^12"\nbnb = {version = "1", extras = ["x"]}\n'
    )
    facts = toml_files.read("pyproject.toml", text, NOTHING_HARVESTED).facts
    assert _of(facts, FactKind.REQUIREMENT) == [
        ("torch >=2", 3),
        ("flash-attn ==2.6", 4),
        ("apex", 7),
        ("cupy-cuda12x ^12", 9),
        ("bnb 1", 10),
    ]


def test_sources_and_metadata_of_uv() -> None:
    text = (
        '[tool.uv]\nno-build-isolation-package = [\n  "wave-ssm",\n]\n'
        '[[tool.uv.dependency-metadata]]\nname = "wave-mla"\nrequires-dist = ["a>=1"]\n'
        '[tool.uv.sources]\nflux_mla = [\n  { git = "https://example.com/flux", rev = "x" },\n]\n'
        'wave = { index = "i" }\n'
    )
    facts = toml_files.read("pyproject.toml", text, NOTHING_HARVESTED).facts
    found = [("wave-ssm", 3), ("wave-mla", 6), ("a >=1", 7), ("flux-mla", 9), ("wave", 12)]
    assert _of(facts, FactKind.REQUIREMENT) == found


def test_extras_of_the_project_itself_are_no_requirements() -> None:
    text = '[project]\nname = "Wave_X"\n[project.optional-dependencies]\nall = ["wave-x[a]", "cupy"]\n'
    facts = toml_files.read("pyproject.toml", text, NOTHING_HARVESTED).facts
    assert _of(facts, FactKind.REQUIREMENT) == [("cupy", 4)]


def test_crates_and_locks() -> None:
    text = '[dependencies]\ncudarc = { version = "0.12", features = ["a"] }\n[dependencies.cust]\nversion = "0.3"\n'
    crates = toml_files.read("Cargo.toml", text, NOTHING_HARVESTED).facts
    assert _of(crates, FactKind.REQUIREMENT) == [("cudarc 0.12", 2), ("cust 0.3", 4)]
    lock = toml_files.read("uv.lock", '[[package]]\nname = "xformers"\nversion = "1"\n', NOTHING_HARVESTED).facts
    assert [(fact.text, fact.line, fact.detail) for fact in lock] == [("xformers ==1", 2, "lock")]


def test_other_languages_by_tokens() -> None:
    rust = lines.read(
        "a.rs", 'use cudarc::driver;\n// nvcc\nfn f() { Command::new("nvcc"); }\n', NOTHING_HARVESTED
    ).facts
    assert _of(rust, FactKind.IMPORT) == [("cudarc.driver", 1)]
    assert ("Command.new", 3) in _of(rust, FactKind.CALL)
    fortran = "module m\n use cudafor ! x\n attributes(global) subroutine f(x)\n end subroutine\n! cudaFree(x)\n"
    reading = lines.read("a.cuf", fortran, NOTHING_HARVESTED)
    assert [(kernel.name, kernel.line, kernel.end_line) for kernel in reading.kernels] == [("f", 3, 4)]
    assert _of(reading.facts, FactKind.IMPORT) == [("cudafor", 2)]


def test_only_real_ptx_is_ptx() -> None:
    real = ptx_files.read("a.ptx", "//\n\n.version 7.8\n.target sm_80\n", NOTHING_HARVESTED).facts
    assert [(fact.text, fact.line) for fact in real] == [("ptx-module", 3)]
    assert ptx_files.read("a.ptx", "4\n2\n0.0 0.0 1.5\n", NOTHING_HARVESTED).facts == ()
    assert len(ptx_files.read("a.cubin", "", NOTHING_HARVESTED).facts) == 1


@given(st.text(alphabet=st.sampled_from("ab:.-[]{}()\"'\n #=|>&*!,<$ if else endif \\"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for module, path in (
        (cmake, "CMakeLists.txt"),
        (meson, "meson.build"),
        (autotools, "configure.ac"),
        (yaml_files, "a.yml"),
        (toml_files, "pyproject.toml"),
        (requirements, "requirements.txt"),
        (lines, "a.rs"),
    ):
        reading = module.read(path, text, NOTHING_HARVESTED)
        assert all(1 <= fact.line <= fact.end_line for fact in reading.facts)
