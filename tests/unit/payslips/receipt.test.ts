/**
 * Receipts checked by the verifier alone: what it accepts, what it refuses, and that it needs nothing but Node
 * (docs/receipt.md).
 */
import { spawnSync } from 'node:child_process'
import { createPublicKey, sign, verify } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { canonicalizeJson, VerificationError } from '../../../server/modules/payslip-records/verifier/canonical.ts'
import { verifyFile } from '../../../server/modules/payslip-records/verifier/file.ts'
import { formatKeyStatement } from '../../../server/modules/payslip-records/verifier/keys.ts'
import {
  extractReceipt,
  formatReceiptFile,
  parseReceipt,
  verifyReceiptSignature,
} from '../../../server/modules/payslip-records/verifier/receipt.ts'
import { trial } from '../../support/run/trial.ts'
import { company_id, flipped, getEntry, getFile, nextKey, says, signed } from './proof/receipts.ts'

const root = join(import.meta.dirname, '../../..')
const first = nextKey('2025-11-01T00:00:00.000Z')
const second = nextKey('2026-11-01T00:00:00.000Z', first)
const outsider = nextKey('2025-11-01T00:00:00.000Z')
const getReason = (bytes: Buffer): string => {
  const checked = verifyFile(bytes)
  return checked.genuine ? 'genuine' : checked.reason
}

describe('receipt file', () => {
  it('accepts a receipt file and describes what was confirmed without any pay amount', () => {
    const checked = verifyFile(getFile(second, [first, second]))
    expect(checked).toEqual({
      genuine: true,
      lines: [
        '确认回执：示例科技有限公司 · 欧阳娜娜 · 2026-10 · 第 2 版工资条',
        '本人点击确认：2026-11-06 10:03:04（北京时间）',
        '签发时间：2026-11-06 10:03:04（北京时间）',
      ],
      kid: second.kid,
      kids: [first.kid, second.kid],
      key_count: 2,
      authority: null,
    })
  })

  it('does not vouch by the company’s public key if a forger appended that key behind another one', () => {
    const forger = nextKey('2025-11-01T00:00:00.000Z')
    const then = '2026-10-01T00:00:00.000Z'
    const { kid, x, since } = second
    const signature = sign(null, Buffer.from(formatKeyStatement(company_id, { kid, x, since })), forger.secret).toString(
      'base64url',
    )
    const forged = formatReceiptFile(signed(forger, { confirmed_at: then, signed_at: then }), [
      getEntry(forger),
      { kid, x, since, signature },
    ])
    expect(verifyFile(Buffer.from(forged))).toMatchObject({ genuine: true, kids: [forger.kid] })
  })

  const cut = (text: string) => Buffer.from(text)
  const good = getFile(second, [first, second]).toString()
  const turned = Buffer.from(formatReceiptFile(signed(second), [second, first].map(getEntry)))
  it.each([
    ['nothing', cut(''), 'unreadable'],
    ['another file', cut('{"form":"xinhan-own-data/1"}'), 'unreadable'],
    ['half of the file', cut(good.slice(0, 500)), 'unreadable'],
    ['white space before the content', cut(` ${good}`), 'damaged'],
    ['an additional line', cut(`${good}\n`), 'damaged'],
    ['an additional field', cut(good.replace('{', '{"a":1,')), 'damaged'],
    ['a byte-order mark', cut(`\ufeff${good}`), 'unreadable'],
    ['another signer', getFile(outsider, [first, second]), 'unknown_key'],
    ["another company's keys", getFile(outsider, [first, outsider]), 'forged'],
    ['keys in another order', turned, 'forged'],
    ['a signature before the key existed', getFile(second, [first, second], { signed_at: '2026-10-01T00:00:00.000Z' }), 'forged'],
    [
      'a signature long after the key ended',
      getFile(first, [first, second], { signed_at: '2026-11-20T00:00:00.000Z' }),
      'forged',
    ],
    [
      'a confirmation later than the signature',
      getFile(second, [first, second], { confirmed_at: '2027-01-01T00:00:00.000Z' }),
      'forged',
    ],
    [
      'a signature in a year of six digits',
      getFile(second, [first, second], { signed_at: '+275760-09-13T00:00:00.000Z' }),
      'damaged',
    ],
    ['nesting beyond any stack', cut(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), 'unreadable'],
    ['a missing company', getFile(second, [first, second], { company_id: 'x' }), 'damaged'],
  ])('refuses a receipt with %s', (_what, bytes, why) => expect(getReason(bytes)).toBe(why))

  it('prints only its own lines, even if a name contains line breaks', () => {
    const checked = verifyFile(
      getFile(second, [first, second], { company: '甲\n  指纹与您提供的一致。\u001b[2K', person: '乙\u202e丙' }),
    )
    expect(checked.genuine && checked.lines[0]).toBe(
      '确认回执：甲\ufffd  指纹与您提供的一致。\ufffd[2K · 乙\ufffd丙 · 2026-10 · 第 2 版工资条',
    )
  })

  trial(
    'receipt-bits',
    'refuses a receipt, its file or its address after any change of one bit',
    {
      full: 20_000,
      sample: 400,
      of: 'changed bits',
      goal: '14',
    },
    ({ size, random, says: notify }) => {
      const file = getFile(second, [first, second])
      const receipt = Buffer.from(signed(second))
      const believed: string[] = []
      for (let at = 0; at < size; at += 1) {
        const isFull = at % 2 === 0
        const bit = random.below((isFull ? file : receipt).length * 8)
        if (isFull && verifyFile(flipped(file, bit)).genuine) believed.push(`bit ${bit} of the file`)
        if (isFull) continue
        try {
          verifyReceiptSignature(parseReceipt(flipped(receipt, bit).toString()), [first, second].map(getEntry))
          believed.push(`bit ${bit} of the receipt`)
        } catch (error) {
          if (!(error instanceof VerificationError)) throw error
        }
      }
      notify(`${believed.length} believed`)
      expect(believed).toEqual([])
    },
  )

  it('checks every bit of the signature, including the unused bits of the last character', () => {
    const text = signed(first)
    const last = text.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const other of alphabet.replace(last, ''))
      expect(() => verifyReceiptSignature(parseReceipt(text.slice(0, -1) + other), [getEntry(first)])).toThrow(VerificationError)
  })
})

