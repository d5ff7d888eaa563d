"""Publications: one metadata record of a DOI, merged from several sources, each field with the source that gave it."""
