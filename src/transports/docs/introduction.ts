/** What stands before all operations, in Markdown. */
export const INTRODUCTION = `Lists, tasks and everything inside them, shared between people. The same data is at [/graphql](/graphql), with
live events; each operation here names the GraphQL operation that answers it.

**Who asks.** Every request below \`/api/v1\` sends two headers: \`X-Client-ID\` and \`X-Access-Token\`. A user makes a token of his
own under [Tokens](/access-tokens); an application gets one by [OAuth](#tag/OAuth). Whatever else clients of the retired service send, such as
\`X-Client-Device-Id\`, is taken and not looked at.

**Bodies** are JSON in UTF-8, at most 1 MiB. Members that the service does not know are ignored, so that an object can be sent back as it came.
\`null\` in a POST is as good as absent; in a PATCH it removes what can be removed.

**Answers** leave out members that are unset, and carry \`type\`. Identifiers are integers up to 2^53 - 1, times are UTC with milliseconds.
Collections are answered whole, by id ascending. \`HEAD\` answers as \`GET\` without a body.

**Revisions.** Each thing has a \`revision\` that grows with every change. An update or a delete sends the one that it has seen; a stale one is refused
with [409](/docs/errors/conflict), so that nobody's change is lost.

**Repeating.** A POST with an \`Idempotency-Key\` can be sent again after a cut line: it is done once, and answered the same for
24 hours. So can a GraphQL mutation that makes something; over a WebSocket the key is \`extensions.idempotencyKey\`. A key belongs to the
token that sent it, and an answer that holds a secret is not kept: its repetition is refused with [409](/docs/errors/conflict).

**Many at once.** [A batch](#batch) holds up to 100 requests, as one transaction or each for itself; over GraphQL a mutation with
\`@atomic\` is made as a whole or not at all.

**Asking again.** Each GET has an \`ETag\`; with \`If-None-Match\` it is answered with 304 and no body while nothing has changed.

**Limits.** Where the operator sets one, each user has one budget for REST, GraphQL and sockets. \`RateLimit\` says what is left of it; past it
comes [429](/docs/errors/rate_limited) with \`Retry-After\`.

**PUT** means the same as PATCH everywhere.

**Dialects.** An application follows \`spec\`, the interface specification, or \`wunderlist\`, the retired service. Where their answers
differ the operation says so.

**Uploads** go to the store itself. Start one, PUT each part to \`part.url\` with an empty \`Content-Type\`, \`Authorization: part.authorization\` and
\`x-amz-date: part.date\`, which answers 200; then set the upload's \`state\` to \`finished\`, and attach it as a file.

**Errors** have a \`type\` for programs and a \`message\` for people; each has [a page](/docs/errors) that says what to do.`
