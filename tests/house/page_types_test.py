#!/usr/bin/env python3
"""The types of the web page's JavaScript: TypeScript checks cli/html/page by its JSDoc (cli/html/tsconfig.json)."""
import subprocess
import tempfile
import unittest

from repository import SOURCE

COMPILER = SOURCE / "build" / "readers" / "node_modules" / "typescript" / "bin" / "tsc"
PROJECT = SOURCE / "cli" / "html" / "tsconfig.json"


def check(project):
    assert COMPILER.exists(), f"there is no {COMPILER}: `./dev deps test` installs it"
    done = subprocess.run(["node", COMPILER, "--project", project], cwd=SOURCE, capture_output=True, text=True)
    assert done.returncode in (0, 1, 2), done  # 1, 2: there are errors
    return done.stdout + done.stderr


class PageTypes(unittest.TestCase):
    def test_the_page_is_clean(self):
        self.assertEqual(found := check(PROJECT), "", "\n" + found)

    def test_a_fault_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/bad.js", "w") as file:
                file.write('/** @type {number} */\nexport const a = "text";\n')
            with open(f"{folder}/tsconfig.json", "w") as file:
                file.write(f'{{"extends": "{PROJECT}", "compilerOptions": {{"types": [], "lib": ["es2022"]}}, "include": ["bad.js"]}}')
            self.assertIn("error TS2322", check(folder))


if __name__ == "__main__":
    unittest.main()
