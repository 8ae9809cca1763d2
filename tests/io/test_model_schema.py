"""The JSON Schema accepts every shipped model and refuses what the reader refuses, as an independent program sees it."""
import json
import os
import pathlib
import re
import subprocess
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
PROGRAM = os.environ["HOOKE_PROGRAM"]


def load(text):
    """YAML 1.2, where 1e-3 is a number; PyYAML on its own speaks 1.1."""

    class Loader(yaml.SafeLoader):
        pass

    number = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+.0123456789"))
    return yaml.load(text, Loader)


@unittest.skipUnless(jsonschema, "needs the packages python3-jsonschema and python3-yaml")
@unittest.skipUnless(os.path.exists(PROGRAM), "needs the program")
class ModelSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([PROGRAM, "schema"], check=True, capture_output=True, text=True).stdout
        schema = json.loads(text)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def errors(self, text):
        return [f"{list(e.path)}: {e.message}" for e in self.validator.iter_errors(load(text))]

    def test_accepts_the_shipped_models(self):
        models = sorted(path for path in ROOT.glob("models/**/*.yaml") if path.parent.name != "studies")
        self.assertGreater(len(models), 10)
        for model in models:
            with self.subTest(model.name):
                self.assertEqual(self.errors(model.read_text()), [])

    def test_refuses_what_is_wrong(self):
        for text in (
            "title: a",
            "hooke: 1\nbody: {}",
            "hooke: 1\nbodies: {a: {rigid: {mass: -1}}}",
            "hooke: 1\nbodies: {a: {at: [0, 0, 0]}}",
            "hooke: 1\njoints: {a: {revolut: [b, c]}}",
            "hooke: 1\njoints: {a: {revolute: [b, c, d]}}",
            "hooke: 1\nforces: {a: {spring: [b, c], stifness: 1}}",
            "hooke: 1\nrun: {step: fast}",
        ):
            with self.subTest(text):
                self.assertNotEqual(self.errors(text), [])


if __name__ == "__main__":
    unittest.main()
