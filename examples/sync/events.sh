#!/bin/sh
# Prints each change of an account as it happens, one JSON object a line, with curl alone. The place is kept in a file, so that a
# connection that is cut, and the next run, go on where this one was:
#   sh examples/sync/events.sh [file = tandem.event-id] [number of a list = all lists]
set -eu
: "${CLIENT_ID:?}" "${TOKEN:?}"
url=${TANDEM_URL:-http://127.0.0.1:4000}
file=${1:-tandem.event-id}
list=${2:+?list_id=$2}

# The lines of one connection. Ends with 0 when it is worth another one.
follow() {
  place='' failed=''
  while IFS= read -r line; do
    case $line in
      'id: '*) place=${line#id: } ;;
      'event: error') failed=yes ;;
      'data: '*) if [ "$failed" ]; then printf '%s\n' "${line#data: }" >&2; else printf '%s\n' "${line#data: }"; fi ;;
      '') # An event is whole. The last of those that were read together has an id.
        if [ "$place" ]; then printf '%s' "$place" > "$file.new" && mv "$file.new" "$file"; fi
        place='' ;;
      '{'*) printf '%s\n' "$line" >&2 ;; # why there are no events
      'status: 410') # The place is no longer known. Somebody who keeps a copy reads everything again, as sync.sh does.
        rm -f "$file" ;;
      'status: 4'*) [ "$line" = 'status: 429' ] || return 1 ;;
    esac
  done
}

while :; do
  last=$(cat "$file" 2>/dev/null || :)
  # -w says at the end what was answered, 000 when nothing was; an empty header is not sent.
  curl -sSN --keepalive-time 20 -w '\nstatus: %{http_code}\n' -H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN" \
    -H "Last-Event-ID: $last" "$url/api/v1/events$list" | follow || exit 1
  echo 'going on where it was' >&2
  sleep 1
done
