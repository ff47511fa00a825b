# SPDX-License-Identifier: Apache-2.0
"""Tables that grow with a run: what a resumed run keeps of the rows, and what is refused."""

import pytest

from subcurrent.errors import BadInput
from subcurrent.rank.table import GrowingTable

NAMES = ("step", "time", "seconds")


def grown(path, rows, kept_until=None):
    """The rows that were kept."""
    table = GrowingTable(path, NAMES)
    kept = table.open(kept_until)
    table.add(rows)
    table.close()
    return kept


def test_rows_are_on_disk_after_a_flush(tmp_path):
    path = tmp_path / "t.csv"
    table = GrowingTable(path, NAMES)
    assert table.open() == []
    assert path.read_bytes() == b"step,time,seconds\n"
    table.add([[1, 0.1, "0.5"], [2, 0.2, "1.0"]])
    table.flush()
    assert path.read_bytes() == b"step,time,seconds\n1,0.1,0.5\n2,0.2,1.0\n"
    table.close()


def test_a_new_run_begins_anew(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("of another run\n")
    assert grown(path, [[1, 0.1, 0.5]]) == []
    assert path.read_text() == "step,time,seconds\n1,0.1,0.5\n"


@pytest.mark.parametrize("last", ["", "6,0.", "6,0.8", "6,0.8,3"])
def test_a_resumed_run_keeps_whole_rows_up_to_the_checkpoint(tmp_path, last):
    """Nothing is kept of a last row without its end."""
    path = tmp_path / "t.csv"
    grown(path, [[2, 0.2, 1.0], [4, 0.4, 2.0], [4, 0.4, 2.5], [6, 0.6, 3.0]])
    path.write_text(path.read_text() + last)
    kept = grown(path, [[6, 0.7, 9.0]], kept_until=5)
    assert kept == [["2", "0.2", "1.0"], ["4", "0.4", "2.0"], ["4", "0.4", "2.5"]]
    assert path.read_text() == "step,time,seconds\n2,0.2,1.0\n4,0.4,2.0\n4,0.4,2.5\n6,0.7,9.0\n"
    path.write_text(path.read_text() + last)
    assert len(grown(path, [], kept_until=6)) == 4


def test_a_resumed_run_starts_a_table_that_is_not_there(tmp_path):
    path = tmp_path / "t.csv"
    assert grown(path, [[1, 0.1, 0.5]], kept_until=5) == []
    assert path.read_text() == "step,time,seconds\n1,0.1,0.5\n"


def test_other_columns_are_refused_and_left_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("step,seconds\n1,0.5\n")
    with pytest.raises(BadInput, match=r"t\.csv is damaged: its columns are not step, time and seconds;"):
        GrowingTable(path, NAMES).open(kept_until=5)
    assert path.read_text() == "step,seconds\n1,0.5\n"
