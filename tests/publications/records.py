"""One publication as each service tells of it: made up, every documented field there."""

from __future__ import annotations

import json

DOI = "10.5555/sentence"
ABSTRACT = "We asked what a sentence has to have, to be more than the hundred characters that an abstract is known by: it is this one."

CROSSREF = {
    "DOI": "10.5555/Sentence",
    "type": "journal-article",
    "title": ["On <i>sentences</i>"],
    "abstract": f"<jats:title>Abstract</jats:title><jats:p>{ABSTRACT}</jats:p>",
    "author": [
        {"given": "Ann", "family": "Miller", "ORCID": "https://orcid.org/0000-0002-1825-0097"},
        {"name": "The Sentence Group", "sequence": "additional"},
    ],
    "issued": {"date-parts": [[2012, 5]]},
    "published-online": {"date-parts": [[2012, 5, 18]]},
    "published-print": {"date-parts": [[2012, 6]]},
    "publisher": "Words Ltd",
    "container-title": ["Annals of Words"],
    "is-referenced-by-count": 3,
    "license": [
        {"content-version": "tdm", "URL": "https://words.dev/tdm"},
        {"content-version": "vor", "URL": "https://creativecommons.org/licenses/by/4.0/"},
    ],
    "subject": ["Linguistics and Language"],
    "reference": [{"key": "1", "DOI": "10.5555/Cited"}, {"key": "2", "unstructured": "A book."}, {"key": "3", "DOI": "10.5555/cited"}],
    "relation": {"is-referenced-by": [{"id-type": "doi", "id": "10.5555/citing", "asserted-by": "object"}]},
}

DATACITE = {
    "doi": "10.5555/sentence",
    "creators": [
        {
            "name": "Miller, Ann",
            "nameType": "Personal",
            "givenName": "Ann",
            "familyName": "Miller",
            "nameIdentifiers": [{"nameIdentifier": "https://orcid.org/0000-0002-1825-0097", "nameIdentifierScheme": "ORCID"}],
        },
        {"name": "University of Words, Grammar Group", "nameType": "Organizational"},
    ],
    "titles": [{"title": "Sentences", "titleType": "AlternativeTitle"}, {"title": "On sentences"}],
    "publisher": {"name": "Words Repository"},
    "container": {"title": "Data of Words"},
    "publicationYear": 2012,
    "subjects": [{"subject": "Linguistics"}, {"subject": "linguistics", "subjectScheme": "LCSH"}],
    "dates": [{"date": "2012-04", "dateType": "Submitted"}, {"date": "2012-05-18/2012-06-01", "dateType": "Issued"}],
    "types": {"resourceTypeGeneral": "Dataset"},
    "relatedIdentifiers": [
        {"relationType": "References", "relatedIdentifier": "10.5555/cited", "relatedIdentifierType": "DOI"},
        {"relationType": "IsCitedBy", "relatedIdentifier": "10.5555/citing", "relatedIdentifierType": "DOI"},
        {"relationType": "IsCitedBy", "relatedIdentifier": "https://words.dev", "relatedIdentifierType": "URL"},
    ],
    "rightsList": [{"rights": "CC0", "rightsUri": "https://creativecommons.org/publicdomain/zero/1.0/"}],
    "descriptions": [
        {"description": "Two files.", "descriptionType": "TechnicalInfo"},
        {"description": ABSTRACT, "descriptionType": "Abstract"},
    ],
    "citationCount": 3,
}

OPENALEX = {
    "doi": "https://doi.org/10.5555/sentence",
    "title": "On sentences",
    "type": "article",
    "publication_date": "2012-05-18",
    "publication_year": 2012,
    "cited_by_count": 3,
    "abstract_inverted_index": {word: [n for n, one in enumerate(ABSTRACT.split()) if one == word] for word in ABSTRACT.split()},
    "authorships": [
        {"author": {"display_name": "Ann Miller", "orcid": "https://orcid.org/0000-0002-1825-0097"}, "raw_author_name": "Miller A."},
        {"author": {"display_name": None}, "raw_author_name": "B. Baker"},
    ],
    "topics": [{"display_name": "Syntax", "field": {"display_name": "Linguistics"}}],
    "primary_location": {
        "license": "cc-by",
        "raw_type": "journal-article",
        "source": {"display_name": "Annals of Words", "host_organization_name": "Words Ltd", "type": "journal"},
    },
}

