#!/bin/sh
# Many changes in one request, with curl alone: makes a list with tasks, moves, completes and deletes them, meets a refusal.
#   sh examples/batch/change-many.sh
set -eu
: "${CLIENT_ID:?}" "${TOKEN:?}"
url=${TANDEM_URL:-http://127.0.0.1:4000}

# batch JSON [HEADER]: prints the answer, its status in a line of its own.
batch() {
  curl -sS "$url/api/v1/batch" -H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN" -H "Content-Type: application/json" \
    ${2:+-H "$2"} -d "$1" -w '\n%{http_code}\n'
}
# ids: the ids of what a batch has made, in the order of its requests. (In earnest use jq.)
ids() { grep -oE '"body":\{"id":[0-9]+' | grep -oE '[0-9]+'; }

echo "# Two lists and three tasks. \"\$a.id\" stands for the id that request a was answered with."
made=$(batch '{"requests":[
  {"id":"a","method":"POST","path":"/api/v1/lists","body":{"title":"Party"}},
  {"id":"b","method":"POST","path":"/api/v1/lists","body":{"title":"Later"}},
  {"id":"c","method":"POST","path":"/api/v1/tasks","body":{"list_id":"$a.id","title":"Buy lemons"}},
  {"id":"d","method":"POST","path":"/api/v1/tasks","body":{"list_id":"$a.id","title":"Invite Bob"}},
  {"id":"e","method":"POST","path":"/api/v1/tasks","body":{"list_id":"$a.id","title":"Hire a clown"}}]}' \
  "Idempotency-Key: party-$(date +%s)-$$")
printf '%s\n' "$made"
# With an Idempotency-Key it could be sent again after a lost answer, and would make nothing twice.
set -- $(printf '%s' "$made" | ids)
later=$2 lemons=$3 bob=$4 clown=$5

echo "# Move one, complete one, delete one: all of it in one transaction."
batch '{"requests":[
  {"id":"move","method":"PATCH","path":"/api/v1/tasks/'"$lemons"'","body":{"revision":1,"list_id":'"$later"'}},
  {"id":"complete","method":"PATCH","path":"/api/v1/tasks/'"$bob"'","body":{"revision":1,"completed":true}},
  {"id":"delete","method":"DELETE","path":"/api/v1/tasks/'"$clown"'?revision=1"}]}'

echo "# When one is refused, nothing is changed, and the error names the request: here a stale revision."
batch '{"requests":[
  {"id":"star","method":"PATCH","path":"/api/v1/tasks/'"$lemons"'","body":{"revision":2,"starred":true}},
  {"id":"stale","method":"PATCH","path":"/api/v1/tasks/'"$bob"'","body":{"revision":1,"completed":false}}]}'

echo "# With \"atomic\": false each is made for itself, and the answer says what became of each."
batch '{"atomic":false,"requests":[
  {"id":"star","method":"PATCH","path":"/api/v1/tasks/'"$lemons"'","body":{"revision":2,"starred":true}},
  {"id":"stale","method":"PATCH","path":"/api/v1/tasks/'"$bob"'","body":{"revision":1,"completed":false}},
  {"id":"note","method":"POST","path":"/api/v1/notes","body":{"task_id":"$stale.id","content":"Comes at eight"}}]}'
