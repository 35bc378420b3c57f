/** Time-stamping authorities over HTTP (RFC 3161, 3.4): a query is posted, a reply comes back. What is in them is not read here. */
const defaultTimeoutMs = 15_000
/** A token with a chain of certificates has some 6 kB. */
const maxReplyBytes = 64 * 1024

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxReplyBytes) throw new Error('the reply is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Posts to the authority of this installation; throws when it is slow, refuses the connection, or answers anything but a reply. */
export const createTimeStampClient =
  (url: string, timeoutMs = defaultTimeoutMs) =>
  async (query: Buffer): Promise<Buffer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(query),
      redirect: 'error',
      // From the first name looked up to the last byte.
      signal: AbortSignal.timeout(timeoutMs),
    })
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (!response.ok || type !== 'application/timestamp-reply') {
      await response.body?.cancel()
      throw new Error(`the authority answered ${response.status} ${type ?? ''}`)
    }
    return readBounded(response.body)
  }
