/** The QR encoder against another one, the one inside antd: the same modules, one by one. */
import { Ecc, QrCode, QrSegment } from '@rc-component/qrcode/es/libs/qrcodegen.js'
import { describe, expect, it } from 'vitest'
import { qrModules, qrSvg } from '../../server/domain/invite/rules/qr.ts'

const addressOf = (length: number): string => `https://pay.example.cn/m/invite?code=${'aZ3-_9'.repeat(40)}`.slice(0, length)
/** The edges of every version: 14 bytes fill version 1, 213 bytes fill version 10. */
const edges = [1, 13, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 212, 213]

/** The other encoder with the same mask. Its level is fixed: left alone it takes a higher one where there is room. */
const theirs = (text: string, mask: number): number[][] =>
  QrCode.encodeSegments([QrSegment.makeBytes([...new TextEncoder().encode(text)])], Ecc.MEDIUM, 1, 10, mask, false)
    .getModules()
    .map((row) => row.map((dark) => (dark ? 1 : 0)))

describe('the QR code of a join address', () => {
  it.each(edges)('is what another encoder makes of %i bytes', (length) => {
    const { grid, mask } = qrModules(addressOf(length))
    expect(grid.map((row) => row.join(''))).toEqual(theirs(addressOf(length), mask).map((row) => row.join('')))
  })

  it('takes Chinese as UTF-8', () => {
    const { grid, mask } = qrModules('薪函')
    expect(grid).toEqual(theirs('薪函', mask))
  })

  it('is right with each of the eight masks', () => {
    // Found by search: the addresses for which each mask makes the best picture.
    const found = [31, 48, 0, 2, 3, 25, 5, 1045].map((at) => {
      const text = `https://a.cn/${at * 7919}`
      const { grid, mask } = qrModules(text)
      expect(grid).toEqual(theirs(text, mask))
      return mask
    })
    expect(found).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('refuses what does not fit', () => {
    expect(() => qrModules(addressOf(214))).toThrow(RangeError)
  })

  it('draws exactly the dark modules, with a margin of four', () => {
    const { grid } = qrModules('https://pay.example.cn')
    const svg = qrSvg('https://pay.example.cn')
    const drawn = grid.map((row) => row.map(() => 0))
    for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
      for (let step = 0; step < Number(width); step += 1) (drawn[Number(y) - 4] ?? [])[Number(x) - 4 + step] = 1
    expect(drawn).toEqual(grid)
    expect(svg).toContain(`viewBox="0 0 ${grid.length + 8} ${grid.length + 8}"`)
  })
})
