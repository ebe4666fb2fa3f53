"""Time stamps by an authority (RFC 3161), which the ``openssl`` command asks for and verifies."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from dissensus.errors import ResourceError

_TIME = re.compile(r"^Time stamp: (.+?) GMT$", re.M)
_AUTHORITY = re.compile(r"^TSA: (?!unspecified)(?:DirName:)?(.+)$", re.M)
#: Seconds that openssl may take.
_SECONDS = 20.0


@dataclass(frozen=True)
class TimeStamp:
    """An answer that verifies.

    Attributes
    ----------
    time : UTC, as the authority says it.
    authority : its name in the answer; "" where it gives none.
    is_known : whether this system's own list of authorities has it, rather than a certificate that
        was given with the answer alone.
    """

    time: datetime
    authority: str
    is_known: bool


def query(digest: str) -> bytes:
    """What an authority is sent to have a digest stamped; ``digest``: SHA-256 in hexadecimal.

    Raises
    ------
    ResourceError : there is no openssl here.
    """
    return _openssl("-query", "-digest", digest, "-sha256", "-cert").stdout


def stamped(answer: bytes, digest: str, trusted: str = "") -> TimeStamp:
    """An authority's answer to a query, once it is verified.

    Parameters
    ----------
    answer : in DER, as the authority sent it.
    digest : SHA-256, in hexadecimal, of what should be stamped.
    trusted : certificates in PEM that are trusted beside the system's.

    Raises
    ------
    ResourceError : it is no stamp of this digest, or nobody who is trusted made it, or there is no
        openssl here.
    """
    with TemporaryDirectory() as place:
        answered, pem = Path(place, "answer.tsr"), Path(place, "trusted.pem")
        answered.write_bytes(answer)
        pem.write_text(trusted, encoding="utf-8")
        said = _openssl("-reply", "-in", str(answered), "-text")
        text = said.stdout.decode(errors="replace")
        found = _TIME.search(text)
        if said.returncode or not found:
            raise ResourceError("it is no answer of a time-stamping authority")
        # A month may stand with one digit and two spaces.
        read = " ".join(found[1].split())
        whole, _, rest = read.partition(".")
        year = rest.split()[1:]
        time = datetime.strptime(" ".join([whole, *year]), "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
        why = ""
        for is_known, places in _trust(pem):
            done = _openssl(
                *("-verify", "-digest", digest, "-in", str(answered), *places),
                # Long after, its certificate may have ended.
                *("-attime", str(int(time.timestamp()))),
            )
            if not done.returncode:
                authority = _AUTHORITY.search(text)
                return TimeStamp(time, authority[1] if authority else "", is_known)
            why = _reason(done.stderr.decode(errors="replace"))
    raise ResourceError(f"openssl does not verify it: {why}")


def _trust(pem: Path) -> Iterator[tuple[bool, Sequence[str]]]:
    """Whom to trust: the system's authorities, then certificates that were given."""
    asked = subprocess.run(
        ["openssl", "version", "-d"], capture_output=True, text=True, check=False
    )
    place = asked.stdout.partition('"')[2].partition('"')[0]
    if place and Path(place, "certs").is_dir():
        yield True, ("-CApath", f"{place}/certs")
    if pem.stat().st_size:
        yield False, ("-CAfile", str(pem), "-untrusted", str(pem))


def _openssl(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["openssl", "ts", *arguments], capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ResourceError(
            f"the openssl command, which checks it, does not run ({error})"
        ) from None


def _reason(said: str) -> str:
    """The last thing that openssl complained of, without the places in its code."""
    lines = [line.strip() for line in said.splitlines() if ":" in line]
    parts = lines[-1].split(":") if lines else ["it does not say why"]
    named = [part for part in parts[4:6] if part and "/" not in part] if len(parts) > 6 else parts
    return ", ".join(named) or parts[-1]
