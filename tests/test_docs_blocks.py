"""Every code block of the pages runs, or bears a mark that says it cannot.

``sh`` holds lines of `posbias`, which are run; ``python`` is run, as a doctest where it has
prompts; ``yaml`` is read as what it is: a study, a part of one, a mapping or a template.
``console`` marks what cannot run here, line by line for a reason of :data:`WHY_NOT`. ``text``
shows what is printed, and is no code.

`posbias run` is run but for its notebooks, which the tests of the chain execute: its study is
checked, its files are read and its judges asked, so that what follows on a page finds the run.
"""

import doctest
import json
import re
import shlex
import shutil

import matplotlib.pyplot as plt
import pytest
import yaml
from click.testing import CliRunner
from notebook_files import ROOT
from verdict_tables import pairs

from posbias_kit import analysis, data, judging
from posbias_kit.__main__ import cli
from posbias_kit.judging.prompts import load_template
from posbias_kit.params import check_study
from posbias_kit.report import Run, chain
from posbias_kit.report.files import write_text
from posbias_kit.report.tree import read_tree
from posbias_kit.study import Study
from posbias_kit.table_mapping import TableMapping

WHY_NOT = {
    "make": "builds .venv or runs for minutes; that the target exists is tested in test_docs",
    "git clone": "downloads; the tests have the files elsewhere",
    "export": "sets what only a shell keeps, a key among it",
    "posbias run params/mine.yaml": "asks a model at an endpoint, with a key",
    "posbias verify mine": "needs that run",
    ".venv/bin/dask": "serves until it is ended; tests start clusters of their own",
    ".venv/bin/posbias run params/mine.yaml": "asks a model, and that cluster",
    ".venv/bin/python -m benchmarks.recording": "needs the record of hours",
}
"""Beginning of a line marked ``console`` -> why it does not run here."""

LANGUAGES = {"sh", "python", "yaml", "console", "text", "{toctree}"}
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "notebooks/README.md", "params/README.md"]
PAGES += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))


def blocks(page):
    """Return the blocks of a page as [(language, text)]."""
    text = (ROOT / page).read_text("utf-8")
    return re.findall(r"^ *```([^\n`]+)\n(.*?)^ *```$", text, re.M | re.S)


def lines(text):
    """Return a block's lines, joined where one goes on, without comments and blank ones."""
    words = [shlex.split(line, comments=True) for line in text.replace("\\\n", " ").splitlines()]
    return [shlex.join(line) for line in words if line]


def test_every_block_has_a_known_mark():
    """No fence without a language, and none that nothing looks at."""
    told = [(page, language) for page in PAGES for language, _ in blocks(page)]
    fences = sum((ROOT / page).read_text("utf-8").count("```") for page in PAGES)

    assert [pair for pair in told if pair[1] not in LANGUAGES] == []
    assert 2 * len(told) == fences


def test_what_does_not_run_says_why():
    """Each console line has its reason, and no reason is left over."""
    shown = [line for page in PAGES for name, text in blocks(page) if name == "console"
             for line in lines(text)]  # fmt: skip

    assert [line for line in shown if not line.startswith(tuple(WHY_NOT))] == []
    assert [why for why in WHY_NOT if not any(line.startswith(why) for line in shown)] == []


def without_notebooks(params, settings=(), **_):
    """Stand in for the chain: check the study, read or ask, and store what notebooks 01, 02 do."""
    study = read_tree(params, settings)
    run = Run(study["run_name"])
    write_text(run.folder / "params.yaml", yaml.safe_dump(study))
    tables = data.prepare_study(**study["data_preparation"], seed=study["seed"])
    verdicts = tables.verdicts
    for name in ("questions", "answers", "presentations", "scores", "labels"):
        run.store(getattr(tables, name), name)
    if study["judging"]:
        judges = judging.make_judges(study["judging"]["judges"], seed=study["seed"])
        asked = (tables.presentations, tables.answers, tables.questions)
        verdicts = judging.judge_presentations(judges, *asked)
        run.save(analysis.review_queue(verdicts), "review_queue")
    run.store(verdicts, "verdicts")
    return run.folder


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a project with the studies and no run."""
    folder = tmp_path_factory.mktemp("docs") / "kit"
    shutil.copytree(ROOT / "params", folder / "params")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    return folder


@pytest.fixture
def here(project, monkeypatch):
    """Stand in the project, with a chain that executes no notebooks."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(chain, "run_study", without_notebooks)
    monkeypatch.setenv("MY_KEY", "not a key")
    yield project
    plt.close("all")


