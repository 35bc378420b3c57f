/** Time stamps (RFC 3161): the query, what is accepted, and that another program agrees. */
import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTimeStampClient } from '../../../platform/wire/time-stamp.ts'
import {
  buildTimeStampQuery,
  readTimeStampToken,
  requestTimeStamp,
} from '../../../server/modules/payslip-records/time-stamp-request.ts'
import { VerificationError } from '../../../server/modules/payslip-records/verifier/canonical.ts'
import { verifyTimeStamp } from '../../../server/modules/payslip-records/verifier/time-stamp.ts'
import { getAuthority, getToken, granted, type Mood, openAuthority } from '../../support/outside/time-stamps.ts'
import { trial } from '../../support/run/trial.ts'

const hash = createHash('sha256').update('an evidence').digest()
const at = new Date('2026-11-23T05:20:00Z')
const nonce = Buffer.from('1122334455667788', 'hex')
const getReason = (token: Buffer, of = hash): string => {
  try {
    verifyTimeStamp(token, of)
    return 'genuine'
  } catch (error) {
    if (error instanceof VerificationError) return error.reason
    throw error
  }
}

describe('time stamp token', () => {
  it.each(['ec', 'rsa'] as const)('accepts a token by a key of kind %s with its time, authority and certificate', (kind) => {
    const authority = getAuthority({ kind })
    const { fingerprint256 } = new X509Certificate(authority.certificate)
    expect(verifyTimeStamp(getToken(authority, { hash, nonce, at }), hash)).toEqual({
      at: at.toISOString(),
      authority: '试用时间戳机构',
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      nonce: nonce.toString('hex'),
    })
  })
  const good = getToken(getAuthority(), { hash, nonce, at })
  it.each([
    ['for something else', good, createHash('sha256').update('another').digest(), 'forged'],
    ['with an additional byte', Buffer.concat([good, Buffer.from([0])]), hash, 'damaged'],
    ['a truncated token', good.subarray(0, -1), hash, 'damaged'],
    ['by a key for web servers', getToken(getAuthority({ usage: '1.3.6.1.5.5.7.3.1' }), { hash, nonce, at }), hash, 'forged'],
    [
      'by an expired certificate',
      getToken(getAuthority({ until: new Date('2026-11-22T00:00:00Z') }), { hash, nonce, at }),
      hash,
      'forged',
    ],
    [
      'by a certificate that is not yet valid',
      getToken(getAuthority({ since: new Date('2026-11-24T00:00:00Z') }), { hash, nonce, at }),
      hash,
      'forged',
    ],
    ['a file that is no token', Buffer.from('3003020101', 'hex'), hash, 'damaged'],
  ])('refuses a time stamp: %s', (_, token, of, why) => {
    expect(getReason(token, of)).toBe(why)
  })
})

