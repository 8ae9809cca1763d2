"""The classes of what can be set: one for each thing that a model file can name.

They are made when the package is imported, from the descriptions by which model files are read, so that their names,
keywords, units and defaults are those of the files. A key that Python could not write has an underscore in place of a
hyphen, or behind it: `torsion_spring`, `in_`, `from_`.
"""

from ._settings import registry, root

globals().update(registry)
__all__ = sorted(set(registry) - {root})
