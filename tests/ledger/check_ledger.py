"""DuckDB, Polars and pandas read a ledger as this project documents it.

    python tests/ledger/check_ledger.py <folder>

The CSV file is read with the standard library and is what the others are compared with: columns, rows, nulls, and every
double bit for bit. Counts of the recorded and of the generated scenes are those of summary.json. A reader that is not
installed is named as SKIPPED. Ends with 1 and one line a fault.
"""

import csv
import importlib
import json
import math
import pathlib
import sys

READERS = ["duckdb", "polars", "pandas"]


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def parquet_rows(reader, path):
    """Names of columns and rows with None for null."""
    if reader == "duckdb":
        import duckdb

        result = duckdb.execute("select * from read_parquet(?)", [str(path)])
        return [column[0] for column in result.description], [list(row) for row in result.fetchall()]
    if reader == "polars":
        import polars

        frame = polars.read_parquet(path)
        return frame.columns, [list(row) for row in frame.rows()]
    import pandas

    frame = pandas.read_parquet(path)
    frame = frame.astype(object).where(frame.notna(), None)
    return list(frame.columns), frame.values.tolist()


def csv_outcomes(reader, path):
    """Rows a scene and outcome, counted by the reader from CSV."""
    if reader == "duckdb":
        import duckdb

        query = "select scene, outcome, count(*) from read_csv(?) where outcome is not null group by all"
        return {(scene, outcome): n for scene, outcome, n in duckdb.execute(query, [str(path)]).fetchall()}
    if reader == "polars":
        import polars

        frame = polars.read_csv(path, infer_schema_length=None).drop_nulls("outcome")
        return {(scene, outcome): n for scene, outcome, n in frame.group_by("scene", "outcome").len().rows()}
    import pandas

    frame = pandas.read_csv(path, low_memory=False)
    return {key: int(n) for key, n in frame.groupby(["scene", "outcome"]).size().items()}


def same(text, value):
    """Whether a cell of the CSV file is the value that a reader gives."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return text == ""
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, (int, float)) and text not in ("", "true", "false"):
        # A column of whole numbers with nulls is one of doubles in pandas.
        return float(text) == value and math.copysign(1, float(text)) == math.copysign(1, value)
    return text == str(value)


def faults_of_reader(reader, folder, header, rows):
    names, values = parquet_rows(reader, folder / "ledger.parquet")
    if list(names) != header:
        yield "Parquet has other columns than CSV"
        return
    if len(values) != len(rows):
        yield f"Parquet has {len(values)} rows, CSV {len(rows)}"
        return
    for number, (row, found) in enumerate(zip(rows, values)):
        for name, text, value in zip(header, row, found):
            if not same(text, value):
                yield f"row {number}, `{name}`: CSV {text!r}, Parquet {value!r}"
    expected = {}
    for row in rows:
        scene, outcome = row[header.index("scene")], row[header.index("outcome")]
        if outcome:
            expected[scene, outcome] = expected.get((scene, outcome), 0) + 1
    if csv_outcomes(reader, folder / "ledger.csv") != expected:
        yield "counts other outcomes in CSV"


def faults_of_summary(folder, header, rows):
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    if summary["rows"] != len(rows):
        yield f"summary.json counts {summary['rows']} rows, CSV has {len(rows)}"
    for part, generated in (("recorded", "false"), ("generated", "true")):
        for rules in (summary[part] or {"by_rules": []})["by_rules"]:
            for scene, counts in rules["outcomes"].items():
                for outcome, count in counts.items():
                    wanted = {"scene": scene, "outcome": outcome, "rule_set": rules["rule_set"], "generated": generated}
                    places = [(header.index(name), value) for name, value in wanted.items()]
                    found = sum(all(row[at] == value for at, value in places) for row in rows)
                    if found != count:
                        yield f"summary.json counts {count} {part} {scene} {outcome}, CSV {found}"


def main(folder):
    header, rows = cells(folder / "ledger.csv")
    faults = [f"{len(row)} cells in row {n}" for n, row in enumerate(rows) if len(row) != len(header)]
    faults += faults_of_summary(folder, header, rows)
    read = []
    for reader in READERS:
        try:
            importlib.import_module(reader)
            if reader == "pandas":
                importlib.import_module("pyarrow")
        except ImportError as error:
            print(f"SKIPPED {reader} reads the ledger: {error}")
            continue
        read.append(reader)
        faults += [f"{reader}: {fault}" for fault in faults_of_reader(reader, folder, header, rows)]
    for fault in faults[:50]:
        print(fault)
    if faults:
        sys.exit(1)
    print(f"{len(rows)} rows, {len(header)} columns: read alike by {', '.join(['csv', *read])}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
