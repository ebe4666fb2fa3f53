"""Outside witnesses of a plan: what is checked is said to be, what is not is not."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import Request, urlopen

import pytest

from dissensus.cli import main
from dissensus.plan.order import UNPROVED, order_of
from dissensus.plan.registering.stamps import checked
from dissensus.tables.provenance import PLAN_FILE, STAMPS_FILE
from registered_study import NOON, ask, register

STUDY = Path("results/demo/trial")
CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = serial
signer_cert = authority.pem
signer_key = authority.key
certs = root.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_chain = no
tsa_name = yes
[stamping]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
[root]
basicConstraints = critical,CA:true
"""


def openssl(folder: Path, *arguments: str) -> None:
    done = subprocess.run(
        ["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a time-stamping server, and the certificate of whom it is trusted by."""
    folder = tmp_path_factory.mktemp("authority")
    (folder / "ts.cnf").write_text(CONFIGURATION, "utf-8")
    (folder / "serial").write_text("01\n", "utf-8")
    new = ("req", "-new", "-newkey", "rsa:2048", "-nodes", "-sha256")
    openssl(folder, *new, "-x509", "-days", "30", "-subj", "/CN=Root", "-keyout", "root.key",
            "-out", "root.pem")  # fmt: skip
    openssl(
        folder, *new, "-subj", "/CN=Clock of the house", "-keyout", "authority.key", "-out", "a.csr"
    )
    openssl(folder, "x509", "-req", "-in", "a.csr", "-CA", "root.pem", "-CAkey", "root.key",
            "-CAcreateserial", "-days", "30", "-extfile", "ts.cnf", "-extensions", "stamping",
            "-out", "authority.pem")  # fmt: skip

    class Clock(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            (folder / "query.tsq").write_bytes(query)
            openssl(folder, "ts", "-reply", "-config", "ts.cnf", "-queryfile", "query.tsq",
                    "-out", "answer.tsr")  # fmt: skip
            self.send_response(200)
            self.end_headers()
            self.wfile.write((folder / "answer.tsr").read_bytes())

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Clock)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder / "root.pem"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A registered plan in a project; its SHA-256."""
    monkeypatch.chdir(tmp_path)
    return register(STUDY, 0)


def answered(address: str) -> Path:
    """What the server says to the query that the command wrote."""
    assert main(["stamp", "demo", "--query", "plan.tsq"]) == 0
    with urlopen(Request(address, Path("plan.tsq").read_bytes())) as said:
        Path("answer.tsr").write_bytes(said.read())
    return Path("answer.tsr")


def said() -> list[str]:
    order = order_of(STUDY)
    assert order is not None
    return [*order.sentences()]


def proof() -> str:
    order = order_of(STUDY)
    assert order is not None
    return order.proof


def minutes_from_noon() -> int:
    """What `ask` of the tests of order counts, from its noon on, until now."""
    return int((datetime.now(UTC) - NOON).total_seconds() // 60)


def test_without_a_stamp_nobody_else_proves_it() -> None:
    assert said()[-1] == UNPROVED and proof() == "when is not proved by anybody else"


def test_an_answer_is_verified_and_named(authority: tuple[str, Path], plan: str) -> None:
    address, root = authority
    assert main(["stamp", "demo", "--answer", str(answered(address)), "--trust", str(root)]) == 0
    ask(STUDY, "d1", minutes_from_noon() + 60, plan)
    (sentence,) = [each for each in said() if "RFC 3161" in each]
    assert "Clock of the house" in sentence and "before the first call" in sentence
    # Anybody can be an authority for himself.
    assert "this system does not know" in sentence and "for you to judge" in sentence
    assert UNPROVED not in said() and proof().startswith("stamped 2")
    assert [wrong for wrong, _ in checked(STUDY, plan)] == [False]


def test_a_stamp_of_after_the_first_call_shows_nothing(
    authority: tuple[str, Path], plan: str
) -> None:
    address, root = authority
    assert main(["stamp", "demo", "--answer", str(answered(address)), "--trust", str(root)]) == 0
    ask(STUDY, "d1", minutes_from_noon() - 60, plan)
    assert any("it does not say what came first" in each for each in said())
    assert said()[-1] == UNPROVED and proof() == "when is not proved by anybody else"


def test_without_its_certificate_a_stranger_is_not_believed(
    authority: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stamp", "demo", "--answer", str(answered(authority[0]))]) == 1
    assert "is not stamped: openssl does not verify it" in capsys.readouterr().err
    assert not (STUDY / STAMPS_FILE).exists()


def test_the_stamp_of_another_plan_is_refused_and_found(
    authority: tuple[str, Path], plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results moved away, a plan written anew, the old plan's stamp kept."""
    address, root = authority
    answer = answered(address)
    arguments = ["stamp", "demo", "--answer", str(answer), "--trust", str(root)]
    assert main(arguments) == 0
    other = register(STUDY, 0, draws=2)
    assert [*checked(STUDY, other)] == [(True, "a stamp is of another plan")]
    assert said()[-1] == UNPROVED and any("of another plan" in each for each in said())
    assert main(arguments) == 1
    assert "openssl does not verify it" in capsys.readouterr().err
    # And with its digest put into the stamp.
    held = json.loads((STUDY / STAMPS_FILE).read_text("utf-8"))
    held["stamps"][0]["plan_sha256"] = other
    (STUDY / STAMPS_FILE).write_text(json.dumps(held), "utf-8")
    ((is_wrong, sentence),) = checked(STUDY, other)
    assert is_wrong and "does not hold: openssl does not verify it" in sentence
    assert said()[-1] == UNPROVED


@pytest.mark.parametrize(
    ("option", "given", "address"),
    [
        ("--doi", "10.5281/zenodo.123", "https://doi.org/10.5281/zenodo.123"),
        ("--osf", "https://osf.io/ab3de", "https://osf.io/ab3de"),
    ],
)
def test_a_deposit_is_noted_and_said_to_be_unchecked(
    option: str, given: str, address: str, plan: str
) -> None:
    assert main(["stamp", "demo", option, given]) == 0
    (sentence,) = [each for each in said() if address in each]
    assert "this was not checked" in sentence
    assert said()[-1] == "When this was, they can tell who keep it; it was not checked here."
    assert proof().endswith("not checked")
    assert [*checked(STUDY, plan)] == [
        (False, f"{address} is noted, and cannot be checked from here")
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo", "--doi", "zenodo"], "is no DOI"),
        (["demo", "--osf", "osf"], "is no address of OSF"),
        (["other", "--osf", "https://osf.io/ab3de"], "run other has no plan"),
        (["demo", "--answer", "none.tsr"], "none.tsr cannot be read"),
        (["demo", "--answer", f"{STUDY}/{PLAN_FILE}"], "no answer of a time-stamping authority"),
        (["demo", "--commit", "HEAD"], "there is no commit HEAD"),
    ],
)
def test_what_is_no_stamp_is_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stamp", *arguments]) == 1
    assert sentence in capsys.readouterr().err
    assert not (STUDY / STAMPS_FILE).exists()


def test_of_several_plans_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    register(STUDY.with_name("other"), 0)
    assert main(["stamp", "demo", "--osf", "https://osf.io/ab3de"]) == 1
    assert "has plans of other, trial; name one with --study" in capsys.readouterr().err
    assert main(["stamp", "demo", "--study", "other", "--osf", "https://osf.io/ab3de"]) == 0


def git(*arguments: str) -> str:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *named, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def remote(tmp_path: Path) -> Callable[[], None]:
    """A repository of the project, whose remote lacks what is not pushed; pushes when called."""
    git("init", "--quiet", "--bare", "kept.git")
    git("init", "--quiet", "--initial-branch=main")
    git("remote", "add", "origin", str(tmp_path / "kept.git"))
    git("add", "results")
    git("commit", "--quiet", "-m", "The plan")
    return lambda: git("push", "--quiet", "origin", "main") and None


def test_a_commit_that_a_remote_has_is_checked(
    remote: Callable[[], None], plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stamp", "demo", "--commit", "HEAD"]) == 1
    assert "shows no branch that has commit" in capsys.readouterr().err
    remote()
    assert main(["stamp", "demo", "--commit", "HEAD"]) == 0
    assert [wrong for wrong, _ in checked(STUDY, plan)] == [False]
    # A folder of the same machine is nobody else.
    assert any("which nobody else keeps" in each for each in said()) and said()[-1] == UNPROVED
    shutil.rmtree("kept.git")
    ((is_wrong, sentence),) = checked(STUDY, plan)
    assert not is_wrong and "could not be asked" in sentence


def test_a_remote_that_lost_the_commit_is_found(remote: Callable[[], None], plan: str) -> None:
    remote()
    assert main(["stamp", "demo", "--commit", "HEAD"]) == 0
    git("commit", "--quiet", "--amend", "-m", "Another")
    git("push", "--quiet", "--force", "origin", "main")
    ((is_wrong, sentence),) = checked(STUDY, plan)
    assert is_wrong and "shows no branch that has commit" in sentence


def test_a_commit_without_the_plan_is_no_stamp(
    remote: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    remote()
    register(STUDY, 0, draws=2)
    assert main(["stamp", "demo", "--commit", "HEAD"]) == 1
    assert "holds no file that is" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stamps": [{"kind": "x"}]}'])
def test_damaged_stamps_are_a_sentence(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (STUDY / STAMPS_FILE).write_text(content, "utf-8")
    assert main(["stamp", "demo", "--osf", "https://osf.io/ab3de"]) == 1
    assert "holds no stamps that this program noted" in capsys.readouterr().err
