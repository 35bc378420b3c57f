/** Random bytes from a buffered page: small requests to the system take longer than the cipher that needs the bytes. */
import { randomBytes } from 'node:crypto'

const pageBytes = 8_192
let page = Buffer.alloc(0)

/** Returns fresh random bytes; no part of the page is handed out twice. */
export function takeRandomBytes(size: number): Buffer {
  if (page.length < size) page = randomBytes(Math.max(pageBytes, size))
  const some = page.subarray(0, size)
  page = page.subarray(size)
  return some
}
