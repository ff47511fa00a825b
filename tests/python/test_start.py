# SPDX-License-Identifier: Apache-2.0
"""A start that is refused or killed leaves the run folder as it was; ranks work by their own plan only."""

import pytest

from subcurrent.errors import BadInput, SubcurrentError
from subcurrent.launch import guard
from subcurrent.launch.aside import starting
from subcurrent.launch.plan import Plan, digest, read_plan
from subcurrent.launch.rundir import RunFolder
from subcurrent.rank import worker


def contents(folder: RunFolder) -> dict[str, str]:
    found = sorted(path for path in folder.path.rglob("*") if path.is_file())
    return {str(path.relative_to(folder.path)): path.read_text() for path in found}


@pytest.fixture
def folder(tmp_path):
    """A run with two checkpoints."""
    folder = RunFolder(tmp_path / "run")
    folder.create()
    for path in (folder.case, folder.plan, folder.history, folder.checkpoint(1), folder.checkpoint(2)):
        path.write_text(f"old {path.name}")
    return folder


def write_anew(folder: RunFolder) -> None:
    folder.create()
    for path in (folder.case, folder.plan, folder.log, folder.checkpoint(9)):
        path.write_text("new")


@pytest.mark.parametrize("error", [BadInput("no"), SubcurrentError("a rank died"), KeyboardInterrupt()])
def test_an_overwrite_that_comes_to_nothing_leaves_the_earlier_run(folder, error):
    before = contents(folder)
    with pytest.raises(type(error)), starting(folder, overwrite=True):
        write_anew(folder)
        raise error
    after = contents(folder)
    assert after.pop("log.txt", "none") == ("none" if isinstance(error, BadInput) else "new")
    assert after == before


def test_an_overwrite_that_computes_has_replaced_the_earlier_run(folder):
    with pytest.raises(SubcurrentError), starting(folder, overwrite=True) as computing:
        write_anew(folder)
        computing()
        computing()
        raise SubcurrentError("diverged")
    assert set(contents(folder).values()) == {"new"}


def test_a_refused_resume_leaves_the_plan_as_it_was(folder):
    before = contents(folder)
    with pytest.raises(BadInput), starting(folder, overwrite=False, resume=True):
        folder.case.write_text("new")
        folder.plan.write_text("new")
        raise BadInput("no")
    assert contents(folder) == before


def test_a_refused_first_start_leaves_nothing(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(BadInput), folder.taken(), starting(folder, overwrite=False):
        write_anew(folder)
        raise BadInput("no")
    assert list(tmp_path.iterdir()) == []


class _KilledError(Exception):
    pass


def test_a_start_killed_at_any_moment_leaves_the_earlier_run(tmp_path, monkeypatch):
    """Stops before each change of a name in turn; the next start finds the run that was there."""
    moments = 0
    while True:
        folder = RunFolder(tmp_path / f"run{moments}")
        folder.create()
        for path in (folder.case, folder.plan, folder.checkpoint(1)):
            path.write_text("old")
        before = contents(folder)
        left = [moments]
        with monkeypatch.context() as killing:
            _count_down(killing, left)
            try:
                with starting(folder, overwrite=True):
                    write_anew(folder)
                    raise BadInput("no")  # so that the way back is cut off in its turn too
            except (_KilledError, BadInput):
                pass
        with starting(folder, overwrite=False):
            assert contents(folder) == before, f"moment {moments}"
        if left[0] > 0:
            break
        moments += 1
    assert moments > 8


def _count_down(killing, left: list[int]) -> None:
    def failing(call):
        def counted(*arguments, **options):
            left[0] -= 1
            if left[0] < 0:
                raise _KilledError
            return call(*arguments, **options)

        return counted

    for name in ("rename", "unlink", "rmdir", "mkdir"):
        killing.setattr(f"pathlib.Path.{name}", failing(getattr(type(RunFolder(".").path), name)))


def test_ranks_refuse_a_plan_that_is_not_theirs(tmp_path, capsys):
    plan = Plan("probe", {}, str(tmp_path), 1)
    path = tmp_path / "plan.json"
    path.write_text(plan.text())
    assert Plan.of(read_plan(path, digest(plan.text()))) == plan
    path.write_text(Plan("probe", {}, str(tmp_path), 2).text())
    with pytest.raises(SubcurrentError, match="not the plan that this run was started with"):
        read_plan(path, digest(plan.text()))


def test_a_rank_with_another_plan_never_starts(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(guard, "when_parent_ends", lambda number: None)
    (tmp_path / "plan.json").write_text("{}")
    assert worker.main([str(tmp_path / "plan.json"), digest("other")]) == 1
    assert "another program has overwritten it" in capsys.readouterr().out
