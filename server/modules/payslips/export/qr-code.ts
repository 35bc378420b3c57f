/** A QR code as an image with one bit per pixel: as vector lines ten thousand of them would be a gigabyte. */
import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'

function createPngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Readers support all eight masks; choosing the best takes five times all else, and signatures contain no patterns. */
const maskPattern = 2

/** In modules; scanners need it. */
const quietZone = 4

/** Renders a PNG with one pixel per module and the quiet zone. Encoded directly, in half the time, for ten thousand. */
export function renderQrCode(text: string): Buffer {
  const { data, size: moduleCount } = encode(text, { ecc: 'L', border: 0, maskPattern })
  const size = moduleCount + 2 * quietZone
  const rowBytes = Math.ceil(size / 8) + 1
  const rows = Buffer.alloc(size * rowBytes)
  for (let row = 0; row < size; row += 1) {
    const cells = data[row - quietZone]
    for (let column = 0; column < size; column += 1)
      if (!cells?.[column - quietZone]) rows[row * rowBytes + 1 + (column >> 3)]! |= 0x80 >> (column & 7)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // One bit, grayscale.
  header[8] = 1
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    createPngChunk('IHDR', header),
    createPngChunk('IDAT', deflateSync(rows)),
    createPngChunk('IEND', Buffer.alloc(0)),
  ])
}
