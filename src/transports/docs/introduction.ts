/** What stands before all operations, in Markdown. */
export const INTRODUCTION = `Lists, tasks and everything in them, shared between people. The same data is available at [/graphql](/graphql), with
live events; each operation here links to its GraphQL counterpart.

**Authentication.** Every request below \`/api/v1\` sends two headers: \`X-Client-ID\` and \`X-Access-Token\`. Users create personal
tokens under [Tokens](/access-tokens); applications get tokens by [OAuth](#tag/OAuth). \`Authorization: Bearer\` with the token does
instead of both. Other headers of clients of the retired service, such as
\`X-Client-Device-Id\`, are accepted and ignored.

**Scopes.** A token has some of \`read\`, \`write\`, \`share\` and \`manage\`; it has all of them where none were asked for. Each operation says which it needs, and is refused with
[403](/docs/errors/insufficient_scope) without.

**Request bodies** are JSON in UTF-8, at most 1 MiB. Unknown members are ignored, so that an object can be sent back as it was received.
\`null\` in a POST means absent; in a PATCH it removes what can be removed.

**Responses** omit members that are unset, and have a member \`type\`. Identifiers are integers up to 2^53 - 1, times are UTC with milliseconds.
Collections are returned whole, by id ascending. \`HEAD\` responds like \`GET\` without a body.

**Revisions.** Each object has a \`revision\` that grows with every change. Updates and deletions send the revision that the client has seen; a stale one is refused
with [409](/docs/errors/conflict), so that no change is lost.

**Retries.** A POST with an \`Idempotency-Key\` can be sent again after a lost connection: it is executed once, and answered the same for
24 hours. So can a GraphQL mutation that creates something; over a WebSocket the key is \`extensions.idempotencyKey\`. A key belongs to the
token that sent it. A response that contains a secret is not stored: its retry is refused with [409](/docs/errors/conflict).

**Many at once.** [A batch](#batch) holds up to 100 requests, as one transaction or each for itself; over GraphQL a mutation with
\`@atomic\` is made as a whole or not at all.

**Conditional requests.** Each GET response has an \`ETag\`; a request with \`If-None-Match\` is answered with 304 and no body while nothing has changed.

**Rate limits.** If the operator sets one, each user has one budget for REST, GraphQL and sockets. \`RateLimit\` says what is left of it; beyond it,
the response is [429](/docs/errors/rate_limited) with \`Retry-After\`.

**PUT** means the same as PATCH.

**Dialects.** An application follows \`spec\`, the interface specification, or \`wunderlist\`, the retired service. Where their responses
differ, the operation says so.

**Uploads** go directly to the store. Create one, PUT each part to \`part.url\` with an empty \`Content-Type\`, \`Authorization: part.authorization\` and
\`x-amz-date: part.date\`, which answers 200; then set the upload's \`state\` to \`finished\`, and attach it as a file.

**Errors** have a \`type\` for programs and a \`message\` for people; each type has [a page](/docs/errors) that says what to do.`
