/** A QR code as a picture of one bit a point: as lines of drawing ten thousand of them would be a gigabyte. */
import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A reader undoes any of the eight; choosing the fairest of them takes five times as long as all the rest, and bytes of a signature have no pattern to break. */
const maskPattern = 2

/** PNG, a point a module, with the quiet border that scanners need. */
export function codeOf(text: string): Buffer {
  const { data, size } = encode(text, { ecc: 'L', border: 4, maskPattern })
  const bytes = Math.ceil(size / 8)
  const rows = Buffer.alloc(size * (bytes + 1))
  for (const [row, cells] of data.entries())
    for (const [column, dark] of cells.entries()) {
      const at = row * (bytes + 1) + 1 + (column >> 3)
      if (!dark) rows[at] = (rows[at] ?? 0) | (0x80 >> (column & 7))
    }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  // One bit, grey.
  head[8] = 1
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
