"""Test helpers are modules beside this file. Hypothesis asserts no time: machines are shared, and a fresh clone builds its tables anew."""

from hypothesis import HealthCheck, settings

settings.register_profile("litcrawl", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("litcrawl")
