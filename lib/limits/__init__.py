"""Why a model answers as fast as it does: closed forms over tables with sources. Nothing is measured or drawn here."""
