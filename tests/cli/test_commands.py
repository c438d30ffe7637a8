"""The commands from outside: what they print, write and end with."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import jsonschema
import pytest

from estimator.assessment import schema
from estimator.cli import INTERRUPTED, TERMINATED
from estimator.cli.doctor import _pdf_fault
from estimator.errors import NOT_MEASURED, WRONG_INPUT
from estimator.report import FORMATS
from estimator.resources import data_folder
from tests.cli.command import KERNEL, unwarp
from tests.pace import slowness


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.cu").write_text(KERNEL)
    return tmp_path / "code"


def test_report_writes_what_was_asked_for(code: Path, tmp_path: Path) -> None:
    result = unwarp("report", code, "-o", tmp_path / "out", "--format", "html,json,csv", "--date", "2026-01-02")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["assessment.json", "report.html", "sites.csv"]
    assert "Verdict: " in result.output
    assert "Not judged: " in result.output
    assessment = json.loads((tmp_path / "out/assessment.json").read_text())
    assert assessment["run"]["date"] == "2026-01-02"
    assert str(tmp_path) not in json.dumps(assessment)


def test_the_terminal_says_which_option_is_none(code: Path, tmp_path: Path) -> None:
    """As page one does: a C++ host that Triton kernels can't run in."""
    told = unwarp("report", code, "-o", tmp_path / "out", "--format", "json").output
    lines = {line[:16].strip(): line for line in told.splitlines()}
    assert lines["Triton first"].endswith("  no option here")
    assert "no option" not in lines["Move to AMD"]


def test_the_same_input_gives_the_same_bytes(code: Path, tmp_path: Path) -> None:
    """Also when the output lies inside the scanned folder, as by default."""
    written = []
    for _ in range(2):
        assert (
            unwarp("report", code, "-o", code / "out", "--format", "html,json", "--date", "2026-01-02").exit_code == 0
        )
        written.append([path.read_bytes() for path in sorted((code / "out").iterdir())])
    assert written[0] == written[1]


