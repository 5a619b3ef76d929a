"""Small files in the layouts that the seed paper released, for the tests of its readers."""

import warnings

import pandas as pd
import pytest

from posbias_kit.data.paper import read_paper_verdicts

TWO_TURNS = {
    "question_1": ["One?", "Uno?"],
    "question_2": ["Two?", "Due?"],
    "index": ["81", "007"],
    "evaluating_guidance": ["", ""],
    "task": ["math", "coding"],
    "reference_answer_1": ["r1", ""],
    "reference_answer_2": ["r2", ""],
    "answer_1-x": ["a", "NA"],
    "answer_2-x": ["b", "None"],
    "answer_1-y-v1.3": ["", ""],
    "answer_2-y-v1.3": ["c", ""],
}
ONE_TURN = {
    "question": ["Why?", "Why?"],
    "index": ["q_uml-a", "q_uml-b"],
    "evaluating_guidance": ["Look at size.", ""],
    "task": ["uml-a", "uml-b"],
    "reference_answer": ["", ""],
    "answer-human": ["same", "same"],
    "answer-gpt": ["other", "third"],
}


def write_book(root, columns, benchmark="MTBench", part="full_data", name="data.xlsx"):
    folder = root / "QA_data" / part / benchmark
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_excel(folder / name, index=False)
    return folder / name


def write_record(root, *rows, judge="gpt", options=3, run="run", part="MTBench_position_bias"):
    """Write rows of (question, shown first, shown second, raw reply)."""
    folder = root / "judgment_data" / f"data_{part}" / run
    folder.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(
        [(f"{question};{a};{b}", a, b, "math", raw) for question, a, b, raw in rows],
        columns=["cmp_index", "A", "B", "task", judge],
    )
    path = folder / f"record_{judge}_{options}.tsv"
    table.to_csv(path, sep="\t", index=False, quoting=1)
    return path


def read(root, **options):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return read_paper_verdicts(root, **options)


def message_of(error, call, *arguments, **options):
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)
