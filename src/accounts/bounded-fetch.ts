/** Signs that somebody sends without end, and not an answer. */
const tooLong = (maxBytes: number) => new TypeError(`the answer has more than ${maxBytes} bytes`)

/** `fetch` that gives up an answer as soon as it has more than so many bytes, unpacked. */
export const boundedFetch =
  (maxBytes: number) =>
  async (address: string, options: RequestInit): Promise<Response> => {
    const { body, status, statusText, headers } = await fetch(address, options)
    if (body === null) return new Response(null, { status, statusText, headers })
    const chunks: Uint8Array[] = []
    let left = maxBytes
    // Leaving the loop by an error closes the connection.
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      left -= chunk.byteLength
      if (left < 0) throw tooLong(maxBytes)
      chunks.push(chunk)
    }
    return new Response(Buffer.concat(chunks), { status, statusText, headers })
  }
