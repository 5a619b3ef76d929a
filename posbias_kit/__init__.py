"""Measure, explain and correct position bias in LLM-as-a-judge."""

__version__ = "0.1.0"
