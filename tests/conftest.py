"""Test helpers are modules beside this file."""
