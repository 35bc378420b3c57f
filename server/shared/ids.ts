/** Identifiers: UUIDv7, made by the application; ordered by time, 74 random bits. */
import { createHash } from 'node:crypto'
import { takeRandomBytes } from '../crypto/random.ts'

let lastMs = 0
let sequence = 0

/** Creates a UUIDv7. Within one process the order of the ids is the order of their creation. */
export function newId(at: number = Date.now()): string {
  const bytes = takeRandomBytes(16)
  // A 12-bit counter in place of rand_a keeps the order within one millisecond (RFC 9562, method 1).
  if (at > lastMs) {
    lastMs = at
    sequence = bytes.readUInt16BE(6) & 0x7ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | sequence, 6)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Derives an id (UUIDv8) from the given values: the same values always give the same id. */
export function deriveId(...what: readonly string[]): string {
  const hex = createHash('sha256').update(what.join('|')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
