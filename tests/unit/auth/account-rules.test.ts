/**
 * Small account rules: the current edition, client address grouping, valid pictures, and what a client may write into
 * our log.
 */
import { PNG } from 'pngjs'
import { describe, expect, it, test } from 'vitest'
import { isCommonPassword } from '../../../server/contract/auth/common-passwords.ts'
import { getCurrentEdition } from '../../../server/contract/billing/editions.ts'
import { reencodePng } from '../../../server/files/uploads.ts'
import { toPeerAddress } from '../../../server/http/limits/rate-limits.ts'
import { sanitizeClientText } from '../../../server/modules/auth/client-log.ts'
import { getDaysRemaining, getTrialStatus } from '../../../server/modules/billing/rules/edition.ts'
import { seeded } from '../../support/random.ts'

const noise = seeded(1)

const now = new Date('2026-11-20T10:00:00+08:00')
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

test.each([
  ['bought without an end', 60, null, 60, 0],
  ['bought until tomorrow', 53, inDays(1), 53, 1],
  ['half a day remaining', 60, inDays(0.5), 60, 1],
  ['expired at this moment', 60, now, 50, 0],
  ['expired long ago', 53, inDays(-400), 50, 0],
  ['free', 50, null, 50, 0],
])('determines the current edition: %s', (_what, edition, edition_until, holds, left) => {
  expect([getCurrentEdition({ edition, edition_until }, now), getDaysRemaining(edition_until, now)]).toEqual([holds, left])
})

test.each([
  [null, null, 0],
  [inDays(3), null, 10],
  [inDays(3), inDays(-1), 20],
  [now, null, 0],
])('returns for a trial until %s, closed at %s, status %i', (until, closed, status) => {
  expect(getTrialStatus(until, closed, now)).toBe(status)
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2:ffff::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('counts %s as peer %s', (address, peer) => expect(toPeerAddress(address)).toBe(peer))

describe('uploaded pictures', () => {
  const png = (width: number, height: number, paint: (at: number) => number = () => 200): Buffer => {
    const picture = new PNG({ width, height })
    for (let at = 0; at < picture.data.length; at += 1) picture.data[at] = paint(at)
    return PNG.sync.write(picture)
  }
  /** Adds a text chunk behind the header, as cameras and editors do. */
  function withText(picture: Buffer, text: string): Buffer {
    const chunk = Buffer.alloc(12 + text.length)
    chunk.writeUInt32BE(text.length, 0)
    chunk.write(`tEXt${text}`, 4, 'latin1')
    return Buffer.concat([picture.subarray(0, 33), chunk, picture.subarray(33)])
  }
  function changed(picture: Buffer, at: number, byte: number): Buffer {
    const copy = Buffer.from(picture)
    copy[at] = byte
    return copy
  }

  it('re-encodes uploaded pictures with the same pixels and nothing else from the file', () => {
    const sent = png(96, 96, (at) => at % 251)
    const stored = reencodePng(withText(sent, 'Comment\0home address'))
    expect(PNG.sync.read(stored).data.equals(PNG.sync.read(sent).data)).toBe(true)
    expect(stored.includes('home address')).toBe(false)
  })
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.alloc(60)])],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an HTML page behind the first bytes of a picture', Buffer.from(`\x89PNG\r\n\x1a\n<html>${'x'.repeat(60)}`, 'latin1')],
    ['a picture whose header declares 50,000 pixels per side', changed(changed(png(8, 8), 18, 0xc3), 22, 0xc3)],
    ['a picture that is one pixel too wide', png(257, 8)],
    ['an interlaced picture, whose size cannot be limited', changed(png(8, 8), 28, 1)],
    ['a truncated picture', png(96, 96).subarray(0, 60)],
    ['a picture followed by another file', Buffer.concat([png(8, 8), Buffer.from('PK hidden archive')])],
    ['noise that cannot be compressed', png(200, 200, () => noise.below(256))],
  ])('refuses %s as a picture at the field', (_what, sent) => {
    expect(() => reencodePng(sent)).toThrowError(expect.objectContaining({ error: 'invalid', details: { field: 'file' } }))
  })
})

test.each([
  ['phone 13812345678 failed', 'phone 138****5678 failed'],
  ['code 123456', 'code #'],
  ['张三·李四的工资9876 is not a number', '…# is not a number'],
  ['card 110101199003072316', 'card #'],
  ['net 8333.33', 'net #'],
  ['token kq3vJx0aT9mZ2LrWb7cYdEfGhIjKlMnOpQrStUvWxYz', 'token #'],
  ['slip 0197f0a1-7c3e-7aaa-8bbb-0123456789ab', 'slip 0197f0a1-7c3e-7aaa-8bbb-#ab'],
  ['red \u001b[31m, \r\nnew line, \u2028 bell \u0007', 'red [31m, \nnew line,  bell '],
  ['TypeError: x is undefined at index-Ab12Cd34.js:10:20', 'TypeError: x is undefined at index-Ab12Cd34.js:10:20'],
])('sanitizes text reported by a client: %s', (message, stored) => {
  // Sequences of characters that move the cursor become one space.
  expect(sanitizeClientText(message, 4000).replace(/ +/g, ' ')).toBe(stored.replace(/ +/g, ' '))
})
test('cuts a long report by bytes, never inside a character', () => {
  const cut = sanitizeClientText('あ'.repeat(3000), 600)
  expect([Buffer.byteLength(cut) <= 600, cut.length, new Set(cut)]).toEqual([true, 200, new Set(['あ'])])
})

test('detects common passwords and accepts some that only look alike', () => {
  for (const word of ['asdf1234', 'qwer1234', 'zxcv123', 'password2026', '20260101', 'abcabc'])
    expect([word, isCommonPassword(word)]).toEqual([word, true])
  for (const word of ['长河落日圆 5', 'asdf1234 und mehr', '蓝色的海 1'])
    expect([word, isCommonPassword(word)]).toEqual([word, false])
})
