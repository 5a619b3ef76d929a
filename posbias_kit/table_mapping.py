"""The mapping of format ``table``: what the columns of a table of judgments mean."""

import re
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from posbias_kit.section import Section

SLOT_GROUPS = ("first", "second", "third", "fourth")
FILE_GROUPS = (*SLOT_GROUPS, "judge", "task", "turn", "repeat")
"""What the pattern on a file's name may tell."""


def _check_pattern(pattern):
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    return pattern


def _check_label(label):
    if label is None:
        raise ValueError("null is no label: an empty cell is always invalid")
    return label


Label = Annotated[str | int | float | bool, BeforeValidator(_check_label)]
Pattern = Annotated[str, AfterValidator(_check_pattern)]
Columns = Annotated[list[str], Field(min_length=1)]
Several = Annotated[list[str], Field(min_length=2)]
Labels = Annotated[list[Label], Field(min_length=1)]


def spelling(value):
    """Return how a label is compared: as text, without outer space, 1.0 as 1.

    >>> spelling(1.0), spelling(" Tie"), spelling(True)
    ('1', 'Tie', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip()


class Words(NamedTuple):
    """What labels mean: as spelt, and without case where all that are spelt so mean the same."""

    exact: dict
    folded: dict

    @classmethod
    def of(cls, told):
        """Return the words of (meaning, labels)."""
        exact = {spelling(word): meaning for meaning, words in told for word in words}
        folded = {}
        for word, meaning in exact.items():
            folded.setdefault(word.lower(), set()).add(meaning)
        return cls(exact, {w: means.pop() for w, means in folded.items() if len(means) == 1})

    def find(self, value):
        """Return what a label means, as spelt, else without case; KeyError where there is none.

        >>> words = Words.of([(1, ["m"]), (2, ["M"]), (0, ["Tie"])])
        >>> words.find("m"), words.find("M "), words.find("TIE")
        (1, 2, 0)
        """
        text = spelling(value)
        return self.exact[text] if text in self.exact else self.folded[text.lower()]


class Verdicts(Section):
    """Which values of the verdict column mean what; an empty cell is always invalid."""

    first: list[Label] = []
    """The first slot, or the first candidate; see `labels_name`."""
    second: list[Label] = []
    """The second."""
    further: list[Labels] = []
    """The third and those after it, one list each."""
    tie: list[Label] = []
    """A tie."""
    invalid: list[Label] = []
    """No verdict."""

    def words(self):
        """Return the words: slot or candidate from 1, 0 for a tie, None for no verdict."""
        return Words.of(self._told())

    def _told(self):
        slots = enumerate([self.first, self.second, *self.further], start=1)
        return [*slots, (0, self.tie), (None, self.invalid)]

    @model_validator(mode="after")
    def _check(self):
        spelt = [spelling(word) for _, words in self._told() for word in words]
        if twice := sorted({word for word in spelt if spelt.count(word) > 1}):
            raise ValueError(f"labels stand twice: {', '.join(twice)}")
        if self.words().exact.get("") is not None:
            raise ValueError("an empty cell is always invalid: it can be no other label")
        return self


class Exchange(Section):
    """Where pairs are shown in exchanged places: give `files`, or a column and its values."""

    files: str | None = None
    """Pattern like *exchange* of the files that show all their pairs exchanged."""
    column: str | None = None
    """Column that tells it row by row."""
    exchanged: list[Label] = []
    """Values of the column that mean exchanged."""
    kept: list[Label] = []
    """Values of the column that mean not exchanged."""

    def words(self):
        """Return the words: whether they mean exchanged."""
        return Words.of(((True, self.exchanged), (False, self.kept)))

    @model_validator(mode="after")
    def _check(self):
        if (self.files is None) == (self.column is None):
            raise ValueError("give one of `files` and `column`")
        if self.column and not (self.exchanged and self.kept):
            raise ValueError("a column needs both lists, `exchanged` and `kept`")
        if {spelling(w) for w in self.exchanged} & {spelling(w) for w in self.kept}:
            raise ValueError("a value stands in both lists, `exchanged` and `kept`")
        return self


class TableMapping(Section):
    """What the columns of a table of judgments mean; nothing is guessed."""

    question: str | Columns | None = None
    """Column of the question's id, or several to join; none takes the number of the row."""
    candidates: Several | None = None
    """Columns that hold the candidates' ids, in the order shown."""
    candidate_names: Several | None = None
    """The candidates themselves, where all rows compare the same."""
    candidate_column: str | None = None
    """Column that holds all candidates in one text; needs `candidate_pattern`."""
    candidate_pattern: Pattern | None = None
    """Regular expression for the whole of that text, with a group for each candidate."""
    file_name: Pattern | None = None
    """Regular expression on a file's path; its named groups tell first, second, judge, task."""
    judge: str | None = None
    """Column of the judge's name."""
    judge_name: str | None = None
    """The judge's name, where no column tells it."""
    verdict: str | Columns | None = None
    """Column of the verdict; several are one judge each, named as the column if none is told."""
    scores: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Instead: columns of the two candidates' scores; the higher one wins, equal ones tie."""
    labels: Verdicts = Verdicts()
    """Which values of the verdict mean what."""
    labels_name: Literal["slots", "candidates", "ids"] = "slots"
    """What labels name: a place shown, a place in the list of candidates, or a candidate's id."""
    order: Exchange | None = None
    """Where pairs are shown in exchanged places; none where the list is the order shown."""
    repeat: str | None = None
    """Column of the repeat's number; none numbers the rows of one key as they come."""
    repeat_from: Literal[0, 1] = 1
    """What the source calls the first repeat."""
    task: str | None = None
    """Column of the task."""
    turn: str | None = None
    """Column of the turn."""
    labeller: bool = False
    """Whether these are labels to compare judges with, of humans say, and no judgments."""
    question_text: str | Columns | None = None
    """Column of the question's text, or several, put under each other."""
    answer_texts: list[str] = []
    """Columns of the answers' texts, in the order of the list of candidates."""
    rename: dict[str, str] = {}
    """Other spellings of candidates and judges: as in the file -> as in the tables."""
    sheet: str | None = None
    """Sheet of an Excel workbook; needed where several hold something."""
    separator: Literal[",", ";", "tab", "|"] | None = None
    """What separates the cells of a CSV file; none takes the comma, in TSV the tab."""

    def columns(self):
        """Return (key, column) of all columns that a file must have."""
        keys = ["question", "candidates", "candidate_column", "judge", "verdict", "scores",
                "repeat", "task", "turn", "question_text", "answer_texts"]  # fmt: skip
        told = [(key, column) for key in keys for column in listed(getattr(self, key))]
        return told + [("order.column", c) for c in listed(self.order and self.order.column)]

    def groups(self):
        """Return the named groups of the pattern on the file's name."""
        return tuple(re.compile(self.file_name or "").groupindex)

    @model_validator(mode="after")
    def _check(self):
        for problem in (*_of_candidates(self), *_of_judges(self), *_of_labels(self)):
            raise ValueError(problem)
        return self


