import json
import os
import subprocess
import sys

import pytest
from crawling import project_settings

from litcrawl.checks import check_contact, check_secrecy, check_settings, unknown_settings
from litcrawl.exceptions import BadArgument
from litcrawl.recording import MODES


def test_the_projects_own_settings_pass():
    check_settings(project_settings())
    check_settings(project_settings(LITCRAWL_CONTACT="someone@library.uni.edu", LITCRAWL_PATIENCE="0.5"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JOBDIR", "jobs/1"),
        ("LITCRAWL_CONTACT", "nobody"),
        ("LITCRAWL_OPEN_ARTICLES", "0"),
        ("LITCRAWL_OPEN_ARTICLES", "many"),
        ("LITCRAWL_STREAM_SIZE", "8 MiB"),
        ("LITCRAWL_MAX_FILE_SIZE", "-1"),
        ("LITCRAWL_MIN_FREE", "1.5"),
        ("LITCRAWL_WORKERS", ""),
        ("LITCRAWL_PATIENCE", "long"),
        ("LITCRAWL_LICENCES", "CCBY"),
        ("LITCRAWL_LICENCES", "CC-BY-4.0,CC-BY"),
        ("LITCRAWL_LICENCES", ["CC-BX-*"]),
        ("LITCRAWL_LICENCES", "GPL-2.0"),
        ("LITCRAWL_RECORD", "always"),
        ("LITCRAWL_SLOTS", {"a.test": {"delay": -1}}),
        ("LITCRAWL_ELSEVIER_API_KEY", "two words"),
        ("LITCRAWL_SPRINGER_API_KEY", "line\nbreak"),
        ("LITCRAWL_WILEY_TDM_TOKEN", "schlüssel"),
        ("LITCRAWL_OPENALEX_API_KEY", "abc12"),
        ("LITCRAWL_PROXY", "link.springer.com"),
        ("LITCRAWL_IMPERSONATE", "lynx"),
        ("LITCRAWL_BACKOFF", "3"),
        ("LITCRAWL_BACKOFF", [60, 0.5]),
        ("LITCRAWL_CLOSED", "x"),
        ("LITCRAWL_CLOSED", 7),
        ("LITCRAWL_SLOTS", "foo"),
        ("LITCRAWL_SLOTS", {"a.test": 3}),
        ("LITCRAWL_IMPERSONATE", ""),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named_in_one_line(name, value):
    with pytest.raises(BadArgument) as raised:
        check_settings(project_settings(**{name: value}))
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)
    if name.endswith(("KEY", "TOKEN")):
        assert value not in str(raised.value)


def test_credentials_and_routes_that_can_be_meant_pass():
    check_settings(project_settings(LITCRAWL_ELSEVIER_API_KEY=" 0123456789abcdef ", LITCRAWL_IMPERSONATE="firefox"))
    check_settings(project_settings(LITCRAWL_PROXY='{".springer.com": "http://u:p@proxy.lib.test:3128"}'))


@pytest.mark.parametrize("name", ["LITCRAWL_ELSEVIER_API_KEY", "elsevier_api_key", "ncbi_api_key", "proxy", "kafka_password"])
def test_a_credential_is_no_argument(name):
    with pytest.raises(BadArgument, match=r"no argument; set LITCRAWL_\w+ in the environment") as raised:
        check_secrecy(project_settings(), {"ids": "1", name: "sesame-key"})
    assert "sesame" not in str(raised.value)


@pytest.mark.parametrize("name", ["LITCRAWL_ELSEVIER_API_KEY", "LITCRAWL_PROXY", "LITCRAWL_KAFKA_PASSWORD"])
def test_a_credential_is_no_setting_of_a_job(name):
    settings = project_settings()
    settings.set(name, "sesame-key", "cmdline")
    check_secrecy(settings, {"ids": "1"})
    with pytest.raises(BadArgument, match=f"{name}: Scrapyd keeps and shows") as raised:
        check_secrecy(settings, {"ids": "1", "_job": "7"})
    assert "sesame" not in str(raised.value)
    of_the_node = project_settings()
    of_the_node.set(name, "sesame-key", "project")
    check_secrecy(of_the_node, {"ids": "1", "_job": "7"})


@pytest.mark.parametrize("address", ["postgresql://u:sesame@host/name", "postgresql://host/name?user=u&password=sesame"])
def test_a_database_with_its_password_is_no_argument_and_no_setting_of_a_job(address):
    with pytest.raises(BadArgument, match="db: a credential is no argument") as raised:
        check_secrecy(project_settings(), {"ids": "1", "db": address})
    assert "sesame" not in str(raised.value)
    settings = project_settings()
    settings.set("LITCRAWL_DB", address, "cmdline")
    check_secrecy(settings, {"ids": "1"})
    with pytest.raises(BadArgument, match="LITCRAWL_DB: Scrapyd keeps and shows"):
        check_secrecy(settings, {"ids": "1", "_job": "7"})
    settings.set("LITCRAWL_DB", "postgresql://host/name", "cmdline")
    check_secrecy(settings, {"ids": "1", "_job": "7"})


def test_cassettes_that_are_there_pass(tmp_path):
    (tmp_path / "x.example.json").write_text('{"http_interactions": [], "recorded_with": "x"}')
    (tmp_path / "y.example.json").touch()
    for mode in MODES:
        check_settings(project_settings(LITCRAWL_CASSETTE=str(tmp_path), LITCRAWL_RECORD=mode))


@pytest.mark.parametrize("licences", ["", "CC-BY-*,CC0-1.0", "cc-by-4.0, NONE", "LicenseRef-CC-BY,LicenseRef-arXiv-*", ["MIT"]])
def test_licences_that_can_be_meant_pass(licences):
    check_settings(project_settings(LITCRAWL_LICENCES=licences))


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all"])
def test_a_folder_that_recording_will_make_passes(tmp_path, mode):
    check_settings(project_settings(LITCRAWL_CASSETTE=str(tmp_path / "new"), LITCRAWL_RECORD=mode))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["", "missing", "file"])
