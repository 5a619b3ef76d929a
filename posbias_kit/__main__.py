"""The command line, thin over :mod:`posbias_kit.report`: it only passes values on."""

import logging
import os
import sys
from pathlib import Path

import click

from posbias_kit import __version__
from posbias_kit.errors import PosbiasError


class _Commands(click.Group):
    """Ends with one message instead of a traceback where the kit knows what is wrong."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except PosbiasError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            sys.exit(130)


@click.group(cls=_Commands)
@click.version_option(__version__, prog_name="posbias")
def cli():
    """Measure, explain and correct position bias in LLM-as-a-judge."""


@cli.command()
@click.argument("params", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--set", "settings", multiple=True, metavar="section.key=value", help="Override a key."
)
@click.option("--from", "start_from", metavar="STAGE", help="Run this stage and all that follow.")
@click.option("--only", metavar="STAGE", help="Run this stage alone, on what lies there.")
@click.option(
    "--fresh", is_flag=True, help="Run every stage again; replies in the log stay and are used."
)
@click.option("--yes", is_flag=True, help="Do not ask before a run that may cost money.")
def run(params, settings, start_from, only, fresh, yes):
    """Run the studies in the files PARAMS and print the path of each one's first page.

    Several run one after another, or as tasks of the Dask cluster that they name; the failure of
    one stops no other.
    """
    from posbias_kit.report.chain import run_study

    _report_progress()
    settings = _as_utf8(settings)
    judges = only in (None, "judging") and start_from in (None, "data_preparation", "judging")
    for path in () if yes or not judges else params:
        _confirm(path, settings)
    told = {"settings": settings, "start_from": start_from, "only": only, "fresh": fresh}
    if len(params) > 1:
        _run_several(params, told)
    else:
        click.echo(run_study(params[0], **told) / "index.html")


def _run_several(params, told):
    from posbias_kit.report.many import describe_failure, run_studies

    failed = []
    for outcome in run_studies(params, **told):
        if outcome.problem:
            failed.append(str(outcome.params))
            click.echo(f"Error: {describe_failure(outcome)}", err=True)
        else:
            click.echo(outcome.folder / "index.html")
    if failed:
        click.echo(f"{len(failed)} of {len(params)} studies failed: {', '.join(failed)}", err=True)
        sys.exit(1)


def _as_utf8(settings):
    # Under a C locale Python has read the words as ASCII; they are UTF-8 like every file.
    return tuple(os.fsencode(text).decode("utf-8", "replace") for text in settings)


def _confirm(params, settings):
    """Ask before a run that may cost more than the study allows unasked."""
    from posbias_kit.report.bill import describe_bill, needs_consent, plan_study

    study, bill = plan_study(params, settings)
    why = needs_consent(study, bill)
    if why:
        click.echo(describe_bill(bill, study), err=True)
        click.confirm(f"{why[0].upper()}{why[1:]}. Go on?", abort=True, err=True)


@cli.command()
@click.argument("params", type=click.Path(path_type=Path))
@click.option(
    "--set", "settings", multiple=True, metavar="section.key=value", help="Override a key."
)
def plan(params, settings):
    """Print what the study in PARAMS will show, calls, tokens and money, and expected half-widths.

    Nobody is asked.
    """
    from posbias_kit.report.bill import describe_bill, plan_study
    from posbias_kit.report.forecast import describe_forecast

    study, bill = plan_study(params, _as_utf8(settings))
    click.echo(describe_forecast(study))
    click.echo(describe_bill(bill, study))


@cli.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", type=click.Choice(["jsonl", "parquet"]), default="jsonl")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write.")
def export(run_name, format, output):
    """Write the judgment log of RUN as JSON lines or Parquet."""
    from posbias_kit.report.judgments import export_judgments

    click.echo(export_judgments(run_name, format, output))


@cli.command()
@click.argument("run_name", metavar="RUN")
def verify(run_name):
    """Rebuild the verdict table of RUN from its judgment log, and compare."""
    from posbias_kit.report.judgments import verify_judgments

    told = verify_judgments(run_name)
    click.echo(f"{told['verdicts']:,} verdicts are what the log says (digest {told['digest']})")
    if told["reread"]:
        click.echo(f"{told['reread']:,} replies would be read otherwise by this parser")


@cli.command()
@click.argument("arguments", nargs=-1, required=True, metavar="FORMAT PATH...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write.")
@click.option("--detect", is_flag=True, help="Only name the layout of the files given.")
@click.option("--benchmark", help="Name in the table.")
@click.option("--mapping", type=click.Path(path_type=Path), help="Columns of a table, as YAML.")
@click.option("--option", "options", multiple=True, metavar="key=value", help="Of the reader.")
@click.option(
    "--rule", type=click.Choice(["strict", "first_match"]), help="How replies are parsed."
)
def read(arguments, output, detect, benchmark, mapping, options, rule):
    """Read published judgments of FORMAT from PATH... into one verdict table.

    The output ends in .parquet, .csv or .jsonl, which is FastChat's layout of pairs.
    """
    from posbias_kit.report.imports import detect_text, read_to_file

    if detect:
        click.echo(detect_text(arguments))
        return
    given = {"benchmark": benchmark, "rule": rule, "mapping": mapping}
    given = {key: value for key, value in given.items() if value is not None}
    click.echo(read_to_file(arguments[0], arguments[1:], output, options, **given))


@cli.group(cls=_Commands)
def review():
    """Hand disputed comparisons to reviewers, and take their decisions back."""


@review.command("export")
@click.argument("run_name", metavar="RUN")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder.")
@click.option("--reviewers", required=True, metavar="A,B", help="Names, commas between.")
@click.option("--limit", type=click.IntRange(min=1), help="Comparisons; else `review.queue`.")
def review_export(run_name, output, reviewers, limit):
    """Write a blinded sheet of RUN for each reviewer: CSV, spreadsheet, page."""
    from posbias_kit.report.review import export_review

    names = [name.strip() for name in reviewers.split(",") if name.strip()]
    told = export_review(run_name, output, names, limit)
    click.echo("\n".join(map(str, told["files"])))
    click.echo(f"{told['items']} of {told['disputed']} disputed comparisons")
    if told["naming_a_model"]:
        click.echo(f"{told['naming_a_model']} answers name a model themselves: that is not hidden")


@review.command("import")
@click.argument("run_name", metavar="RUN")
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
def review_import(run_name, paths):
    """Take filled sheets into RUN; ends with status 1 where a row was refused."""
    from posbias_kit.report.review import describe_import, import_review

    taken = import_review(run_name, paths)
    click.echo(describe_import(taken))
    click.echo(f"Now bring the report up to date: posbias run outputs/{run_name}/params.yaml")
    if len(taken.refused):
        sys.exit(1)


@cli.command()
@click.argument("name")
def init(name):
    """Write params/NAME.yaml, a commented study file to start from."""
    from posbias_kit.report.studies import init_study

    click.echo(init_study(name))


@cli.command()
@click.option("--markdown", is_flag=True, help="As a table of keys, for params/README.md.")
def schema(markdown):
    """Print the JSON Schema of study files."""
    from posbias_kit.report.studies import study_keys, study_schema

    click.echo(study_keys() if markdown else study_schema(), nl=False)


class _AboveTheBar(logging.Handler):
    """Writes a line without breaking the progress bar."""

    def emit(self, record):
        from tqdm import tqdm

        tqdm.write(self.format(record), file=sys.stderr)


def _report_progress():
    from posbias_kit.judging.progress import TERMINAL

    if sys.stderr.isatty() and hasattr(os, "ttyname"):
        os.environ[TERMINAL] = os.ttyname(sys.stderr.fileno())  # for the notebook that judges
    logger = logging.getLogger("posbias_kit")
    logger.handlers = [_AboveTheBar()]
    logger.setLevel(logging.INFO)


def main():
    """Run the command line; text that the console cannot show is written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    cli(prog_name="posbias")


if __name__ == "__main__":
    main()
