"""Any table of judgments, read as a mapping says."""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.cells import table_rows
from posbias_kit.data.layouts.parts import distinct_ids, order_label
from posbias_kit.data.layouts.records import (
    ALL,
    Answer,
    Game,
    Grade,
    Label,
    Layout,
    Question,
    is_missing,
    need,
)
from posbias_kit.data.layouts.table_labels import (
    choice_of,
    choice_of_scores,
    is_empty,
    is_exchanged,
    rename,
)
from posbias_kit.data.layouts.table_plan import check_files, how_to_read, make_plan
from posbias_kit.errors import ReadError
from posbias_kit.schema import TIE, Reason
from posbias_kit.table_mapping import SLOT_GROUPS, listed

_BLANKS = " \t\xa0"


def begin(source):
    """Work out what the mapping says about a file."""
    return source._replace(options={"plan": make_plan(source)})


def rows_of(source):
    """Read the rows of a file, in the way that the mapping says."""
    plan = source.options.get("plan")
    return table_rows(source.file, plan and how_to_read(plan.mapping))


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
    shown = candidates[::-1] if is_exchanged(values, plan, candidates) else candidates
    task, turn = _told(values, plan, "task") or ALL, _told(values, plan, "turn")
    told = {"task": task, "turn": turn, "order": order_label(shown)}
    told |= {"repeat": _repeat(values, plan), "made": _made(values, plan)}
    records = []
    for column in listed(mapping.verdict) or ["the judge"]:
        judge = _judge(values, plan, column)
        if mapping.scores:
            choice, scores = choice_of_scores(values, plan, candidates, shown)
            records += [
                Grade(question, name, judge, score, "" if score is not None else Reason.NO_LABEL,
                      turn, made=told["made"])
                for name, score in zip(candidates, scores, strict=True)
            ]  # fmt: skip
        else:
            choice = choice_of(values[column], column, plan, candidates, shown)
        if mapping.labeller:
            winner = shown[choice - 1] if choice else TIE
            records += [Label(question, candidates, judge, winner, turn)] * (choice is not None)
        else:
            records.append(Game(question, shown, judge, choice, **told))
    if not records:
        raise ReadError("this row holds no label", cure="fill it in, or leave it as it is")
    return records + _texts(values, mapping, question, candidates, task)


def _made(values, plan):
    """Return the hash of a whole row, which stands twice where nothing tells it from another."""
    mapping = plan.mapping
    if mapping.question is None or mapping.repeat or "repeat" in plan.told:
        return 0
    return hash(
        tuple((key, str(values[key])) for key in sorted(values) if not is_empty(values[key]))
    )


def _id(value, column):
    """Return an id, without outer blanks."""
    value = value.strip(_BLANKS) if isinstance(value, str) else value
    if is_empty(value):
        raise ReadError(
            f"{column} is {value!r}",
            allowed="a text or a whole number",
            cure=f"give the row its {column}; of merged cells only the first one is filled: "
            "unmerge them, and fill down",
        )
    return id_of(value, column)


def _question(row, mapping):
    if mapping.question is None:
        return str(row.number)
    return "/".join(_id(row.values[column], column) for column in listed(mapping.question))


def _candidates(values, plan):
    """Return the candidates in the order of the list, which may not be the order shown."""
    mapping, place = plan.mapping, "the list of candidates"
    if mapping.candidates:
        place = ", ".join(mapping.candidates)
        names = [_id(values[column], column) for column in mapping.candidates]
    elif mapping.candidate_names:
        names = mapping.candidate_names
    elif mapping.candidate_column:
        place = mapping.candidate_column
        names = _split(values[place], place, mapping.candidate_pattern)
    else:
        names = [plan.told[slot] for slot in SLOT_GROUPS if slot in plan.told]
    return distinct_ids([_name(name, place, plan) for name in names], place)


def _split(text, column, pattern):
    match = re.fullmatch(pattern, _id(text, column))
    if match is None:
        raise ReadError(
            f"{column} is {text!r}, which does not fit the mapping's `candidate_pattern`",
            allowed=pattern,
            cure="change the pattern, or leave the row out",
        )
    return [name for name in match.groups() if name is not None]


def _name(value, place, plan):
    return rename(_id(value, place), plan)


def _told(values, plan, key):
    """Return what a column or the file's name tells, or nothing."""
    column = getattr(plan.mapping, key)
    if column is None:
        return plan.told.get(key, "")
    return "" if is_empty(values[column]) else _id(values[column], column)


def _judge(values, plan, column):
    mapping = plan.mapping
    if mapping.judge:
        return _name(values[mapping.judge], mapping.judge, plan)
    return _name(mapping.judge_name or plan.told.get("judge", column), "judge", plan)


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


def _texts(values, mapping, question, candidates, task):
    """Return the texts of the question and of the answers that the row holds."""
    parts = [values[column] for column in listed(mapping.question_text)]
    told = [str(part) for part in parts if not is_empty(part)]
    records = [Question(question, ("\n\n".join(told),), task)] if told else []
    columns = zip(candidates, mapping.answer_texts, strict=False)
    return records + [
        Answer(question, candidate, (str(values[column]),))
        for candidate, column in columns
        if not is_missing(values[column])
    ]


def recognise(row, source):
    """Say that a table tells nothing by itself."""
    names = ", ".join(row.values)
    return [f"a mapping, which you give (columns: {names:.200})"]


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
    whole_rows=True,
)  # fmt: skip
