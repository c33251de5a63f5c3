"""The REST interface with nothing but Python's standard library (3.8 or later).

    CLIENT_ID=… TOKEN=… python3 tasks.py
"""
import json
import os
import urllib.error
import urllib.request

URL = os.environ.get("TANDEM_URL", "http://127.0.0.1:4000")
HEADERS = {
    "X-Client-ID": os.environ["CLIENT_ID"],
    "X-Access-Token": os.environ["TOKEN"],
    "Content-Type": "application/json",
}


class Refused(Exception):
    """An answer that says no: its status, and the error as the service describes it."""

    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.error = body.get("error", {})


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}/api/v1{path}", data, HEADERS, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.loads(error.read() or "{}")) from None


def change(path, **members):
    """Changes something as it is now: when somebody was faster (409), it is read again and the change repeated."""
    while True:
        revision = call("GET", path)["revision"]
        try:
            return call("PATCH", path, {"revision": revision, **members})
        except Refused as refused:
            if refused.status != 409:
                raise


groceries = call("POST", "/lists", {"title": "Groceries"})
for title in ("Buy milk", "Buy bread", "Buy butter"):
    task = call("POST", "/tasks", {"list_id": groceries["id"], "title": title})

# An order is a list of ids. What is not named in it comes after all else.
change(f"/task_positions/{groceries['id']}", values=[task["id"]])
done = change(f"/tasks/{task['id']}", completed=True)
print(f"{done['title']} was done at {done['completed_at']}")

for task in call("GET", f"/tasks?list_id={groceries['id']}"):
    print("-", task["title"])

# Errors name the field, and what would be right.
try:
    call("POST", "/tasks", {"list_id": groceries["id"], "title": " "})
except Refused as refused:
    print(refused.status, refused.error["title"])
