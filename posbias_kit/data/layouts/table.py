"""Any table of judgments, read as a mapping says."""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.cells import table_rows
from posbias_kit.data.layouts.parts import distinct_ids, order_label
from posbias_kit.data.layouts.records import (
    ALL,
    Answer,
    Game,
    Label,
    Layout,
    Question,
    is_missing,
    need,
)
from posbias_kit.data.layouts.table_plan import check_files, make_plan
from posbias_kit.errors import ReadError
from posbias_kit.schema import TIE
from posbias_kit.table_mapping import SLOT_GROUPS, listed, spelling


def begin(source):
    """Work out what the mapping says about a file."""
    return source._replace(options={"plan": make_plan(source)})


def rows_of(source):
    """Read the rows of a file; where they are known by their number, blank ones are counted."""
    plan = source.options.get("plan")
    return table_rows(source.file, blank=plan is not None and plan.mapping.question is None)


def read_row(row, line, source):
    """Return the judgments or labels of a row, and its texts.

    Parameters
    ----------
    row : posbias_kit.data.layouts.cells.Cells
    line : int
    source : posbias_kit.data.layouts.records.Source
        With what :func:`begin` added.

    Returns
    -------
    list of Game, Label, Question and Answer
    """
    plan, values = source.options["plan"], row.values
    mapping = plan.mapping
    need(values, *[column for _, column in mapping.columns()])
    question = _question(row, mapping)
    candidates = _candidates(values, plan)
    shown = candidates[::-1] if _is_exchanged(values, plan, candidates) else candidates
    task, turn = _told(values, plan, "task") or ALL, _told(values, plan, "turn")
    records = []
    for column in listed(mapping.verdict):
        choice = _choice(values[column], column, plan, candidates, shown)
        judge = _judge(values, plan, column)
        if mapping.labeller:
            winner = shown[choice - 1] if choice else TIE
            records += [Label(question, candidates, judge, winner, turn)] * (choice is not None)
            continue
        told = {"order": order_label(shown), "repeat": _repeat(values, plan)}
        records.append(Game(question, shown, judge, choice, task=task, turn=turn, **told))
    if not records:
        raise ReadError("this row holds no label", cure="fill it in, or leave it as it is")
    return records + _texts(values, mapping, question, candidates, task)


def _question(row, mapping):
    if mapping.question is None:
        return str(row.number)
    return "/".join(id_of(row.values[column], column) for column in listed(mapping.question))


def _candidates(values, plan):
    """Return the candidates in the order of the list, which may not be the order shown."""
    mapping, place = plan.mapping, "the list of candidates"
    if mapping.candidates:
        place = ", ".join(mapping.candidates)
        names = [values[column] for column in mapping.candidates]
    elif mapping.candidate_names:
        names = mapping.candidate_names
    elif mapping.candidate_column:
        place = mapping.candidate_column
        names = _split(values[place], place, mapping.candidate_pattern)
    else:
        names = [plan.told[slot] for slot in SLOT_GROUPS if slot in plan.told]
    return distinct_ids([_name(name, place, mapping) for name in names], place)


def _split(text, column, pattern):
    match = re.fullmatch(pattern, id_of(text, column))
    if match is None:
        raise ReadError(
            f"{column} is {text!r}, which does not fit the mapping's `candidate_pattern`",
            allowed=pattern,
            cure="change the pattern, or leave the row out",
        )
    return [name for name in match.groups() if name is not None]


def _name(value, place, mapping):
    name = id_of(value, place)
    return mapping.rename.get(name, name)


def _told(values, plan, key):
    """Return what a column or the file's name tells, or nothing."""
    column = getattr(plan.mapping, key)
    if column is None:
        return plan.told.get(key, "")
    return "" if _is_missing(values[column]) else id_of(values[column], column)


def _judge(values, plan, column):
    mapping = plan.mapping
    if mapping.judge:
        return _name(values[mapping.judge], mapping.judge, mapping)
    return _name(mapping.judge_name or plan.told.get("judge", column), "judge", mapping)


def _repeat(values, plan):
    """Return the number of the repeat, 0 where it is not told."""
    if plan.mapping.repeat is None and "repeat" not in plan.told:
        return 0
    text, start = _told(values, plan, "repeat"), plan.mapping.repeat_from
    # Nine digits: more are no count, and no column of the table could hold any number of them.
    if not re.fullmatch("0*[0-9]{1,9}", text) or int(text[-9:]) < start:
        raise ReadError(
            f"the repeat is {text!r:.60}",
            allowed=f"a whole number from {start}",
            cure="number the repeats, or say in the mapping that they count from 0: `repeat_from`",
        )
    return int(text[-9:]) - start + 1


def _is_exchanged(values, plan, candidates):
    order = plan.mapping.order
    if order is None:
        return False
    if len(candidates) > 2:
        raise ReadError(
            f"{len(candidates)} candidates, but the mapping's `order` tells of pairs",
            allowed="two candidates",
            cure="leave the row out",
        )
    if order.column is None:
        return plan.exchanged
    return _meaning(values[order.column], order.column, plan.exchange)


def _choice(value, column, plan, candidates, shown):
    """Return the slot that a label names, 0 for a tie, None where there is no verdict."""
    if _is_missing(value):
        return None
    if plan.mapping.labels_name == "ids":
        name = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        name = plan.mapping.rename.get(name, name)
        if name in shown:
            return shown.index(name) + 1
        return _meaning(value, column, plan.words, shown)
    place = _meaning(value, column, plan.words)
    if not place:
        return place
    if place > len(shown):
        raise ReadError(
            f"{column} is {value!r}, number {place} of {len(shown)} candidates",
            allowed=", ".join(candidates),
            cure="mend the label, or the mapping's `labels`",
        )
    slots = plan.mapping.labels_name == "slots"
    return place if slots else shown.index(candidates[place - 1]) + 1


def _meaning(value, column, words, names=()):
    """Return what a label means; `names` are labels as well, for the message."""
    text = spelling(value)
    if text not in words:
        raise ReadError(
            f"{column} is {value!r}",
            allowed=", ".join([*names, *words]),
            cure="mend the label, or say in the mapping what it means",
        )
    return words[text]


def _is_missing(value):
    return is_missing(value) or value == ""


def _texts(values, mapping, question, candidates, task):
    """Return the texts of the question and of the answers that the row holds."""
    parts = [values[column] for column in listed(mapping.question_text)]
    told = [str(part) for part in parts if not _is_missing(part)]
    records = [Question(question, ("\n\n".join(told),), task)] if told else []
    columns = zip(candidates, mapping.answer_texts, strict=False)
    return records + [
        Answer(question, candidate, (str(values[column]),))
        for candidate, column in columns
        if not is_missing(values[column])
    ]


def recognise(row, source):
    """Say that a table tells nothing by itself."""
    return ["a mapping, which you give"]


TABLE = Layout(
    name="table",
    title="any CSV, TSV, JSON, Excel or Parquet table, read with a mapping",
    undoes=(
        "the mapping says what labels name (`labels_name`) and where pairs are shown in "
        "exchanged places (`order`); labels become slots in the order shown"
    ),
    read=read_row,
    recognise=recognise,
    files=("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.json", "*.json.gz", "*.jsonl",
           "*.jsonl.gz", "*.xlsx", "*.parquet"),
    rows=rows_of,
    options=("mapping",),
    begin=begin,
    end=check_files,
)  # fmt: skip
