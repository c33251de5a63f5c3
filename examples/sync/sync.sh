#!/bin/sh
# Prints everything of an account and then what changes in it, page by page, with curl alone. The place is kept in a file, so that
# the next run goes on where this one ended:
#   sh examples/sync/sync.sh [file = tandem.cursor] [seconds to wait for changes = 0]
set -eu
: "${CLIENT_ID:?}" "${TOKEN:?}"
url=${TANDEM_URL:-http://127.0.0.1:4000}
file=${1:-tandem.cursor}
wait=${2:-0}

while :; do
  if [ -s "$file" ]; then after="after=$(cat "$file")"; else after=; fi
  # -w puts the status on a line of its own, behind the body.
  answer=$(curl -sS --compressed -w '\n%{http_code}' -H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN" \
    -H "Prefer: wait=$wait" "$url/api/v1/changes?limit=500&$after")
  status=$(printf '%s' "$answer" | tail -n 1)
  page=$(printf '%s' "$answer" | sed '$d')
  case $status in
    200) ;;
    410) # The place is no longer known: everything again.
      rm -f "$file"
      continue ;;
    *)
      printf '%s\n' "$page" >&2
      exit 1 ;;
  esac
  printf '%s\n' "$page"
  printf '%s' "$page" | sed -E 's/.*"cursor":"([^"]+)","has_more":(true|false),"full":(true|false)\}$/\1/' > "$file.new"
  mv "$file.new" "$file"
  case $page in
    *'"has_more":true,"full":'*) ;;
    *) exit 0 ;;
  esac
done
