"""What breaks a schema, in words."""

from posbias_kit.errors import TableError


def table_error(error, schema, place):
    """Return the TableError that tells what pandera found, and how to mend it.

    Parameters
    ----------
    error : pandera.errors.SchemaErrors
    schema : pandera.pandas.DataFrameSchema
    place : str
        File or table named in the message.
    """
    cases = error.failure_cases
    checks, columns = set(cases["check"]), ", ".join(schema.columns)
    for check, word, cure in (
        ("column_in_dataframe", "missing", "add the column, or map one of yours to it"),
        ("column_in_schema", "unknown", "drop or rename the column"),
    ):
        if check in checks:
            names = cases.loc[cases["check"] == check, "failure_case"]
            problem = f"{word} column {', '.join(map(repr, names))}"
            return TableError(problem, place=place, allowed=columns, cure=cure)
    if "multiple_fields_uniqueness" in checks:
        rows = sorted({int(row) for row in cases["index"].dropna()})
        key = error.data.loc[rows[0], schema.unique].astype(str).to_dict()
        return TableError(
            f"{len(rows)} rows share a key, e.g. {key} in rows {rows[:5]}",
            place=place,
            allowed=f"one row for each {', '.join(schema.unique)}",
            cure="remove the duplicate rows, or number them with `repeat`",
        )
    # A check over whole rows reports every column of a row: one line a row and check is enough.
    broken = cases.drop_duplicates(["check", "index"])
    shown = "; ".join(
        f"row {case['index']}: {case['column']} = {case['failure_case']!r} ({case['check']})"
        for _, case in broken.head(3).iterrows()
    )
    problem = f"{len(broken)} values break the schema: {shown}"
    return TableError(problem, place=place, cure="mend or set aside these rows")
