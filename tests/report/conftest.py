"""A tiny project with notebooks made for the tests, and one finished run of it."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posbias_kit.report import plan, run_study
from posbias_kit.report.stages import STAGES, active_stages
from posbias_kit.study import Study

HOSTILE = "ok <script>alert(1)</script><img src=x onerror=alert(2)></div><b>[[A]] é你🙂"
FAMILIES = {'a "quoted" \\ name\n🙂': ["007", "NA"]}

PREPARE = [
    "import json\nfrom pathlib import Path\nimport pandas as pd\n"
    "from IPython.display import HTML, Image, Javascript, Markdown, display\n"
    "from matplotlib import pyplot as plt\nfrom posbias_kit.report import start",
    "run = start(run_name)\nseen = dict(seed=seed, families=families, path=path, rule=rule)\n"
    "(run.folder / 'seen.json').write_text(json.dumps(seen), encoding='utf-8')",
    f"hostile = {HOSTILE!r}\n"
    "run.save(pd.DataFrame({'judge': ['007'], 'text': [hostile], 'pc': [1 / 3]}), 'zebra')",
    "run.save(pd.DataFrame({'row': range(20)}), 'aardvark').head(1)\n"
    "told = pd.DataFrame({'judge': [hostile], 'finding': ['no lean shown']})\n"
    "run.save(told, 'summary').head(0)",
    "fig, ax = plt.subplots(figsize=(2, 1))\nax.set_title('A line')\n"
    "fig.set_label('A line that rises: \"é\" <b>')\nrun.save_figure(ax, 'order_effect')",
    "display(HTML(hostile), Markdown(hostile), Javascript('alert(3)'))\nprint(hostile)",
]
COUNT = [
    "from pathlib import Path\ntables = Path('outputs', run_name, 'tables')\n"
    "(tables / 'verdict_counts.csv').write_text('judge,asked,invalid\\n\"a\",10,3\\n')",
]
BODIES = {"data_preparation": PREPARE, "metrics": COUNT}
USED = {"data_preparation": ("seed", "families"), "metrics": ("level", "compute")}


def make_notebook(folder, stage, cells, declared=None, tag="parameters"):
    """Write a stage's notebook whose parameters cell declares the section's keys."""
    if declared is None:
        annotation = Study.model_fields[stage.name].annotation
        kinds = (annotation, *getattr(annotation, "__args__", ()))
        section = next(kind for kind in kinds if hasattr(kind, "model_fields"))
        declared = ("run_name", *USED.get(stage.name, ()), *section.model_fields)
    source = "\n".join(f"{name}: object = 'a=b'  # {name}" for name in declared)
    notebook = new_notebook(
        cells=[
            new_markdown_cell(f"# What is {stage.name}?"),
            new_code_cell(source, metadata={"tags": [tag]}),
            *map(new_code_cell, cells),
            new_markdown_cell(f"## Limits\n\nLittle of *{stage.name}*.\n\n## After\n\nNo limit."),
        ],
        metadata={"title": f"Title of {stage.name}"},
    )
    nbformat.write(notebook, folder / "notebooks" / stage.notebook)


def stage_named(name):
    """Return a stage by its name."""
    return next(stage for stage in STAGES if stage.name == name)


def study_of(**changes):
    """Return a study that reads judgments, so that nobody is asked."""
    prepare = {"format": "paper", "path": "data", "benchmark": "MTBench"}
    return {"run_name": "tiny", "families": FAMILIES, "data_preparation": prepare} | changes


@pytest.fixture(scope="session", autouse=True)
def _settled():
    """Take the kit's code as unchanged: somebody may be editing it while the tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "digest_package", lambda *_: "as it is")
        yield


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Return a project after one whole run: five kernels. Read only; copy it to change it."""
    folder = tmp_path_factory.mktemp("finished") / "with {braces} and spaces"
    for name in ("notebooks", "data/.git"):
        (folder / name).mkdir(parents=True)
    (folder / "data" / "replies.tsv").write_text("reply\n", encoding="utf-8")
    (folder / "data" / ".git" / "index").write_text("1", encoding="utf-8")
    for stage in active_stages():
        make_notebook(folder, stage, BODIES.get(stage.name, ["1 + 1"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "notebooks")
        patch.delenv("MPLBACKEND", raising=False)
        run_study(study_of())
    return folder


@pytest.fixture
def project(finished, tmp_path, monkeypatch):
    """Work in a copy of the finished project, whose files keep their times."""
    folder = Path(shutil.copytree(finished, tmp_path / "project"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def page(finished):
    """Return the page of the first stage."""
    path = finished / "outputs" / "tiny" / "01_data_preparation.html"
    return path.read_text(encoding="utf-8")


@pytest.fixture
def index(finished):
    """Return the first page of the run."""
    return (finished / "outputs" / "tiny" / "index.html").read_text(encoding="utf-8")
