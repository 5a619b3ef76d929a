"""Reported faults with ids and names: B19 to B21."""

import inspect

import pandas as pd
import pytest
from fault_server import FaultServer, steady
from live_studies import judge, live, tables
from verdict_tables import pairs, stack

from posbias_kit import analysis
from posbias_kit.analysis import position_bias
from posbias_kit.data import read_judgments, read_verdicts, write_verdicts
from posbias_kit.errors import ReadError, TableError
from posbias_kit.judging import make_judges
from posbias_kit.report.files import read_csv, write_csv

MAPPING = {"question": "id", "candidate_names": ["x", "y"], "judge_name": "j", "verdict": "v"}
MAPPING |= {"labels": {"first": ["A"], "second": ["B"]}}
IDS = ["007", "12_1", "12_2", "1e3"]
NAMES = ["org-a/judge-8b", "org-b/judge-8b", "Judge-8B:latest", "../judge"]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_b19_ids_are_text_from_reading_to_report(tmp_path, ending):
    """007, 12_1, 12_2 and 1e3 stay what they are, in each kind of file and back again."""
    path = tmp_path / f"judgments{ending}"
    frame = pd.DataFrame({"id": IDS, "v": ["A", "B", "A", "B"]})
    if ending == ".csv":
        frame.to_csv(path, index=False)
    elif ending == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    verdicts = read_judgments("table", path, mapping=MAPPING).verdicts
    write_csv(verdicts[["question", "judge", "choice"]], tmp_path / "table.csv")

    assert verdicts["question"].tolist() == IDS
    assert read_csv(tmp_path / "table.csv")["question"].tolist() == IDS
    for name in ("own.csv", "own.parquet"):
        write_verdicts(verdicts, tmp_path / name)
        assert read_verdicts("verdicts", tmp_path / name)["question"].tolist() == IDS


def test_b19_whole_numbers_beside_a_gap_are_no_decimals(tmp_path):
    """101, 102 and a gap, which a column of decimals holds: 101 and 102, and one row set aside."""
    path = tmp_path / "judgments.parquet"
    pd.DataFrame({"id": [101.0, 102.0, None], "v": list("ABA")}).to_parquet(path)
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        reading = read_judgments("table", path, mapping=MAPPING)

    assert reading.verdicts["question"].tolist() == ["101", "102"]
    assert len(reading.set_aside) == 1


def test_b19_rows_without_a_partner_are_named(tmp_path):
    """A recording that does not hold what is planned is refused, naming the first that lacks."""
    path = tmp_path / "verdicts.parquet"
    pairs(["FS"], questions=["101"]).to_parquet(path)
    (replay,) = make_judges([{"name": "j", "kind": "recorded", "path": str(path)}])
    study = tables(1)

    with pytest.raises(ReadError, match=r"2 planned calls were not recorded, e\.g\. .*q0"):
        replay.judge(study.presentations, study.answers)


def test_b20_names_that_look_like_missing_values(tmp_path):
    """Judges None, null, judge-1 and models NA, nan, N/A: three of each survive the round trip."""
    path = tmp_path / "judgments.csv"
    path.write_text(
        "q,one,two,judge,v\n1,NA,nan,None,A\n2,nan,N/A,null,A\n3,N/A,NA,judge-1,A\n",
        encoding="utf-8",
    )
    mapping = {"question": "q", "candidates": ["one", "two"], "judge": "judge", "verdict": "v"}
    mapping |= {"labels": {"first": ["A"], "second": ["B"]}}
    reading = read_judgments("table", path, mapping=mapping)
    write_csv(reading.verdicts[["judge", "winner"]], tmp_path / "t.csv")
    write_verdicts(reading.verdicts, tmp_path / "own.csv")

    assert len(reading.set_aside) == 0
    for table in (
        reading.verdicts,
        read_csv(tmp_path / "t.csv"),
        read_verdicts("verdicts", tmp_path / "own.csv"),
    ):
        assert sorted(table["judge"]) == ["None", "judge-1", "null"]
        assert sorted(table["winner"]) == ["N/A", "NA", "nan"]
    assert len(position_bias(reading.verdicts, draws=0)) == 3


def _takes_verdicts_alone(name):
    """Whether a public function of the room needs nothing but a verdict table."""
    parameters = [*inspect.signature(getattr(analysis, name)).parameters.values()]
    needed = [one.name for one in parameters if one.default is one.empty]
    return needed == ["verdicts"]


FUNCTIONS = [
    name
    for name in analysis.__all__
    if inspect.isfunction(getattr(analysis, name)) and _takes_verdicts_alone(name)
]
SELECTING = {"build_series", "choose_experiment"}
"""They choose and arrange rows; who counts them checks them."""


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - SELECTING))
@pytest.mark.parametrize("column", ["judge", "benchmark"])
def test_b20_a_real_gap_is_refused_before_any_aggregation(name, column):
    """One row of four without a judge: it would drop out of every group without a word."""
    verdicts = pairs(["FS", "FF"])
    verdicts[column] = [None, *verdicts[column][1:]]

    with pytest.raises(TableError, match=rf"{column}: 1 rows without a value, .* row 0"):
        getattr(analysis, name)(verdicts)


def test_b21_names_of_judges_are_never_paths(tmp_path):
    """Four judges whose names look like paths: four in every table, and no file but the log."""
    study, folder = tables(1), tmp_path / "outputs" / "run"
    with FaultServer(steady(text="[[A]]")) as server:
        judges = [live(server.url, name=name) for name in NAMES]
        verdicts = judge(judges, study, folder)

    assert sorted(verdicts["judge"].unique()) == sorted(NAMES)
    assert sorted(position_bias(verdicts, draws=0)["judge"]) == sorted(NAMES)
    files = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert files == {
        "outputs/run/judgments.sqlite",
        "outputs/run/.judgments.sqlite.lock",
    }


def test_b21_names_that_differ_in_case_stay_two():
    """No table folds or cuts a name."""
    names = ["org/Judge", "org/judge", "judge"]
    table = position_bias(stack(*(pairs(["FS"], judge=name) for name in names)), draws=0)

    assert sorted(table["judge"]) == sorted(names)
