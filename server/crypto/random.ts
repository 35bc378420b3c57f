/** Random bytes by the page: asked for a few at a time they take longer than the cipher that needs them. */
import { randomBytes } from 'node:crypto'

const pageBytes = 8_192
let page = Buffer.alloc(0)

/** Fresh random bytes; nobody else ever gets the same place of the page. */
export function takeRandomBytes(size: number): Buffer {
  if (page.length < size) page = randomBytes(Math.max(pageBytes, size))
  const some = page.subarray(0, size)
  page = page.subarray(size)
  return some
}
