#!/bin/sh
# Smart lists with curl alone: what is due today, this week, overdue, starred, yours, without a date and completed in the last seven
# days, over all your lists; and what holds a text, when you give one:
#   sh examples/find/smart-lists.sh [text]
# The service keeps no such list and has no time zone: a client says which tasks it means, and what day it is.
set -eu
: "${CLIENT_ID:?}" "${TOKEN:?}"
url=${TANDEM_URL:-http://127.0.0.1:4000}
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT

# day N: the date in N days, with the date of GNU or of BSD.
day() { date -d "$1 days" +%F 2>/dev/null || date -v"$1d" +%F; }
get() { curl -sS --fail-with-body -D "$headers" -H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN" "$@"; }

# show NAME PARAMETERS: prints what is found, each page in a line of its own. A page names the next one in its Link header.
show() {
  echo "# $1"
  get "$url/api/v1/tasks/find?limit=50&$2"
  echo
  rest
}
rest() {
  next=$(tr -d '\r' < "$headers" | sed -nE 's/^[Ll]ink: <([^>]+)>; rel="next"$/\1/p')
  while [ -n "$next" ]; do
    get "$next"
    echo
    next=$(tr -d '\r' < "$headers" | sed -nE 's/^[Ll]ink: <([^>]+)>; rel="next"$/\1/p')
  done
}

show "Today" "completed=false&due_from=$(day +0)&due_to=$(day +0)"
show "This week" "completed=false&due_from=$(day +0)&due_to=$(day +6)"
show "Overdue" "completed=false&due_to=$(day -1)"
show "Starred" "completed=false&starred=true"
show "Assigned to me" "completed=false&assignee_id=me"
show "Without a date" "completed=false&due=none&sort=-created_at"
show "Completed in the last seven days" "completed_from=$(day -7)T00:00:00Z&sort=-completed_at"

# A text is looked for in titles, notes, subtasks, comments and file names; `matches` says where it was.
if [ $# -gt 0 ]; then
  echo "# $1"
  get -G --data-urlencode "q=$1" "$url/api/v1/tasks/find"
  echo
  rest
fi