describe('receipt as a signature', () => {
  it('issues the receipt as a JWS that any library reads: its parts, its key, its signature', () => {
    const [head = '', body = '', signature = ''] = signed(first).split('.')
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: first.kid })
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual(says)
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: first.x }, format: 'jwk' })
    expect(verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  })
  it('finds the receipt in the address that its code leads to', () => {
    expect(extractReceipt(`  https://pay.example.cn/m/verify#${signed(first)}\n`)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })
  it('has the same canonical form of a receipt in the verifier and in the library', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        fc.pre(!/[\ud800-\udfff]/.test(JSON.stringify(value)))
        expect(canonicalizeJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 200 },
    )
  })
})

/** The program alone in a folder of its own. */
function alone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-verify-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['server/commands/verify.ts', 'server/modules/payslip-records/verifier']) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, '回执.json'), getFile(second, [first, second]))
  writeFileSync(join(folder, '改过.json'), flipped(getFile(second, [first, second]), 900))
  return folder
}
/** Runs without any network where this machine can disable it. */
const offline = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn', process.execPath] : [process.execPath]
function run(folder: string, ...args: string[]) {
  const [program = '', ...before] = offline
  const { status, stdout } = spawnSync(program, [...before, 'server/commands/verify.ts', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  return { status, stdout }
}

describe('verify command in an empty folder without network', () => {
  it('describes each receipt file and fails for an invalid one', () => {
    const folder = alone()
    const good = run(folder, '回执.json', '--key', first.kid)
    expect(good.stdout).toContain('真实  回执.json')
    expect(good.stdout).toContain('示例科技有限公司 · 欧阳娜娜')
    expect(good.stdout).toContain('指纹与您提供的一致')
    expect(good.status).toBe(0)
    const both = run(folder, '回执.json', '改过.json', 'nowhere.json')
    expect([...both.stdout.matchAll(/^(真实|不成立)/gm)].map(([word]) => word)).toEqual(['真实', '不成立', '不成立'])
    expect(both.status).toBe(1)
    expect(run(folder, '回执.json', '--key', outsider.kid)).toMatchObject({ status: 1 })
    expect(run(folder).status).toBe(2)
    expect(run(folder, '回执.json', '--keys', first.kid).status).toBe(2)
  })
  it('accepts a thumbprint that begins like an option', () => {
    const folder = alone()
    let dashed = nextKey('2026-11-01T00:00:00.000Z')
    while (!dashed.kid.startsWith('-')) dashed = nextKey('2026-11-01T00:00:00.000Z')
    writeFileSync(join(folder, '减号.json'), getFile(dashed, [dashed]))
    expect(run(folder, '减号.json', '--key', dashed.kid)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('指纹与您提供的一致'),
    })
    expect(run(folder, '--key', dashed.kid, '回执.json')).toMatchObject({ status: 1 })
  })
  it('imports nothing except Node modules and its own files', () => {
    const folder = join(root, 'server/modules/payslip-records/verifier')
    const from = readdirSync(folder).flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1] ?? ''),
    )
    expect(from.filter((path) => !/^(node:|\.\/)/.test(path))).toEqual([])
  })
})
