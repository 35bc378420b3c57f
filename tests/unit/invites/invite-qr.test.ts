/** The QR code of a join address compared module by module with another encoder, the one inside antd. */
import { Ecc, QrCode, QrSegment } from '@rc-component/qrcode/es/libs/qrcodegen.js'
import { describe, expect, it } from 'vitest'
import { renderQrCodeSvg } from '../../../server/modules/invites/index.ts'

const getAddress = (length: number): string => `https://pay.example.cn/m/invite?code=${'aZ3-_9'.repeat(40)}`.slice(0, length)
/** Byte lengths that just fill a version, and the first of the next: 14 fill version 1, 213 fill version 10. */
const edges = [1, 14, 15, 62, 63, 122, 123, 180, 181, 213, 214]

/** The other encoder at level M with its own choice of mask and a quiet zone of four modules. */
function theirs(text: string): string[] {
  const code = QrCode.encodeSegments([QrSegment.makeBytes([...new TextEncoder().encode(text)])], Ecc.MEDIUM, 1, 40, -1, false)
  const rows = code.getModules().map((row) => `....${row.map((dark) => (dark ? '#' : '.')).join('')}....`)
  const light = Array.from({ length: 4 }, () => '.'.repeat(rows.length + 8))
  return [...light, ...rows, ...light]
}

/** The dark modules of the picture, read from its path. */
function painted(svg: string): string[] {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const rows = Array.from({ length: side }, () => Array.from({ length: side }, () => '.'))
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    rows[Number(y)]?.fill('#', Number(x), Number(x) + Number(width))
  return rows.map((row) => row.join(''))
}

describe('QR code of a join address', () => {
  it.each(edges)('equals the QR code of another encoder for %i bytes', (length) => {
    expect(painted(renderQrCodeSvg(getAddress(length)))).toEqual(theirs(getAddress(length)))
  })

  it('encodes Chinese as UTF-8', () => {
    expect(painted(renderQrCodeSvg('薪函'))).toEqual(theirs('薪函'))
  })

  it('paints a white background and only black on it, whatever the page’s colors', () => {
    expect([...renderQrCodeSvg('https://pay.example.cn').matchAll(/fill="([^"]+)"/g)].map(([, colour]) => colour)).toEqual([
      '#fff',
    ])
  })
})
