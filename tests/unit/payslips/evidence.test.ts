/** Evidence checked by the verifier alone: every line, every receipt in it, and the seal (docs/evidence.md). */
import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalizeJson, sha256Base64Url } from '../../../server/modules/payslip-records/verifier/canonical.ts'
import {
  evidenceFormat,
  evidencePayslipFormat,
  formatSealLine,
  formatSealText,
  formatTimeStampLine,
  formatTimeStampText,
  HashChain,
} from '../../../server/modules/payslip-records/verifier/evidence.ts'
import { verifyFile } from '../../../server/modules/payslip-records/verifier/file.ts'
import { computeCommitment, hashHandwriting } from '../../../server/modules/payslip-records/verifier/receipt.ts'
import { getAuthority, getToken } from '../../support/outside/time-stamps.ts'
import { trial } from '../../support/run/trial.ts'
import { company_id, flipped, getEntry, nextKey, says, signed } from './proof/receipts.ts'

const first = nextKey('2025-11-01T00:00:00.000Z')
const key = nextKey('2026-11-01T00:00:00.000Z', first)
const salt = 'A'.repeat(43)
const getForm = (at: number) =>
  canonicalizeJson({ form: 'xinhan-slip/1', slip_id: slipId(at), version: 2, net: { label: '实发', fen: 800_000 + at } })
const slipId = (at: number) => `01930000-0000-7000-8000-00000000000${at}`
const path = 'M10 10L20 20'

const slipLine = (at: number, more: object = {}, opened: object = {}) => {
  const [form, handwriting] = [getForm(at), at % 2 === 0 ? path : null]
  const receipt = signed(key, {
    slip_id: slipId(at),
    slip: computeCommitment(salt, sha256Base64Url(form)),
    handwriting: handwriting && hashHandwriting(handwriting),
  })
  return {
    form: evidencePayslipFormat,
    slip_id: slipId(at),
    person: '欧阳娜娜',
    version: 2,
    status: 'confirmed',
    department: '研发部',
    sent_at: '2026-11-05T02:00:00.000Z',
    slip: form,
    moments: [{ viewed_at: '2026-11-05T03:00:00.000Z' }],
    messages: [{ version: 1, about: 'slip', channel: 'sms', status: 'accepted' }],
    changes: [{ version: 2, column: '绩效', from: '1,000.00', to: '1,200.00', reason: '补发', by: '王会计' }],
    questions: [],
    receipts: [{ receipt, form, hash: sha256Base64Url(form), salt, handwriting, ...opened }],
    ...more,
  }
}
function evidence(slips: readonly object[], { seal = {}, by = key }: { seal?: object; by?: typeof key } = {}): Buffer {
  const chain = new HashChain()
  const keys = [first, key].map(getEntry)
  const head = {
    form: evidenceFormat,
    company_id,
    company: '示例公司',
    title: '10月工资',
    month: '2026-10',
    made_at: says.signed_at,
    keys,
  }
  const lines = [head, ...slips].map(canonicalizeJson)
  for (const line of lines) chain.add(line)
  const sealed = { ...chain.end, company_id, kid: key.kid, signed_at: says.signed_at, ...seal }
  return Buffer.from(
    [...lines, formatSealLine(sealed, sign(null, Buffer.from(formatSealText(sealed)), by.secret).toString('base64url'))].join(
      '\n',
    ),
  )
}
const getReason = (bytes: Buffer): string => {
  const checked = verifyFile(bytes)
  return checked.genuine ? 'genuine' : checked.reason
}
const authority = getAuthority()
/** The same package with a time stamp on its seal. */
function stamped(
  pack: Buffer,
  { of = '', by = key, at = new Date('2026-11-23T05:20:00Z'), change = (token: Buffer) => token } = {},
): Buffer {
  const seal = pack.toString().split('\n').at(-1) ?? ''
  const hash = Buffer.from(sha256Base64Url(of || seal), 'base64url')
  const token = change(getToken(authority, { hash, nonce: null, at })).toString('base64url')
  const stamp = { company_id, kid: key.kid, token }
  const line = formatTimeStampLine(stamp, sign(null, Buffer.from(formatTimeStampText(stamp)), by.secret).toString('base64url'))
  return Buffer.concat([pack, Buffer.from(`\n${line}`)])
}
const good = evidence([slipLine(1), slipLine(2), slipLine(3)])
const getLines = (change: (lines: string[]) => string[]) => Buffer.from(change(good.toString().split('\n')).join('\n'))

