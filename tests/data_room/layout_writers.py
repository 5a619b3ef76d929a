"""What the tests of the readers share: files in every form, and what was planted in them."""

import gzip
import json
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from hypothesis import strategies as st

from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import PosbiasError

texts = st.text("ab [>]\u2028\u0085\"\\\n'é", max_size=8)
forms = st.fixed_dictionaries(
    {name: st.booleans() for name in ("array", "gz", "mark", "returns", "ascii")}
)
"""How a file is written."""
whole = st.sampled_from([str, int, float])
"""How a number is written: "1", 1, 1.0."""


def write(path, rows, array=False, gz=False, mark=False, returns=False, ascii=False):
    """Write rows as lines or as an array, and return the path, which ends in .gz for `gz`."""
    lines = [json.dumps(row, ensure_ascii=ascii) for row in rows]
    text = "[" + ",\n".join(lines) + "]" if array else "\n".join(lines) + "\n"
    data = ("\ufeff" * mark + (text.replace("\n", "\r\n") if returns else text)).encode()
    path = Path(f"{path}.gz" if gz else path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 1) if gz else data)
    return path


# Columns of other layouts, and of texts, that may stand in any row.
_MORE = {
    "extra": [None, 1.5], "x-y": [None, []], "tstamp": [None, 1.5, "2024-01-01"],
    "turns": [["hi"], [{"content": "hi"}], None], "turn": [1, "2", 1.0, None, float("nan")],
    "choices": [[{"index": 0, "turns": ["hi"]}], []], "prompt": ["hi", None],
    "category": ["math", "", None, float("nan"), 7], "messages": [[]], "model_id": ["x"],
    "reference": [["4"], None], "metadata": [{}],
}  # fmt: skip
columns = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in _MORE.items()})


@st.composite
def spoiled(draw, row, required):
    """Draw (row with other order and more columns, whether it still has all it needs)."""
    row = draw(columns) | row
    lost = draw(st.sampled_from([None] * 9 + [key for key in required if key in row]))
    keys = draw(st.permutations([key for key in row if key != lost]))
    return {key: row[key] for key in keys}, lost is None


def check_planted(format, planted, form, name="judgments.jsonl", **options):
    """Read planted rows and compare.

    Parameters
    ----------
    planted : list of (dict, dict or None)
        A row with the games in it, (question, shown) -> slot; None for a row to be set aside.
    form : dict
        Of :func:`write`.

    Returns
    -------
    Reading or None
        None where no row could be read.
    """
    good = [games for _, games in planted if games is not None]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = write(Path(folder, name), [row for row, _ in planted], **form)
        try:
            reading = read_judgments(format, path, **options)
        except PosbiasError:
            assert good == []
            return None
    (file,) = reading.files.itertuples()
    aside = [line for line, (_, games) in enumerate(planted, start=1) if games is None]
    assert file.rows == len(planted) == file.kept + file.set_aside
    # A line of its own for each row, whether of lines or of an array.
    assert reading.set_aside["line"].tolist() == aside
    assert (reading.set_aside[["problem", "cure"]] != "").all(axis=None)
    assert slots(reading) == {key: slot for games in good for key, slot in games.items()}
    return reading


def slots(reading):
    """Return (question, candidates in the order shown) -> slot, None where there is none."""
    table = reading.verdicts
    return {
        (row.question, tuple(json.loads(row.shown))): None if row.status != "ok" else row.choice
        for row in table.itertuples()
    }


def tally(verdicts):
    """Count pairs judged in both orders.

    Returns
    -------
    tuple of int
        pairs, pairs with an error, valid, consistent, both first, both second, first with tie,
        second with tie, both tie; and of the single verdicts: first, second, tie, error.
    """
    keys = ["judge", "arm", "turn", "comparison", "repeat"]
    found = [tuple(c.fillna(-1).astype(int)) for _, c in verdicts.groupby(keys)["choice"]]
    assert all(len(choices) == 2 for choices in found)
    pairs = Counter(tuple(sorted(choices)) for choices in found)
    one = Counter(choice for choices in found for choice in choices)
    errors = sum(count for pair, count in pairs.items() if -1 in pair)
    names = ((1, 1), (2, 2), (0, 1), (0, 2), (0, 0))
    return (
        len(found), errors, len(found) - errors, pairs[1, 2] + pairs[0, 0],
        *(pairs[name] for name in names), one[1], one[2], one[0], one[-1],
    )  # fmt: skip