def test_a_folder_without_cassettes_cannot_be_played(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(BadArgument, match="LITCRAWL_CASSETTE=") as raised:
        check_settings(project_settings(LITCRAWL_CASSETTE=str(tmp_path / name)))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"{", b"[]", b"7", b'{"a": 1}', b'{"http_interactions": 1}', b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("mode", MODES)
def test_a_damaged_cassette_is_named_before_the_crawl(tmp_path, content, mode):
    (tmp_path / "x.example.json").write_bytes(content)
    with pytest.raises(BadArgument, match=r"x\.example\.json is no cassette") as raised:
        check_settings(project_settings(LITCRAWL_CASSETTE=str(tmp_path), LITCRAWL_RECORD=mode))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("contact", ["a@b.org", "first.last+tag@sub.library.ac.uk"])
def test_an_address_passes(contact):
    check_contact(contact)


@pytest.mark.parametrize(
    "contact",
    ["a", "a@b", "@b.org", "a@", "a@@b.org", "a@b.org, c@d.org", "A <a@b.org>", "a b@c.org", "ä@b.org", "a@.org", "a@b.org\nX-Evil: 1"],
)
def test_what_is_no_address_does_not(contact):
    with pytest.raises(BadArgument, match="give one e-mail address"):
        check_contact(contact)


@pytest.mark.parametrize("contact", ["you@example.com", "you@EXAMPLE.org", "you@mail.example.net", "you@your-library.tld"])
def test_a_placeholder_does_not(contact):
    with pytest.raises(BadArgument, match="placeholder"):
        check_contact(contact)


def test_a_misspelt_setting_is_told_the_nearest():
    given = {"LITCRAWL_CONTACTT": "a@b.org", "LITCRAWL_NCBI_KEY": "k", "LITCRAWL_XYZZY": 1, "LITCRAWL_NCBI_API_KEY": "k", "CONTACT": 1}
    assert list(unknown_settings(project_settings(**given))) == [
        "LITCRAWL_CONTACTT is no setting of litcrawl (did you mean LITCRAWL_CONTACT?)",
        "LITCRAWL_NCBI_KEY is no setting of litcrawl (did you mean LITCRAWL_NCBI_API_KEY?)",
        "LITCRAWL_XYZZY is no setting of litcrawl",
    ]
    assert list(unknown_settings(project_settings())) == []


@pytest.mark.parametrize("where", ["environment", ".env"])
def test_settings_of_the_environment_are_read_those_of_third_parties_too_and_misspelt_ones_are_told(tmp_path, where):
    given = {"LITCRAWL_ELSEVIER_API_KEY": " of-the-environment ", "LITCRAWL_LAB_KEY": "of-the-laboratory", "LITCRAWL_CONTCT": "a@b.org"}
    script = """
import json
from litcrawl.checks import unknown_settings
from scrapy.settings import Settings
settings = Settings()
settings.setmodule("litcrawl.settings")
print(json.dumps([settings["LITCRAWL_ELSEVIER_API_KEY"], settings["LITCRAWL_LAB_KEY"], *sorted(unknown_settings(settings))]))
"""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITCRAWL_")}
    if where == ".env":
        (tmp_path / ".env").write_text("".join(f"{name}={value!r}\n" for name, value in given.items()))
    else:
        env |= given
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)  # noqa: S603
    assert json.loads(done.stdout) == [
        "of-the-environment",
        "of-the-laboratory",
        "LITCRAWL_CONTCT is no setting of litcrawl (did you mean LITCRAWL_CONTACT?)",
        "LITCRAWL_LAB_KEY is no setting of litcrawl",
    ], done.stderr
