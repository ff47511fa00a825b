# SPDX-License-Identifier: Apache-2.0
"""The site in a browser, as wide as a telephone and as a desk: no page is wider than its window, pictures
and drawings appear. Skipped without Chromium, which `tools/bootstrap --browser` installs."""

import http.server
import json
import re
import shutil
import subprocess
import sys
import threading

import pytest

from conftest import ROOT, completed

SITE = ROOT / "build" / "docs" / "site"
WIDTHS = (390, 1440)
# Of each kind some, and those with the widest tables and programs.
PAGES = (
    "index.html", "cases/index.html", "docs/tutorials/first_run.html", "docs/howto/xarray.html",
    "docs/explanation/hiding.html", "docs/architecture.html", "docs/files.html", "docs/foresight.html",
    "docs/halo_functions.html", "solvers/compressible/index.html", "solvers/cavity/index.html",
)  # fmt: skip

# Loads each page in a frame of each width and writes what it finds into the document that the browser prints.
PROBE = """<!doctype html><body><pre id="found"></pre><script>
const jobs = %s, found = [];
function next() {
  if (!jobs.length) { document.getElementById("found").textContent = JSON.stringify(found) + "END"; return; }
  const [page, width] = jobs.shift(), frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = "/" + page;
  frame.onload = () => setTimeout(() => {
    const seen = frame.contentDocument;
    found.push({page, width, title: seen.title, reaches: seen.documentElement.scrollWidth,
      missing: [...seen.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src),
      drawings: seen.querySelectorAll("pre.mermaid").length});
    frame.remove(); next();
  }, 300);
  document.body.append(frame);
}
next();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(SITE))

    def do_GET(self):
        if self.path != "/probe":
            return super().do_GET()
        body = (PROBE % json.dumps([(page, width) for page in PAGES for width in WIDTHS])).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the browser found of every page at every width."""
    if not shutil.which("chromium"):
        pytest.skip("chromium is not installed: tools/bootstrap --browser")
    subprocess.run([sys.executable, ROOT / "tools" / "docs.py"], check=True, capture_output=True)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_address[1]}/probe"
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom")
        profile = tmp_path_factory.mktemp("browser")
        done = completed(["chromium", *options, f"--user-data-dir={profile}", address], timeout=240)
        serving.shutdown()
    told = re.search(r'<pre id="found">(.*?)END</pre>', done.stdout, re.DOTALL)
    assert told, done.stdout[-500:] + done.stderr[-2000:]
    return {(one["page"], one["width"]): one for one in json.loads(told[1].replace("&amp;", "&"))}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_its_window(seen, page, width):
    one = seen[page, width]
    assert one["title"].endswith("Subcurrent")
    assert one["reaches"] <= width, f"{page} reaches to {one['reaches']} pixels"
    assert one["missing"] == []
    assert one["drawings"] == 0, "a drawing is still text"