const program = 'openssl'
describe('agreement with openssl', () => {
  let folder = ''
  let hasOpenssl = true
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'xinhan-tsa-'))
    try {
      execFileSync(program, ['version'], { stdio: 'ignore' })
    } catch {
      hasOpenssl = false
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const put = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return name
  }
  const openssl = (...labels: string[]) => execFileSync(program, labels, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })

  it('openssl accepts our query and the tokens signed by our simulator', ({ skip }) => {
    skip(!hasOpenssl, 'openssl is not installed')
    const authority = getAuthority()
    put('query.tsq', buildTimeStampQuery(hash, nonce.toString('hex')))
    put('reply.tsr', granted(getToken(authority, { hash, nonce, at: new Date() })))
    put('ca.pem', new X509Certificate(authority.certificate).toString())
    expect(openssl('ts', '-query', '-in', 'query.tsq', '-text').toString()).toMatch(
      /Hash Algorithm: sha256[\s\S]*Nonce: 0x1122334455667788[\s\S]*Certificate required: yes/,
    )
    expect(openssl('ts', '-verify', '-in', 'reply.tsr', '-queryfile', 'query.tsq', '-CAfile', 'ca.pem').toString()).toContain(
      'OK',
    )
  })
  it('accepts tokens signed by openssl with a certificate chain', ({ skip }) => {
    skip(!hasOpenssl, 'openssl is not installed')
    put(
      'tsa.cnf',
      '[req]\ndistinguished_name=dn\nprompt=no\n[dn]\nCN=Other authority\n[ext]\nextendedKeyUsage=critical,timeStamping\n[tsa]\ndefault_tsa=one\n[one]\nserial=./serial\ncrypto_device=builtin\nsigner_digest=sha512\ndefault_policy=1.2.3.4.1\nother_policies=1.2.3.4.2\ndigests=sha256,sha512\naccuracy=secs:1\ness_cert_id_alg=sha256\nordering=yes\ntsa_name=yes\n',
    )
    put('serial', '0A\n')
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'ca.key',
      '-out',
      'root.pem',
      '-days',
      '9',
      '-subj',
      '/CN=Root',
      '-config',
      'tsa.cnf',
    )
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'tsa.key',
      '-out',
      'tsa.csr',
      '-subj',
      '/CN=Other authority',
      '-config',
      'tsa.cnf',
    )
    openssl(
      'x509',
      '-req',
      '-in',
      'tsa.csr',
      '-CA',
      'root.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '9',
      '-extfile',
      'tsa.cnf',
      '-extensions',
      'ext',
      '-out',
      'tsa.pem',
    )
    put('query.tsq', buildTimeStampQuery(hash, nonce.toString('hex')))
    openssl(
      'ts',
      '-reply',
      '-config',
      'tsa.cnf',
      '-queryfile',
      'query.tsq',
      '-signer',
      'tsa.pem',
      '-inkey',
      'tsa.key',
      '-chain',
      'root.pem',
      '-out',
      'reply.der',
    )
    const token = readTimeStampToken(execFileSync('cat', [join(folder, 'reply.der')]))
    expect(verifyTimeStamp(token, hash)).toMatchObject({ authority: 'Other authority', nonce: nonce.toString('hex') })
    expect(getReason(token, createHash('sha256').update('x').digest())).toBe('forged')
  })
})

describe('time stamp requests over HTTP', () => {
  const clocks: (() => void)[] = []
  afterAll(() => {
    for (const close of clocks) close()
  })
  it.each<[Mood, object]>([
    ['well', { token: expect.any(String) as string }],
    ['slow', { error: '时间戳服务没有回应' }],
    ['refuses', { error: '时间戳服务拒绝了请求' }],
    ['hangs up', { error: '时间戳服务没有回应' }],
    ['a page', { error: '时间戳服务没有回应' }],
    ['endless', { error: '时间戳服务没有回应' }],
    ['other nonce', { error: '时间戳服务答非所问' }],
    ['other hash', { error: '时间戳不成立：不是给这份内容的' }],
    ['garbage', { error: '时间戳的内容不完整，或被改动过' }],
  ])('fails for a service that is %s', async (mood, outcome) => {
    const service = await openAuthority()
    clocks.push(service.close)
    service.state.mood = mood
    // A service that responds at all gets enough time for a busy machine.
    const patience = mood === 'slow' || mood === 'endless' ? 400 : 60_000
    expect(await requestTimeStamp('an evidence', createTimeStampClient(service.url, patience))).toMatchObject(outcome)
  })
})

trial(
  'stamp-bits',
  'refuses a time stamp after a change of one bit, or reads the same content of the same authority',
  { full: 20_000, sample: 400, of: 'changed bits', goal: '14' },
  ({ size, random, says: notify }) => {
    const good = getToken(getAuthority(), { hash, nonce, at })
    const message = verifyTimeStamp(good, hash)
    let same = 0
    for (let tried = 0; tried < size; tried += 1) {
      const token = Buffer.from(good)
      const bit = random.below(good.length * 8)
      token[bit >> 3] = (token[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      if (getReason(token) !== 'genuine') continue
      same += 1
      expect(verifyTimeStamp(token, hash)).toEqual(message)
    }
    // Data outside any signature; in evidence the company's own signature covers it.
    notify(`${same} of them in what the authority does not sign`)
  },
)