describe('evidence package', () => {
  it('accepts an evidence package and states how much was checked', () => {
    expect(verifyFile(good)).toMatchObject({
      genuine: true,
      lines: [
        '证据包：示例公司 · 10月工资 · 2026-10',
        '3 张工资条，3 份确认回执，逐份有效；全部内容与封签一致。',
        '封签时间：2026-11-06 10:03:04（北京时间）',
        '没有第三方时间戳：封签时间是这家公司的系统自己说的',
      ],
      kids: [first.kid, key.kid],
    })
  })

  it.each([
    ['a missing line', getLines((all) => all.toSpliced(2, 1)), 'forged'],
    ['a duplicate line', getLines((all) => all.toSpliced(2, 0, all[2] ?? '')), 'forged'],
    ['two swapped lines', getLines(([a = '', b = '', c = '', ...more]) => [a, c, b, ...more]), 'forged'],
    ['a missing seal', getLines((all) => all.slice(0, -1)), 'damaged'],
    ['an empty line at the end', getLines((all) => [...all, '']), 'damaged'],
    ['a changed amount', Buffer.from(good.toString().replace('1,200.00', '1,300.00')), 'forged'],
    ["another company's seal", evidence([slipLine(1)], { by: nextKey('2026-11-01T00:00:00.000Z') }), 'forged'],
    ['a seal older than the key', evidence([slipLine(1)], { seal: { signed_at: '2026-10-01T00:00:00.000Z' } }), 'forged'],
    // The amounts that the company itself seals must match the confirmed ones, too.
    [
      'a payslip that was not confirmed',
      evidence([slipLine(1, {}, { form: getForm(2), hash: sha256Base64Url(getForm(2)) })]),
      'forged',
    ],
    ['a form that does not match its hash', evidence([slipLine(1, {}, { form: getForm(2) })]), 'forged'],
    ['the receipt of another payslip', evidence([slipLine(1, { slip_id: slipId(5) })]), 'forged'],
    ['another handwritten signature', evidence([slipLine(2, {}, { handwriting: 'M0 0L1 1' })]), 'forged'],
    ['a missing handwritten signature', evidence([slipLine(2, {}, { handwriting: null })]), 'forged'],
    ['another salt', evidence([slipLine(1, {}, { salt: 'B'.repeat(42) + 'A' })]), 'forged'],
  ])('refuses an evidence package with %s', (_what, bytes, why) => expect(getReason(bytes)).toBe(why))

  it('shows the time and authority of the time stamp and returns the authority’s fingerprint', () => {
    const checked = verifyFile(stamped(good))
    expect(checked).toMatchObject({ genuine: true, authority: expect.stringMatching(/^[\da-f]{64}$/) as string })
    expect(checked.genuine && checked.lines.join('\n')).toContain(
      '第三方时间戳：2026-11-23 13:20:00（北京时间），由「试用时间戳机构」签发',
    )
    expect(verifyFile(good)).toMatchObject({ genuine: true, authority: null })
  })
  it.each([
    ['of another package', stamped(good, { of: 'another seal' }), 'forged'],
    ["with another authority's signature", stamped(good, { by: nextKey('2026-11-01T00:00:00.000Z') }), 'forged'],
    ['older than the key', stamped(good, { at: new Date('2026-10-01T00:00:00Z') }), 'forged'],
    ['truncated', stamped(good, { change: (token) => token.subarray(0, -4) }), 'damaged'],
    ['twice', stamped(stamped(good)), 'damaged'],
  ])('refuses an evidence package with a time stamp %s', (_, pack, why) => {
    expect(getReason(pack)).toBe(why)
  })
  it('uses the hash where the form of an old confirmation is missing', () =>
    expect(getReason(evidence([slipLine(1, {}, { form: null })]))).toBe('genuine'))

  trial(
    'evidence-bits',
    'refuses a package with its time stamp after any change of one bit',
    { full: 20_000, sample: 400, of: 'changed bits', goal: '14' },
    ({ size, random, says: notify }) => {
      const believed: number[] = []
      const pack = stamped(good)
      for (let at = 0; at < size; at += 1) {
        const bit = random.below(pack.length * 8)
        if (verifyFile(flipped(pack, bit)).genuine) believed.push(bit)
      }
      notify(`${believed.length} believed`)
      expect(believed).toEqual([])
    },
  )
})
