/** Client for time-stamping authorities over HTTP (RFC 3161, 3.4): posts a query and returns the reply, unparsed. */
const defaultTimeoutMs = 15_000
/** A token with a certificate chain is about 6 kB. */
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

/**
 * Creates a client that posts to the authority of this installation; it throws on a timeout, a refused connection or a
 * response that is not a time-stamp reply.
 */
export const createTimeStampClient =
  (url: string, timeoutMs = defaultTimeoutMs) =>
  async (query: Buffer): Promise<Buffer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(query),
      redirect: 'error',
      // Covers everything from name resolution to the last byte.
      signal: AbortSignal.timeout(timeoutMs),
    })
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (!response.ok || type !== 'application/timestamp-reply') {
      await response.body?.cancel()
      throw new Error(`the authority answered ${response.status} ${type ?? ''}`)
    }
    return readBounded(response.body)
  }
