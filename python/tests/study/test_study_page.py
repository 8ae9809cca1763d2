"""The page of a study: one file, data that stay data, and a server for animations."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from test_study_runs import CRANK

import hooke
from hooke.study.page import page_of, save_view
from hooke.study.page.server import make_server

ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
HOSTILE = "</script><script>window.injected = 1</script><img src=x onerror='window.injected = 2'>"


@pytest.fixture(scope="module")
def crank(tmp_path_factory):
    vary = {**CRANK["vary"], "method": {"key": "run.integrator", "values": ["hht", "newmark"]}}
    return hooke.study(
        {**CRANK, "vary": vary, "title": f"Cranks {HOSTILE}"},
        design={"latin-hypercube": 24},
        out=tmp_path_factory.mktemp("page"),
    )


def test_the_policy_allows_this_script_and_style_alone(crank):
    page = page_of(crank)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert page.count("</script>") == 2 and HOSTILE not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_what_fails_is_on_the_page():
    vary = {"mass": {"key": "bodies.slider.rigid.mass", "values": [1, -1]}}
    data = json.loads(
        re.search(
            r'id="study">(.*?)</script>', page_of(hooke.study({**CRANK, "vary": vary}, design="grid")), re.DOTALL
        )[1]
    )
    assert data["columns"]["stroke"][1] is None and "must be positive" in data["reasons"]["1"]


def test_the_page_in_a_browser(crank):
    modules = ROOT / "viewer" / "node_modules" / "playwright-core"
    browser = os.environ.get("HOOKE_BROWSER") or shutil.which("chromium")
    if shutil.which("node") is None or not modules.exists() or not browser:
        pytest.skip("no node, playwright-core or chromium (tools/setup viewer, make viewer)")
    save_view(crank, 1)
    path = pathlib.Path(crank.folder) / "study.html"
    path.write_text(page_of(crank))
    done = subprocess.run(
        ["node", str(ROOT / "tests" / "viewer" / "study.mjs"), str(path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["complaints"] == [] and found["requests"] == [] and found["injected"] is None
    assert found["heading"] == found["title"] == f"Cranks {HOSTILE}"
    assert found["chips"] == ["24 runs", "all finished"] and all(count > 1000 for count in found["drawn"].values())
    assert found["outputs"].split()[:4] == ["least", "mean", "greatest", "stroke"]
    assert found["chosen"] == "Run 1" and found["link"] == "views/1.html" and "stroke" in found["run"]
    assert 9 <= found["kept"] <= 15


def test_a_click_on_a_run_makes_its_animation(crank):
    server = make_server(crank, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        assert "Parallel coordinates" in urllib.request.urlopen(f"{address}/").read().decode()
        assert "Content-Security-Policy" in urllib.request.urlopen(f"{address}/views/5.html").read().decode()
        assert (pathlib.Path(crank.folder) / "views" / "5.html").exists()
        for path, host, status in (
            ("/views/24.html", None, 404),
            ("/views/../study.html", None, 404),
            ("/", "elsewhere", 403),
        ):
            request = urllib.request.Request(address + path, headers={"Host": host} if host else {})
            with pytest.raises(urllib.error.HTTPError) as error:
                urllib.request.urlopen(request)
            assert error.value.code == status
    finally:
        server.shutdown()
        server.server_close()
