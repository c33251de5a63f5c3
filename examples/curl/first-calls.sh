#!/bin/sh
# The REST interface by hand: make a list and a task, change it, meet a stale revision, attach a file.
# Needs curl and nothing else. Set CLIENT_ID and TOKEN first: see the README beside this folder.
set -eu
url=${TANDEM_URL:-http://127.0.0.1:4000}

# call METHOD PATH [JSON]: prints the answer, its status in a line of its own.
call() {
  curl -sS -X "$1" "$url/api/v1$2" -H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN" \
    -H "Content-Type: application/json" ${3:+-d "$3"} -w '\n%{http_code}\n'
}
# member NAME: a member of the JSON object that comes in. (In earnest use jq.)
member() { sed -nE "s/.*\"$1\":(\"([^\"]*)\"|([0-9]+)).*/\2\3/p" | head -n 1; }

echo "# A list, and a task in it. Lists, tasks and all else are made with POST and answered with 201."
list=$(call POST /lists '{"title":"Groceries"}' | member id)
task=$(call POST /tasks "{\"list_id\":$list,\"title\":\"Buy milk\",\"due_date\":\"2031-05-01\"}" | member id)
call GET "/tasks?list_id=$list"

echo "# A change sends the revision that it has seen; the answer has the next one."
revision=$(call GET "/tasks/$task" | member revision)
call PATCH "/tasks/$task" "{\"revision\":$revision,\"starred\":true}"

echo "# A stale one is refused with 409, so that no change is lost: read again, then repeat."
call PATCH "/tasks/$task" '{"revision":999,"completed":true}'

echo "# A file goes straight to the store: make an upload, PUT the part with the headers it names, finish, attach."
upload=$(call POST /uploads '{"file_name":"list.txt","content_type":"text/plain","file_size":5}')
curl -sS -X PUT "$(echo "$upload" | member url)" -H "Content-Type:" -H "x-amz-date: $(echo "$upload" | member date)" \
  -H "Authorization: $(echo "$upload" | member authorization)" --data-binary "bread"
id=$(echo "$upload" | sed -nE 's/^\{"id":([0-9]+).*/\1/p')
call PATCH "/uploads/$id" '{"state":"finished"}'
call POST /files "{\"upload_id\":$id,\"task_id\":$task}"

echo "# Deleting needs the revision too, in the address."
revision=$(call GET "/lists/$list" | member revision)
call DELETE "/lists/$list?revision=$revision"
