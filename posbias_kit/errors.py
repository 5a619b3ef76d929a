"""Every error of the kit, as one tree.

::

    PosbiasError
    ├── InputError          fix what you gave us, then run again
    │   ├── ParamsError     a study file or a function argument
    │   ├── ReadError       a file or folder that cannot be read as asked
    │   └── TableError      a table that breaks its schema
    └── RunError            the input was fine, something failed on the way
        ├── JudgeError      a judge cannot be asked, or never replies
        └── StageError      a notebook stopped

A message says what is wrong (with the value), where, what is allowed, and the cure.
"""


class PosbiasError(Exception):
    """Base of all errors that the kit raises on purpose.

    Parameters
    ----------
    problem : str
        What is wrong, naming the value.
    place : str
        File, table, column or argument.
    allowed : str
        What would have been accepted.
    cure : str
        What to do about it, as an imperative.
    """

    def __init__(self, problem, *, place="", allowed="", cure=""):
        self.problem, self.place, self.allowed, self.cure = problem, place, allowed, cure
        message = f"{place}: {problem}" if place else problem
        if allowed:
            message += f"\n  allowed: {allowed}"
        if cure:
            message += f"\n  cure: {cure}"
        super().__init__(message)


class InputError(PosbiasError):
    """Something the user gave is wrong."""


class ParamsError(InputError):
    """A study file or a function argument is wrong."""


class ReadError(InputError):
    """A file or folder cannot be read as asked."""


class TableError(InputError):
    """A table breaks its schema: column, type, value or key."""


class RunError(PosbiasError):
    """Something failed while a study was running."""


class JudgeError(RunError):
    """A judge cannot be asked, or none of its calls brought a reply."""


class StageError(RunError):
    """A notebook of the chain stopped before its end."""


def unwritable(path, why):
    """Return the error that says that a file or folder cannot be written.

    >>> unwritable("outputs/demo", "disk full").problem
    'cannot be written: disk full'
    """
    return RunError(
        f"cannot be written: {why}",
        place=str(path),
        cure="free space, or allow writing there, and run again: what was written whole is used",
    )


def check_choice(value, allowed, place):
    """Return `value` if it is one of `allowed`, else raise ParamsError.

    >>> check_choice("paper", ("paper", "tie"), "convention")
    'paper'
    """
    if value not in tuple(allowed):
        raise ParamsError(
            f"unknown value {value!r}",
            place=place,
            allowed=", ".join(str(one) or "'' (without a name)" for one in allowed) or "none",
            cure="use one of the allowed values",
        )
    return value
