#!/usr/bin/env python3
"""Mirrors an account into SQLite and keeps it level, with the standard library alone.

    python3 examples/sync/sync.py [file = tandem.db]             # brings the copy level, then ends
    python3 examples/sync/sync.py [file = tandem.db] --follow    # and goes on as things change, until it is stopped

Stop it whenever you like: what a page brings and where the next one begins are written in one transaction.
"""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("TANDEM_URL", "http://127.0.0.1:4000")
HEADERS = {"X-Client-ID": os.environ["CLIENT_ID"], "X-Access-Token": os.environ["TOKEN"]}

TABLES = """
create table if not exists objects (
  type text, id integer, list_id integer, task_id integer, data text, seen integer, primary key (type, id));
create index if not exists objects_of_list on objects (list_id);
create index if not exists objects_of_task on objects (task_id);
create table if not exists place (cursor text, reading integer);
"""


def ask(cursor, wait):
    """One page of changes. None when the place is no longer known."""
    query = "limit=1000" + (f"&after={cursor}" if cursor else "")
    request = urllib.request.Request(f"{URL}/api/v1/changes?{query}", headers=HEADERS)
    if wait:
        request.add_header("Prefer", f"wait={wait}")
    try:
        with urllib.request.urlopen(request, timeout=90) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 410:
            return None
        raise SystemExit(f"{error.code}: {error.read().decode()}") from error


def forget(db, kind, number):
    """Takes an object away, and everything in it."""
    db.execute("delete from objects where type = ? and id = ?", (kind, number))
    if kind == "task":
        db.execute("delete from objects where task_id = ?", (number,))
    if kind == "list":
        db.execute(
            "delete from objects where task_id in (select id from objects where type = 'task' and list_id = ?)", (number,)
        )
        db.execute("delete from objects where list_id = ?", (number,))
        # People who were known by that list alone. Everybody has an inbox, and so a membership of their own.
        db.execute(
            "delete from objects where type = 'user' and id not in (select json_extract(data, '$.user_id') from objects"
            " where type = 'membership' and json_extract(data, '$.state') = 'accepted')"
        )


def parents(change):
    """The list and the task in which an object lies, as far as the object itself says."""
    kind, data = change["type"], change["data"]
    task = change["id"] if kind == "subtask_position" else data.get("task_id")
    # What lies in a task follows it when it is moved, so that its list is the task's.
    return (None if task or kind == "list" else change.get("list_id"), task)


def take(db, page, reading):
    """Takes a page into the copy, with the place where the next one begins."""
    for change in page["changes"]:
        if change["operation"] == "delete":
            forget(db, change["type"], change["id"])
            continue
        db.execute(
            "insert or replace into objects values (?, ?, ?, ?, ?, ?)",
            (change["type"], change["id"], *parents(change), json.dumps(change["data"]), reading),
        )
    if page["full"] and not page["has_more"]:
        # What no page of the whole account has shown is gone.
        db.execute("delete from objects where seen < ?", (reading,))
    db.execute("delete from place")
    db.execute("insert into place values (?, ?)", (page["cursor"], reading))
    db.commit()


def level(db, wait=0):
    """Reads until nothing is left. How many changes there were."""
    count = 0
    while True:
        cursor, reading = db.execute("select cursor, reading from place").fetchone() or (None, 1)
        page = ask(cursor, wait)
        if page is None:
            db.execute("delete from place")
            db.execute("insert into place values (null, ?)", (reading + 1,))
            db.commit()
            continue
        take(db, page, reading)
        count += len(page["changes"])
        if not page["has_more"]:
            return count


def main():
    follows = "--follow" in sys.argv
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    db = sqlite3.connect(names[0] if names else "tandem.db")
    db.executescript(TABLES)
    print(f"{level(db)} changes", flush=True)
    while follows:
        try:
            count = level(db, wait=25)
            if count:
                print(f"{count} changes", flush=True)
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            print(f"trying again: {error}", file=sys.stderr)
            time.sleep(1)
    for kind, count in db.execute("select type, count(*) from objects group by type order by type"):
        print(f"{kind}: {count}")


main()
