from litcrawl.places import caption, place


def body(media_type="application/pdf", source="lab", version=None):
    return {"kind": "body", "media_type": media_type, "source": source, "version": version, "filename": "x"}


def supplement(filename):
    return {"kind": "supplementary", "media_type": "text/csv", "source": "lab", "version": None, "filename": filename}


def put(file, taken=(), versioned=False):
    return place("pmc/PMC1", file, taken=taken, versioned=versioned)


def test_a_body_is_named_by_its_kind():
    assert put(body()) == "pmc/PMC1/body.pdf"
    assert put(body("application/jats+xml")) == "pmc/PMC1/body.xml"
    assert put(body("application/vnd.elsevier+xml")) == "pmc/PMC1/body.xml"
    assert put(body("text/plain")) == "pmc/PMC1/body.txt"


def test_versions_are_named_where_they_were_asked_for():
    assert put(body(version=2)) == "pmc/PMC1/body.pdf"
    assert put(body(version=2), versioned=True) == "pmc/PMC1/body.v2.pdf"
    assert put(body(), versioned=True) == "pmc/PMC1/body.pdf"


def test_further_renditions_are_named_by_their_source():
    taken = ["pmc/PMC1/body.pdf"]
    assert put(body(), taken) == "pmc/PMC1/body.lab.pdf"
    taken.append("pmc/PMC1/body.lab.pdf")
    assert put(body(), taken) == "pmc/PMC1/body.lab-2.pdf"
    taken.append("pmc/PMC1/body.lab-2.pdf")
    assert put(body(), taken) == "pmc/PMC1/body.lab-3.pdf"
    assert put(body(source="other"), taken) == "pmc/PMC1/body.other.pdf"


def test_supplements_keep_their_names_and_never_meet():
    assert put(supplement("S1 Table.csv")) == "pmc/PMC1/supplementary/S1 Table.csv"
    again = put(supplement("s1 table.CSV"), ["pmc/PMC1/supplementary/S1 Table.csv"])
    assert again.casefold() != "pmc/PMC1/supplementary/S1 Table.csv".casefold()
    assert again.startswith("pmc/PMC1/supplementary/")


def test_nothing_leaves_the_articles_folder():
    for name in ("../../x", "/etc/passwd", "..", "", None, "a/../../b", "C:\\x"):
        path = put(supplement(name))
        assert path.startswith("pmc/PMC1/supplementary/")
        assert len(path.split("/")) == 4
        assert path.split("/")[-1] not in ("", ".", "..")


def test_a_caption_is_found_with_or_without_the_ending():
    captions = {"s1.csv": {"description": "Table S1", "role": "data"}, "fig2": {"description": "Figure 2", "role": "figure"}}
    assert caption("s1.csv", captions)["description"] == "Table S1"
    assert caption("fig2.jpg", captions)["role"] == "figure"
    assert caption("other.csv", captions) is None
    assert caption(None, captions) is None
