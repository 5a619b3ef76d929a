"""Layouts in which judgments are published, each with its reader."""

from posbias_kit.data.layouts.swap_columns import SWAP_COLUMNS

LAYOUTS = {layout.name: layout for layout in (SWAP_COLUMNS,)}
"""Readers by name; :func:`posbias_kit.data.judgments.read_judgments` runs them."""
