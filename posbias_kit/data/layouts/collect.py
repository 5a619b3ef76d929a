"""The records of all rows, with an account of every row."""

from collections import Counter, defaultdict

import pandas as pd

from posbias_kit.data.layouts.parts import order_label
from posbias_kit.data.layouts.records import (
    Answer,
    Game,
    Grade,
    Label,
    Question,
    Reference,
    Source,
)
from posbias_kit.data.layouts.settle import Entry, number_repeats, settle, tell_copies
from posbias_kit.errors import ReadError

_WHY = {
    "false repeat": ("shows other texts than {place}, under the same key: no repeat of it",
                     "keep one generation of the answers, or name the candidates apart"),
    "retried": ("has no verdict, and the call was made again in {place}", "nothing, or remove it"),
    "retried in part": ("lacks one of its verdicts, and was judged again in {place}",
                        "nothing, or remove it"),
    "twice": ("stands twice: the same call, or the same repeat of it, stands in {place}",
              "remove one of the rows, or number the repeats"),
}  # fmt: skip
_TEXTS = {Question, Answer}
_BESIDE = {*_TEXTS, Reference}
_ASIDE = ["file", "line", "problem", "allowed", "cure"]


class Ledger:
    """Collects the records of a layout's files; knows the place of every one.

    Parameters
    ----------
    layout : posbias_kit.data.layouts.records.Layout
    benchmark : str
        Name in the tables.
    options : dict
    replies : bool
        Whether to keep the texts of the replies, which need most of the memory.
    """

    def __init__(self, layout, benchmark, options, replies=True):
        self.layout, self.benchmark, self.options = layout, benchmark, options
        self.replies = replies
        self.names, self.places, self.aside = [], [], {}  # places: row -> (file, line)
        self.sources = []
        self.records = {kind: [] for kind in (Game, Grade, Label, Question, Answer, Reference)}
        self.rows_of = {kind: [] for kind in self.records}
        self._texts = {}

    def read(self, file, name):
        """Read one file; `name` is what tables and messages call it."""
        source = self.layout.begin(Source(file, name, self.options, self.replies))
        self.names.append(name)
        self.sources.append(source)
        index, places, kept, rows_of = len(self.names) - 1, self.places, self.records, self.rows_of
        for line, row in self.layout.rows(source):
            number = len(places)
            places.append((index, line))
            try:
                if isinstance(row, ReadError):
                    raise row
                records = self.layout.read(row, line, source)
                kinds = [*map(type, records)]
                if not _BESIDE.isdisjoint(kinds):
                    self._compare_texts(records, number)
                    # A row with all that the layout needs is a judgment, and no mere text.
                    only = _BESIDE.issuperset(kinds)
                    assert not only or self.layout.recognise(row, source)  # noqa: S101
            except ReadError as error:
                self.aside[number] = error
                continue
            for kind, record in zip(kinds, records, strict=True):
                if kind is Game and record.raw is not None and not self.replies:
                    record = record._replace(raw=None)
                kept[kind].append(record)
                rows_of[kind].append(number)

    def _compare_texts(self, records, number):
        """Refuse a row whose texts differ from those that stood under the same ids before."""
        told = {}
        for record in records:
            if type(record) not in _TEXTS:
                continue
            key = (type(record), *record[: 1 + isinstance(record, Answer)])
            before, row = self._texts.get(key, (record.turns, number))
            if before != record.turns:
                what = "question" if isinstance(record, Question) else "answer"
                raise ReadError(
                    f"another text of this {what} stands in {self.place(row)}: {record[1]!r:.60}",
                    allowed="one text for each question and candidate",
                    cure="keep one generation of the answers, or name the candidates apart",
                )
            told[key] = before, row
        self._texts.update(told)

    def end(self):
        """Let the layout check that the files go together."""
        rows = Counter(file for file, _ in self.places)
        self.layout.end(self.sources, [rows[number] for number in range(len(self.names))])

    def place(self, row):
        """Return file and line of a row, for messages."""
        file, line = self.places[row]
        return f"{self.names[file]}, line {line}"

    def _name_arms(self):
        """Let a prompt's name be the arm where a judge saw one presentation with several.

        Else the prompt goes with the question, as one for mathematics does, and parts nothing.
        """
        names = {(game.judge, game.template) for game in self.records[Game]}
        prompts = Counter(judge for judge, _ in names)
        seen = defaultdict(set)
        for game in self.records[Game]:
            if prompts[game.judge] > 1:
                seen[_game_key(game)].add(game.template)
        several = {judge for (judge, *_), names in seen.items() if len(names) > 1}
        if not several:
            return
        self.records[Game] = [
            game._replace(arm=game.template) if game.judge in several and not game.arm else game
            for game in self.records[Game]
        ]

    def _has_repeats(self):
        """Whether anything stands under a key twice: most files have nothing to settle."""
        return any(
            len({(key(r), r.repeat) for r in self.records[kind]}) < len(self.records[kind])
            for kind, key in _KEYS.items()
        )

    def settle(self):
        """Set aside rows that repeat others without being repeats; return the repeats left."""
        self._name_arms()
        repeated = self._has_repeats()
        if repeated:
            self._set_repeats_aside()
        if not (self._name_lists() or repeated):
            return {kind: [r.repeat or 1 for r in self.records[kind]] for kind in _KEYS}
        return {kind: number_repeats(self._entries(kind)) for kind in _KEYS}

    def _set_repeats_aside(self):
        games, grades = self._entries(Game), self._entries(Grade)
        if self.layout.whole_rows:  # grades go with the judgments of their rows
            games, grades = tell_copies(games), [grade._replace(made=0) for grade in grades]
        # Together: a row with a game and grades is set aside, or kept, with all it holds.
        for row, (why, other) in settle([*games, *grades]).items():
            problem, cure = _WHY[why]
            told = ReadError(problem.format(place=self.place(other)), cure=cure)
            self.aside.setdefault(row, told)
        for kind, rows in self.rows_of.items():
            keep = [row not in self.aside for row in rows]
            if not all(keep):
                pairs = zip(self.records[kind], keep, strict=True)
                self.records[kind] = [record for record, kept in pairs if kept]
                self.rows_of[kind] = [row for row in rows if row not in self.aside]

    def _name_lists(self):
        """Name orders by what they show where two judges call different lists by one name."""
        lists = defaultdict(set)
        for game in self.records[Game]:
            if game.order:
                lists[_game_key(game)[1:]].add(game.shown)
        several = any(len(shown) > 1 for shown in lists.values())
        if several:
            self.records[Game] = [
                game._replace(order=order_label(game.shown)) if game.order else game
                for game in self.records[Game]
            ]
        return several

    def _entries(self, kind):
        key, told = _KEYS[kind], _TOLD[kind]
        return [
            Entry(
                row,
                key(record),
                record.repeat,
                getattr(record, told) is not None,
                _prompt(record),
                self.places[row][0],
                record.made,
            )
            for row, record in zip(self.rows_of[kind], self.records[kind], strict=True)
        ]

    def account(self):
        """Return the tables ``files`` and ``set_aside``."""
        lost = [
            (self.names[file], line, error.problem, error.allowed, error.cure)
            for row, error in sorted(self.aside.items())
            for file, line in (self.places[row],)
        ]
        found = set().union(*self.rows_of.values())  # rows that records were made of
        # None vanishes: every row either gave a record, or is set aside.
        assert found.isdisjoint(self.aside)  # noqa: S101
        assert len(found) + len(lost) == len(self.places)  # noqa: S101
        rows = Counter(file for file, _ in self.places)
        aside = Counter(self.places[row][0] for row in self.aside)
        kept = Counter(self.places[row][0] for row in found)
        number = range(len(self.names))
        files = pd.DataFrame(
            {
                "file": pd.Series(self.names, dtype="str"),
                "rows": [rows[i] for i in number],
                "kept": [kept[i] for i in number],
                "set_aside": [aside[i] for i in number],
            }
        )
        for kind, column in ((Game, "judgments"), (Grade, "grades"), (Label, "labels")):
            found = Counter(self.places[row][0] for row in self.rows_of[kind])
            files[column] = [found[i] for i in number]
        return files, pd.DataFrame(lost, columns=_ASIDE)


def _game_key(game):
    # A list's order has a name, which shows one list; a pair's order is what it shows.
    shown = tuple(sorted(game.shown)) if game.order else game.shown
    return game.judge, game.question, game.turn, game.arm, game.order, shown


def _prompt(record):
    """What was shown: of a list that is known even where the prompt is not."""
    return record.prompt or (hash(record.shown) if getattr(record, "order", "") else 0)


def _grade_key(grade):
    return grade.judge, grade.question, grade.turn, grade.candidate


_KEYS = {Game: _game_key, Grade: _grade_key}
_TOLD = {Game: "choice", Grade: "score"}
"""The field that is None where there is no verdict, or no grade."""
