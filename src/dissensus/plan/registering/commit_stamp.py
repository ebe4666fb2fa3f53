"""A plan in a commit that a remote repository has: its host keeps it, and may say since when."""

from __future__ import annotations

import subprocess
from pathlib import Path

from dissensus.errors import ResourceError

_SECONDS = 30.0


class Unreachable(ResourceError):
    """A remote did not answer, so that nothing is known of it."""


def address_of(remote: str) -> str:
    """The address of a remote that is named, such as origin; an address as it is."""
    return _git("remote", "get-url", remote, may_fail=True) or remote


def is_near(address: str) -> bool:
    """Whether a remote is a folder of this machine, which nobody else keeps."""
    return address.startswith("file:") or Path(address).exists()


def check_commit(commit: str, remote: str, plan: Path) -> str:
    """That a commit holds a plan and that a remote has it; its whole name.

    Raises
    ------
    Unreachable : the remote does not answer.
    ResourceError : there is no such commit here, it holds no such file, or the remote lacks it.
    """
    whole = _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", may_fail=True)
    if not whole:
        raise ResourceError(f"there is no commit {commit} in this repository")
    blob = _git("hash-object", "--no-filters", str(plan))
    if blob not in _git("ls-tree", "-r", whole).replace("\t", " ").split():
        raise ResourceError(f"commit {whole} holds no file that is {plan} to the byte")
    tips = {line.split()[0] for line in _asked(remote).splitlines() if line.strip()}
    for tip in tips:
        if tip == whole or _is_before(whole, tip):
            return whole
    raise ResourceError(
        f"{remote} shows no branch that has commit {whole}; push it, and fetch what it has"
    )


def _asked(remote: str) -> str:
    try:
        return _git("ls-remote", remote)
    except ResourceError as error:
        raise Unreachable(str(error)) from None


def _is_before(commit: str, tip: str) -> bool:
    asked = ["git", "merge-base", "--is-ancestor", commit, tip]
    return not subprocess.run(asked, capture_output=True, check=False).returncode


def _git(*arguments: str, may_fail: bool = False) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ResourceError(f"git does not run ({error})") from None
    if done.returncode and not may_fail:
        raise ResourceError(f"git {arguments[0]} says: {done.stderr.strip()[-300:]}")
    return "" if done.returncode else done.stdout.strip()