OPENAIRE = {
    "id": "doi_dedup___::1",
    "type": "publication",
    "mainTitle": "On sentences",
    "descriptions": ["Short.", f"<p>{ABSTRACT}</p>"],
    "authors": [
        {"fullName": "Baker, Bo", "name": "Bo", "surname": "Baker", "rank": 2, "pid": None},
        {
            "fullName": "Miller, Ann", "name": "Ann", "surname": "Miller", "rank": 1,
            "pid": {"id": {"scheme": "orcid_pending", "value": "0000-0002-1825-0097"}, "provenance": None},
        },
    ],
    "publicationDate": "2012-05-18",
    "publisher": "Words Ltd",
    "container": {"name": "Annals of Words"},
    "subjects": [{"subject": {"scheme": "keyword", "value": "Linguistics"}}],
    "pids": [{"scheme": "doi", "value": "10.5555/SENTENCE"}, {"scheme": "pmid", "value": "17"}],
    "instances": [{"license": None, "pids": [{"scheme": "doi", "value": "10.5555/preprint"}]}, {"license": "CC BY"}],
    "indicators": {"citationImpact": {"citationCount": 3.0}},
}  # fmt: skip

SEMANTIC_SCHOLAR = {
    "paperId": "a1",
    "externalIds": {"DOI": "10.5555/sentence"},
    "title": "On sentences",
    "abstract": ABSTRACT,
    "year": 2012,
    "publicationDate": "2012-05-18",
    "citationCount": 3,
    "venue": "Annals of Words",
    "publicationVenue": {"name": "Annals of Words", "publisher": "Words Ltd"},
    "journal": {"name": "Ann. Words"},
    "fieldsOfStudy": ["Linguistics"],
    "s2FieldsOfStudy": [{"category": "Linguistics", "source": "external"}, {"category": "Computer Science", "source": "s2-fos-model"}],
    "authors": [{"authorId": "1", "name": "Ann Miller"}, {"authorId": "2", "name": None}],
    "references": [{"paperId": "b", "externalIds": {"DOI": "10.5555/cited"}}, {"paperId": "c", "externalIds": None}],
    "citations": [{"paperId": "d", "externalIds": {"DOI": "10.5555/citing"}}],
}

_TAGS = [
    ("citation_title", "On sentences"),
    ("citation_author", "Miller, Ann"),
    ("citation_author_institution", "University of Words"),
    ("citation_author_orcid", "https://orcid.org/0000-0002-1825-0097"),
    ("citation_author", "Bo Baker"),
    ("citation_journal_title", "Annals of Words"),
    ("citation_publication_date", "2012/05/18"),
    ("citation_publisher", "Words Ltd"),
    ("citation_doi", "10.5555/Sentence"),
    ("citation_keywords", "Linguistics; Syntax"),
    ("citation_abstract", ABSTRACT),
    ("citation_reference", "citation_title=Cited; citation_doi=10.5555/cited; citation_year=2001"),
    ("citation_reference", "Baker B. Another. https://doi.org/10.5555/other."),
    ("DCTERMS.isReferencedBy", "https://doi.org/10.5555/citing"),
    ("dc:rights", "https://creativecommons.org/licenses/by/4.0/"),
]
WORK = {
    "@context": "https://schema.org",
    "@type": "ScholarlyArticle",
    "headline": "On sentences",
    "identifier": {"@type": "PropertyValue", "propertyID": "doi", "value": "10.5555/sentence"},
    "interactionStatistic": {"@type": "InteractionCounter", "interactionType": "https://schema.org/CiteAction", "userInteractionCount": 3},
}


def page(tags=_TAGS, works=(WORK,), head=""):
    """A landing page with these meta tags and works."""
    metas = "".join(f'<meta name="{name}" content="{content}">\n' for name, content in tags)
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(work)}</script>' for work in works)
    return f"<!DOCTYPE html><html><head><title>x</title>{head}{metas}{scripts}</head><body><h1>x</h1></body></html>".encode()