def listed(value):
    """Return one column, several or none as a list."""
    return [value] if isinstance(value, str) else list(value or [])


def _of_candidates(mapping):
    """Say what is wrong with where the candidates stand."""
    groups = mapping.groups()
    if alien := [group for group in groups if group not in FILE_GROUPS]:
        yield f"file_name has groups {', '.join(alien)}; known: {', '.join(FILE_GROUPS)}"
    if (mapping.candidate_column is None) != (mapping.candidate_pattern is None):
        yield "candidate_column and candidate_pattern need each other"
    if re.compile(mapping.candidate_pattern or "()()").groups < 2:
        yield "candidate_pattern needs a group for each candidate"
    ways = [mapping.candidates, mapping.candidate_names, mapping.candidate_column,
            {"first", "second"} <= set(groups) or None]  # fmt: skip
    if sum(way is not None for way in ways) != 1:
        yield ("tell the candidates in one way: candidates, candidate_names, candidate_column, "
               "or groups first and second of file_name")  # fmt: skip
    several = mapping.candidates or mapping.candidate_names
    if several and mapping.answer_texts and len(mapping.answer_texts) != len(several):
        yield "answer_texts needs a column for each candidate"
    if mapping.scores and several and len(several) > 2:
        yield "scores tells of pairs"
    if mapping.order and several and len(several) > 2:
        yield "order tells of pairs; three or more candidates are listed in the order shown"


def _of_judges(mapping):
    """Say what is wrong with where the judge stands."""
    several = isinstance(mapping.verdict, list)
    ways = [mapping.judge, mapping.judge_name, "judge" in mapping.groups() or None]
    told = sum(way is not None for way in ways)
    if told > 1 or not (told or several):
        yield "tell the judge in one way: judge, judge_name, or group judge of file_name"
    if several and told and (mapping.repeat or "repeat" in mapping.groups()):
        yield "several verdicts of one judge are repeats already: leave `repeat` out"


def _of_labels(mapping):
    """Say what is wrong with the labels."""
    labels = mapping.labels
    if (mapping.verdict is None) == (mapping.scores is None):
        yield "tell the verdict in one way: verdict or scores"
    if mapping.scores:
        return
    if mapping.labels_name == "ids" and (labels.first or labels.second or labels.further):
        yield "labels that are ids need no first, second or further"
    if mapping.labels_name != "ids" and not (labels.first and labels.second):
        yield "labels needs first and second: which values mean them"