def test_the_date_comes_from_the_environment(code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    result = unwarp("scan", code, "--format", "json")
    assert json.loads(result.stdout)["run"]["date"] == "2023-11-14"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    result = unwarp("scan", code)
    assert (result.exit_code, "SOURCE_DATE_EPOCH=soon" in result.stderr) == (WRONG_INPUT, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["code", "--format", "docx"], "no format 'docx'; formats are html, pdf"),
        (["code", "--format", ""], "no format"),
        (["code", "--date", "yesterday"], "'yesterday' is no date"),
        (["code", "--rocm", "new"], "'new' is not a release"),
        (["code", "--gfx", "gfx000"], "'gfx000' is no target"),
        (["code", "--weights", "nowhere.toml"], "nowhere.toml: no such file"),
        (["code", "--scenario", "nowhere.toml"], "nowhere.toml: no such file"),
        (["code", "--weights", "broken.toml"], "broken.toml: not valid TOML"),
        (["code", "--weights", "unknown.toml"], "did you mean"),
        (["code", "--exclude", "!"], "--exclude !: not a pattern"),
        (["code", "-o", "code/a.cu"], "code/a.cu: can't be written"),
        (["broken.zip"], "broken.zip: not a readable archive"),
    ],
)
def test_wrong_input_is_one_message_and_leaves_nothing(
    code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.toml").write_text("[[[")
    (tmp_path / "unknown.toml").write_text('[warp.primitiv]\nunpriced = "not here"\n')
    (tmp_path / "broken.zip").write_text("no archive")
    before = sorted(tmp_path.rglob("*"))
    result = unwarp("report", *arguments)
    assert result.exit_code == WRONG_INPUT, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_could_not_be_measured(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = unwarp("report", tmp_path / "empty", "-o", tmp_path / "out")
    assert (result.exit_code, result.stderr.count("no readable source")) == (NOT_MEASURED, 1)
    assert not (tmp_path / "out").exists()


def test_code_without_cuda_is_a_valid_answer(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('hello')\n")
    result = unwarp("report", tmp_path, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "out/assessment.json").read_text())["decision"]["verdict"] == "amd"


def test_too_little_read_still_writes_the_report(code: Path, tmp_path: Path) -> None:
    (code / "huge.cu").write_text("__global__ void f() {}\n" * 100_000)
    result = unwarp("report", code, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == NOT_MEASURED
    assert (tmp_path / "out/assessment.json").exists()
    assert "of the code could be read" in result.stderr


def test_each_command_names_itself_in_its_json(code: Path, tmp_path: Path) -> None:
    scanned = json.loads(unwarp("scan", code, "--format", "json", "--rocm", "7.2").stdout)
    assert scanned["run"]["command"].startswith("unwarp scan code --rocm=7.2")
    assert unwarp("report", code, "-o", tmp_path / "out", "--format", "json").exit_code == 0
    run = json.loads((tmp_path / "out/assessment.json").read_text())["run"]
    assert run["command"].startswith("unwarp report code")


def test_scan_as_text_json_and_csv(code: Path) -> None:
    text = unwarp("scan", code)
    assert text.exit_code == 0
    assert "a.cu:2: cuda-kernel: scale [debt]" in text.stdout.splitlines()
    scanned = json.loads(unwarp("scan", code, "--format", "json").stdout)
    assert {"schema", "run", "repository", "reliability", "credits", "sites", "kernels"} <= set(scanned)
    assert "decision" not in scanned
    rows = list(csv.DictReader(io.StringIO(unwarp("scan", code, "--format", "csv").stdout.lstrip("\ufeff"))))
    assert len(rows) == len(scanned["sites"]) == len(text.stdout.splitlines())


def test_scan_obeys_exclude(code: Path) -> None:
    (code / "b.py").write_text("x = 1\n")
    assert unwarp("scan", code, "--exclude", "*.cu").stdout == ""


def test_scenario_init_and_check(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    assert unwarp("scenario", "init", file).exit_code == 0
    tomllib.loads(file.read_text())
    assert unwarp("scenario", "check", file).exit_code == 0
    again = unwarp("scenario", "init", file)
    assert (again.exit_code, "exists already" in again.stderr) == (WRONG_INPUT, True)
    file.write_text("team = 'many'\nprize_now = 2\n")
    checked = unwarp("scenario", "check", file)
    assert checked.exit_code == WRONG_INPUT
    assert "team" in checked.stderr
    assert "did you mean 'price_now'" in checked.stderr


def test_rules_list_and_check(tmp_path: Path) -> None:
    listed = unwarp("rules", "list", "--category", "warp-primitive")
    assert listed.exit_code == 0
    assert listed.stdout.count("warp-primitive") >= 1
    assert unwarp("rules", "list", "--category", "warp-primitiv").exit_code == WRONG_INPUT
    rule = next((data_folder("heuristics") / "rules/warp").glob("*.toml"))
    shutil.copy(rule, tmp_path / "own.toml")
    assert unwarp("rules", "check", tmp_path).exit_code == 0
    text = rule.read_text()
    (tmp_path / "own.toml").write_text(text.replace("finds = [", "finds = [99, ", 1))
    wrong = unwarp("rules", "check", tmp_path)
    assert wrong.exit_code == WRONG_INPUT
    assert "should find lines" in wrong.stderr


@pytest.mark.parametrize(
    "thing", ["warp-size", "A", "gfx942", "cudaMalloc", "hipMalloc", "mma.sync", "warp.primitive", "cuDNN"]
)
def test_explain(thing: str) -> None:
    result = unwarp("explain", thing)
    assert result.exit_code == 0, result.output
    assert len(result.stdout) > 40


def test_explain_an_unknown_name() -> None:
    result = unwarp("explain", "cudaMaloc")
    assert result.exit_code == WRONG_INPUT
    assert "did you mean 'cudaMalloc" in result.stderr


def test_schema_is_json() -> None:
    assert json.loads(unwarp("schema").stdout)["$schema"].endswith("2020-12/schema")


def test_doctor_tells_what_is_there() -> None:
    result = unwarp("doctor")
    assert result.exit_code in (0, NOT_MEASURED)
    assert "Python" in result.stdout
    assert ("apt-get install" in result.stdout) == (
        "MISSING  Pango" in result.stdout or "MISSING  HarfBuzz" in result.stdout
    )


def test_version() -> None:
    assert unwarp("--version").stdout.startswith("unwarp ")


def _ordinary_signals() -> None:
    """A job in the background, or one under nohup, hands ignored signals down to what it starts."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize(("number", "code_of_exit"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)])
def test_signals_end_cleanly(tmp_path: Path, number: signal.Signals, code_of_exit: int) -> None:
    tree = tmp_path / "code"
    tree.mkdir()
    for index in range(400):
        (tree / f"{index}.cu").write_text(KERNEL * 100)
    process = subprocess.Popen(
        [sys.executable, "-m", "estimator", "report", str(tree), "-o", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_ordinary_signals,  # noqa: PLW1509  the tests run in one thread
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "out").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (code_of_exit, -number), errors.decode()  # the latter before our handler stands
    assert b"Traceback" not in errors
    assert not (tmp_path / "out").exists()


def test_help_is_quick() -> None:
    """At most 0.2 s of CPU of the idle desk: what is measured is our imports, not the machine's load."""
    best = min(_cpu_seconds([sys.executable, "-m", "estimator", "--help"]) for _ in range(5))
    slow = min(slowness() for _ in range(3))
    assert best <= 0.2 * slow


def _cpu_seconds(command: list[str]) -> float:
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_where_a_report_was_written_does_not_change_the_next_one(code: Path, tmp_path: Path) -> None:
    """Inside the scanned folder or outside of it, in any format.

    A PDF takes seconds and is made of the assessment alone: one lies in the scanned folder when the next are written.
    """
    formats = [form.name for form in FORMATS if form.name != "pdf"]
    pdf = [] if _pdf_fault() else ["pdf"]
    outputs = [code / "one", code / "src/two", tmp_path / "beside"]
    written = []
    for output, more in zip(outputs, (pdf, [], []), strict=True):
        result = unwarp("report", code, "-o", output, "--format", ",".join(formats + more), "--date", "2026-01-02")
        assert result.exit_code == 0, result.output
        written.append({path.name: path.read_bytes() for path in output.iterdir() if path.suffix != ".pdf"})
    assert [found == written[0] for found in written] == [True] * len(outputs)
    assert [path.name for path in (code / "one").glob("*.pdf")] == ["report.pdf"] * len(pdf)
    (code / "report.html").write_text("<html>someone else's</html>")
    result = unwarp("report", code, "-o", tmp_path / "out", "--format", "json")
    assert json.loads((tmp_path / "out/assessment.json").read_text())["reliability"]["skipped"][0]["files"] == 1


@pytest.mark.parametrize(
    "arguments", [["scan", "code"], ["rules", "list"], ["schema"], ["scan", "code", "--format", "csv"]]
)
def test_a_full_disk_behind_stdout_is_one_message(code: Path, tmp_path: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "estimator", *arguments],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == WRONG_INPUT
    assert [line for line in done.stderr.splitlines() if line.startswith("unwarp: ")] == [
        "unwarp: the output can't be written: No space left on device"
    ]
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_reader_that_goes_away_is_no_fault() -> None:
    command = f"{sys.executable} -m estimator rules list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("seed", ["-1", "4294967296", "9" * 4000, "9" * 9000, "x"])
def test_a_seed_out_of_bounds_is_one_message(code: Path, seed: str) -> None:
    result = unwarp("scan", code, "--seed", seed)
    assert result.exit_code == WRONG_INPUT
    assert len(result.stderr) < 500
    assert unwarp("scan", code, "--seed", "4294967295").exit_code == 0


@pytest.mark.parametrize("date", ["0001-01-01", "1969-12-31", "2100-01-01", "9999-12-31"])
def test_a_date_out_of_bounds_names_the_years(code: Path, date: str) -> None:
    result = unwarp("scan", code, "--date", date)
    assert (result.exit_code, "lies outside 1970 to 2099" in result.stderr) == (WRONG_INPUT, True)


def test_names_can_not_write_to_the_terminal(tmp_path: Path) -> None:
    for arguments in (["scan", "\x1b[31mred\n::error::x"], ["scan", "--\x1b[31m"], ["report", "x", "--format", "\x1b"]):
        result = unwarp(*arguments)
        assert result.exit_code == WRONG_INPUT
        assert "\x1b" not in result.stderr
        assert not [line for line in result.stderr.splitlines() if line.startswith("::")]


def test_scan_ends_with_3_where_too_little_was_read(code: Path) -> None:
    (code / "huge.cu").write_text("__global__ void f() {}\n" * 100_000)
    assert unwarp("scan", code).exit_code == NOT_MEASURED


def test_a_scenario_that_can_not_be_written_names_a_way_out() -> None:
    result = unwarp("scenario", "init", "/proc/x.toml")
    assert result.exit_code == WRONG_INPUT
    assert "name another file" in result.stderr
    assert "-o" not in result.stderr


def test_output_is_utf_8_whatever_the_locale_says(code: Path) -> None:
    (code / "größe.cu").write_text(KERNEL)
    told = {
        subprocess.run(
            [sys.executable, "-m", "estimator", "scan", code, "--format", form],
            env=os.environ | changed | {"SOURCE_DATE_EPOCH": "1700000000"}, capture_output=True, check=True,
        ).stdout
        for form in ("text",)
        for changed in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8"})
    }  # fmt: skip
    assert len(told) == 1
    assert "größe.cu:".encode() in told.pop()


@pytest.mark.parametrize("delay", [0.1, 0.2, 0.3, 0.5])
@pytest.mark.parametrize(
    ("number", "code_of_exit"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_during_imports_ends_at_once(
    code: Path, tmp_path: Path, number: signal.Signals, code_of_exit: int, delay: float
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "import estimator.cli as c; print('go', flush=True); c.main()",
         "report", code, "-o", tmp_path / "out/deep", "--format", "html"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_ordinary_signals,  # noqa: PLW1509  one thread
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (code_of_exit, -number), errors.decode()  # the latter before our handler stands
    assert b"Traceback" not in errors
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("release", ["99", "10.3", "5.7", "6.1.2"])
def test_a_release_that_nothing_is_known_of_is_refused(code: Path, release: str) -> None:
    result = unwarp("scan", code, "--rocm", release)
    assert result.exit_code == WRONG_INPUT
    (message,) = result.stderr.splitlines()
    assert f"nothing is known of ROCm {release}; the tables know 6.2" in message


@pytest.mark.parametrize("release", ["6.2", "7.2.4", "10", "10.2.0"])
def test_a_release_within_the_known_range_is_taken(code: Path, release: str) -> None:
    result = unwarp("scan", code, "--rocm", release, "--format", "json")
    assert json.loads(result.stdout)["run"]["target"]["rocm"] == release


def test_known_targets_are_named_once_and_in_order(code: Path) -> None:
    names = unwarp("scan", code, "--gfx", "banana").stderr.split("known are ")[1].strip().split(", ")
    assert names == sorted(set(names))


@pytest.mark.parametrize(("product", "target"), [("MI300X", "gfx942"), ("RX 7900 XTX", "gfx1100")])
def test_a_product_stands_for_its_target(code: Path, product: str, target: str) -> None:
    result = unwarp("scan", code, "--gfx", product, "--format", "json")
    assert json.loads(result.stdout)["run"]["target"]["gfx"] == target


def test_a_gpu_newer_than_the_release_is_told(code: Path) -> None:
    gaps = {
        release: json.loads(unwarp("scan", code, "--rocm", release, "--gfx", "gfx950", "--format", "json").stdout)[
            "reliability"
        ]["gaps"]
        for release in ("6.2", "7.0")
    }
    assert "ROCm 6.2 does not list gfx950 among its GPUs; 7.0.0 is the first release that does." in gaps["6.2"][0]
    assert "does not list" not in str(gaps["7.0"])


def test_several_things_are_explained_in_turn() -> None:
    told = unwarp("explain", "P80", "MI300X").stdout
    assert "Term P80" in told
    assert "Target gfx942" in told


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("P80", "Term P80: the careful budget"),
        ("p50", "Term P50: even odds"),
        ("likely", "Term likely: the middle one"),
        ("contingency", "Term reserve: what the careful budget holds"),
        ("person-day", "engineer-hours of one person"),
    ],
)
def test_terms_of_the_report_are_explained_in_its_words(word: str, told: str) -> None:
    assert told in unwarp("explain", word).stdout


def test_the_summary_puts_the_verdict_first_in_short_lines(code: Path, tmp_path: Path) -> None:
    result = unwarp("report", code, "-o", tmp_path / "out", "--format", "json")
    answer = result.stdout.split("\n\n", 1)[1]
    verdict = answer.split("Verdict: ")[1].split(" (")[0]
    assert answer.split("P80\n")[1].startswith(verdict)
    assert all(len(line) <= 78 for line in answer.splitlines() if not line.startswith("Read on: "))


@pytest.fixture
def mixed(code: Path) -> Path:
    """Own code beside a copy of others' and code that will go."""
    for folder in ("third_party/lib", "old"):
        (code / folder).mkdir(parents=True)
        (code / folder / "b.cu").write_text(KERNEL.replace("scale", folder.split("/")[0]))
    return code


def test_scan_lists_what_is_set_apart(mixed: Path) -> None:
    result = unwarp("scan", mixed)
    assert result.exit_code == 0, result.output
    assert "Set apart: listed, not priced" in result.stderr
    assert "vendored   third_party/lib: in a folder 'third_party'" in result.stderr
    (row,) = json.loads(unwarp("scan", mixed, "--format", "json").stdout)["reliability"]["set_apart"]
    assert (row["folder"], row["files"], row["lines"]) == ("third_party/lib", 1, 6)
    assert row["sites"] > 3


def test_a_scope_file_puts_back_and_leaves_out(mixed: Path, tmp_path: Path) -> None:
    scope = tmp_path / "scope.toml"
    scope.write_text(
        '[[put_back]]\npath = "third_party/lib/"\nwhy = "a fork of ours"\n'
        '[[leave_out]]\npath = "old/"\nwhy = "gone by May"\n'
    )
    whole = json.loads(unwarp("scan", mixed, "--format", "json").stdout)
    result = unwarp("scan", mixed, "--format", "json", "--scope", scope)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert len(found["sites"]) == len(whole["sites"])
    by_path = {site["path"]: site for site in found["sites"]}
    assert by_path["third_party/lib/b.cu"]["owner"] == "own"
    assert by_path["third_party/lib/b.cu"]["disposition"] != "excluded"
    left = [site for site in found["sites"] if site["path"] == "old/b.cu"]
    assert {(site["disposition"], site["reason"]) for site in left} == {("excluded", "left out: gone by May")}
    assert {kernel["path"]: kernel["disposition"] for kernel in found["kernels"]}["old/b.cu"] == "excluded"
    assert found["run"]["scope"][0] == {
        "change": "put_back",
        "path": "third_party/lib/",
        "kernel": "",
        "by": "",
        "why": "a fork of ours",
        "files": 1,
        "lines": 6,
        "kernels": 1,
        "sites": len(left),
        "functions": 0,
    }
    assert "--scope=scope.toml" in found["run"]["command"]
    assert str(tmp_path) not in result.stdout
    assert [row["reason"] for row in found["reliability"]["set_apart"]] == ["left out: gone by May"]


def test_a_scope_file_replaces_and_postpones_side_by_side(mixed: Path, tmp_path: Path) -> None:
    scope = tmp_path / "scope.toml"
    scope.write_text(
        '[[replace]]\nkernel = "scale"\nby = "cuBLAS"\nwhy = "a call of it"\n'
        '[[later]]\npath = "old/"\nwhy = "in the next year"\n'
    )
    formats = ("html", "json", "md", "xlsx")
    result = unwarp("report", mixed, "-o", tmp_path / "out", "--format", ",".join(formats), "--scope", scope)
    assert result.exit_code == 0, result.output
    told = json.loads((tmp_path / "out/assessment.json").read_text())
    jsonschema.validate(told, schema())
    kernels = {kernel["path"]: (kernel["disposition"], kernel["plan"]) for kernel in told["kernels"]}
    assert kernels["a.cu"] == ("debt", "library")
    assert kernels["old/b.cu"] == ("excluded", "keep")
    rows = {row["what"]: row for row in told["scopes"] if row["what"] != "entry"}
    assert list(rows) == ["everything", "now", "postponed", "now-and-postponed"]
    for option, priced in told["estimate"]["options"].items():
        if option != "nvidia":
            assert rows["now"]["hours"][option] == priced["hours"]
            assert rows["postponed"]["hours"][option]["likely"] > 0
    for name in ("report.html", "report.md"):
        text = (tmp_path / "out" / name).read_text()
        assert "Replaced by cuBLAS: kernel scale" in text
        assert "Postponed: on top of this report" in text
    with zipfile.ZipFile(tmp_path / "out/report.xlsx") as book:
        assert 'name="scopes"' in book.read("xl/workbook.xml").decode()


def test_unknown_kernels_and_libraries_are_wrong_input_told_at_once(mixed: Path, tmp_path: Path) -> None:
    (tmp_path / "scope.toml").write_text('[[replace]]\nkernel = "scal"\nby = "cublas"\nwhy = "a call of it"\n')
    result = unwarp("report", mixed, "-o", tmp_path / "out", "--scope", tmp_path / "scope.toml")
    assert result.exit_code == WRONG_INPUT
    assert "scope.toml:1: replace: 'cublas' is no id in components.csv (did you mean 'cuBLAS'?)" in result.stderr
    assert "'scal' is no own kernel of the scanned code (did you mean 'scale'?)" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_scope_that_fits_nothing_is_wrong_input(mixed: Path, tmp_path: Path) -> None:
    (tmp_path / "scope.toml").write_text('[[leave_out]]\npath = "older/"\nwhy = "gone"\n')
    result = unwarp("report", mixed, "-o", tmp_path / "out", "--scope", tmp_path / "scope.toml")
    assert result.exit_code == WRONG_INPUT
    assert "scope.toml:1: leave_out: 'older/' fits no file" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_scope_file_in_the_tree_is_not_read_by_itself(mixed: Path) -> None:
    (mixed / "scope.toml").write_text('[[leave_out]]\npath = "*.cu"\nwhy = "a stranger says so"\n')
    found = json.loads(unwarp("scan", mixed, "--format", "json").stdout)
    assert found["run"]["scope"] == []
    assert any(site["disposition"] == "debt" for site in found["sites"])


def test_sarif_from_both_commands(mixed: Path, tmp_path: Path) -> None:
    assert unwarp("report", mixed, "-o", tmp_path / "out", "--format", "sarif", "--date", "2026-01-02").exit_code == 0
    (written,) = json.loads((tmp_path / "out/report.sarif").read_text())["runs"]
    (printed,) = json.loads(unwarp("scan", mixed, "--format", "sarif", "--date", "2026-01-02").stdout)["runs"]
    ran = [run.pop("invocations")[0]["commandLine"].split()[:3] for run in (written, printed)]
    assert ran == [["unwarp", "report", "code"], ["unwarp", "scan", "code"]]
    assert written == printed
    assert {"warning", "note"} == {result["level"] for result in written["results"]}
    assert all("suppressions" in r for r in written["results"] if "third_party" in json.dumps(r["locations"]))
    assert str(tmp_path) not in json.dumps(written)


@pytest.mark.parametrize(
    "trouble",
    ["sys.modules['multiprocessing'] = types.ModuleType('half imported')", "cli.tidy = None", "cli.complain = None"],
)
def test_a_signal_ends_the_process_whatever_fails_meanwhile(trouble: str) -> None:
    program = f"""
import signal, sys, types
import estimator.cli as cli
{trouble}
try:
    cli._ending(130, "interrupted")(signal.SIGINT, None)
except Exception:  # as a library does that tries an import
    print("went on")
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (130, "")