def posbias(line):
    """Run a line, and fail with what it says."""
    command, *words = shlex.split(line)
    assert command == "posbias", f"a block marked sh holds only lines of posbias: {line}"
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
    return done.output


def run_python(text, names, page):
    """Run a block, and compare what it prints where it has prompts."""
    if ">>> " not in text:
        exec(compile(text, page, "exec"), names)  # noqa: S102, our own page
        return
    test = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
    complaints = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=complaints.append, clear_globs=False
    )
    assert "".join(complaints) == ""
    names.update(test.globs)


JUDGES = [{"name": f"judge-{number}", "kind": "planted"} for number in (1, 2)]
BASE = {"run_name": "x", "data_preparation": {"format": "starter"}, "judging": {"judges": JUDGES}}
"""What parts of a study are read as parts of."""


def read_yaml(text):
    """Read a block as a whole study (and save it under the name in its first line), or a part."""
    told = yaml.safe_load(text)
    named = re.match(r"# ((?:params/)?\w+\.yaml)\n", text)
    if named:
        write_text(Run("x").folder.parents[1] / named[1], text)
    if {"format", "user"} <= set(told):
        write_text(Run("x").folder.parent / "template.yaml", text)
        load_template(Run("x").folder.parent / "template.yaml")
    elif set(told) <= set(Study.model_fields):
        check_study(told if "run_name" in told else BASE | told)
    else:
        TableMapping.model_validate(told)


def prepare(page, request):
    """Put there what a page takes as given: judgments, or finished runs under its names."""
    if page == "README.md":
        paper, link = request.getfixturevalue("paper_data"), "../Position-Bias-Analyzer"
        (Run("x").folder.parents[1] / link).symlink_to(paper)
    if page == "docs/reading.md":
        verdicts = pairs(["FS", "FF", "TT"], judge="gpt-4", reference="")
        for folder in ("FILES", "model_judgment"):
            target = Run("x").folder.parents[1] / folder / "gpt-4_pair.jsonl"
            target.parent.mkdir(exist_ok=True)
            data.write_verdicts(verdicts, target)
        table = re.findall(r"^   \| (\w.*) \|$", (ROOT / page).read_text("utf-8"), re.M)
        write_text(Run("x").folder.parents[1] / "votes.csv", "\n".join(table).replace(" | ", ","))
    if page == "docs/review.md":
        for name in ("demo", "prompt_a", "prompt_b"):
            without_notebooks("params/demo.yaml", [f"run_name={name}", *SMALL])


SMALL = (
    "data_preparation.sample={questions_per_task: 1}",
    "judging.judges=[{name: j, kind: planted, slot_effect: 1}, {name: k, kind: planted}]",
    "families={}",
)
RUNNABLE = [page for page in PAGES
            if {"sh", "python", "yaml"} & {language for language, _ in blocks(page)}]  # fmt: skip


@pytest.mark.parametrize("page", RUNNABLE)
def test_blocks_run(page, here, request):
    """From top to bottom, in one project and one namespace a page."""
    prepare(page, request)
    names = {}
    for language, text in blocks(page):
        if language == "yaml":
            read_yaml(text)
        elif language == "python":
            run_python(text, names, page)
        elif language == "sh":
            for line in lines(text):
                posbias(line)
                _fill(line)


def _fill(line):
    """Let the reviewers of a page's export send their sheets back, under the page's names."""
    if line.startswith("posbias review export"):
        shutil.copy("sheets/review_anna.csv", "review_anna.filled.csv")
        shutil.copy("sheets/review_ben.xlsx", "review_ben.xlsx")


def test_the_tutorials_studies_are_whole():
    """Both files of the tutorial name every section they need, as they stand."""
    studies = [yaml.safe_load(text) for language, text in blocks("docs/tutorial.md")
               if language == "yaml"]  # fmt: skip

    assert [study["run_name"] for study in studies] == ["first", "mine"]
    assert json.dumps(studies).count("kind") == 3
