/** The outcome of a message to a company's own system, and valid addresses. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signWebhook } from '../../../platform/webhook.ts'
import {
  buildWebhookBody,
  disableAfterMs,
  getWebhookOutcome,
  retryDelaysMs,
  validateWebhookUrl,
} from '../../../server/modules/webhooks/rules/webhook.ts'

describe('response of the receiver', () => {
  it.each([
    ['200: accepted', { status: 200 }, 1, { status: 'taken', response: '200' }],
    ['204 at the third attempt: accepted', { status: 204 }, 3, { status: 'taken', response: '204' }],
    ['a redirect is not followed: retried', { status: 302 }, 1, { status: 'again', response: '302', retryInMs: 5_000 }],
    ['500: retried with growing delays', { status: 500 }, 2, { status: 'again', response: '500', retryInMs: 300_000 }],
    ['a timeout: retried', { error: 'timeout' as const }, 3, { status: 'again', response: 'timeout', retryInMs: 1_800_000 }],
    ['410: the receiver is gone', { status: 410 }, 1, { status: 'failed', response: '410', isRemoved: true }],
    [
      'the attempts are used up',
      { status: 503 },
      retryDelaysMs.length + 1,
      { status: 'failed', response: '503', isRemoved: false },
    ],
  ])('%s', (_, answer, attempts, outcome) => {
    expect(getWebhookOutcome(answer, attempts)).toEqual(outcome)
  })

  it('retries a response for longer than the period after which the receiver is disabled', () => {
    expect(retryDelaysMs.reduce((sum, wait) => sum + wait)).toBeGreaterThan(disableAfterMs)
    expect(retryDelaysMs.toSorted((a, b) => a - b)).toEqual(retryDelaysMs)
  })
})

describe('webhook address', () => {
  it.each([
    ['https://hr.example.com/hook?token=1', false, null],
    ['http://hr.example.com/hook', false, '接收地址必须使用 https'],
    ['http://10.0.0.8/hook', true, null],
    ['hr.example.com/hook', false, '接收地址应以 https:// 开头，例如 https://hr.example.com/webhook'],
    ['ftp://hr.example.com/', true, '接收地址应以 https:// 开头，例如 https://hr.example.com/webhook'],
    ['https://me:secret@hr.example.com/', false, '接收地址里不能有账号和密码，请用签名核对来源'],
    ['https://hr.example.com/#a', false, '接收地址里不能有 #'],
  ])('validates %s (private hosts allowed: %s): %s', (url, private_hosts, error) => {
    expect(validateWebhookUrl(url, { private_hosts })).toBe(error)
  })
})

describe('webhook signature', () => {
  const at = new Date()
  const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const body = buildWebhookBody({
    event: 'slip.viewed',
    at,
    salary_id: 'a',
    batch_id: 'b',
    batch_external_id: null,
    member_id: 'c',
    employee_no: '1001',
    employee_external_id: null,
    feedback_id: null,
  })
  const headers = (over: Record<string, string> = {}) => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signWebhook({ id: 'one', body, sentAt: at }, secrets),
    ...over,
  })
  const client = (secret: Buffer | undefined) => new Webhook(`whsec_${secret?.toString('base64')}`)

  it('the library of the specification accepts a signature with either secret during a rotation', () => {
    for (const secret of secrets) expect(client(secret).verify(body, headers())).toMatchObject({ type: 'slip.viewed' })
  })
  it.each([
    ['another secret', () => client(Buffer.alloc(32, 3)).verify(body, headers())],
    ['another id', () => client(secrets[0]).verify(body, headers({ 'webhook-id': 'two' }))],
    ['one changed letter of the body', () => client(secrets[0]).verify(body.replace('viewed', 'vieweD'), headers())],
    ['an old timestamp', () => client(secrets[0]).verify(body, headers({ 'webhook-timestamp': '1700000000' }))],
  ])('the library of the specification refuses a signature with %s', (_, verify) => {
    expect(verify).toThrow()
  })
})
