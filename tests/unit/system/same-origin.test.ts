/** Pages of this installation behind a proxy that replaces `Host`, and pages of other sites. */
import { Writable } from 'node:stream'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { AppError } from '../../../server/http/errors.ts'
import { registerSameOrigin, warnOfUntrustedProxy } from '../../../server/http/same-origin.ts'

function collectWarnings() {
  const warnings: Record<string, unknown>[] = []
  const stream = new Writable({
    write(line, _, done) {
      warnings.push(JSON.parse(String(line)))
      done()
    },
  })
  return { warnings, logger: { level: 'warn', stream } }
}

it('accepts its own address whatever Host says, and warns once with both names', async () => {
  const { warnings, logger } = collectWarnings()
  const app = fastify({ logger })
  registerSameOrigin(app, { origin: 'https://pay.example.cn' })
  app.setErrorHandler((error, _, reply) => reply.code(error instanceof AppError ? 403 : 500).send())
  app.post('/', async () => '')
  const post = async (origin: string, host: string): Promise<number> =>
    (await app.inject({ method: 'POST', url: '/', headers: { origin, host } })).statusCode

  expect(await post('https://pay.example.cn', 'pay.example.cn')).toBe(200)
  expect(warnings).toEqual([])
  for (let count = 0; count < 3; count += 1) expect(await post('https://pay.example.cn', 'upstream:3000')).toBe(200)
  for (const origin of ['https://evil.example', 'http://pay.example.cn:81', 'https://pay.example.cn.evil.example', 'nonsense'])
    expect(await post(origin, 'pay.example.cn')).toBe(403)
  expect(warnings).toMatchObject([{ origin: 'https://pay.example.cn', host: 'upstream:3000' }])
  await app.close()
})

it.each([
  ['a proxy that is not trusted', false as const, '192.0.2.1', 1],
  ['another proxy than the trusted one', ['198.51.100.1'], '192.0.2.1', 1],
  ['the trusted proxy', ['192.0.2.1'], '192.0.2.1', 0],
])('warns once of X-Forwarded-For from %s', async (_, trustProxy, remoteAddress, expected) => {
  const { warnings, logger } = collectWarnings()
  const app = fastify({ logger, trustProxy })
  warnOfUntrustedProxy(app)
  app.get('/', async () => '')
  await app.inject({ url: '/', remoteAddress })
  for (let count = 0; count < 3; count += 1)
    await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-for': '203.0.113.7' } })
  expect(warnings).toHaveLength(expected)
  if (expected) expect(warnings).toMatchObject([{ from: remoteAddress, msg: expect.stringContaining('XINHAN_TRUST_PROXY') }])
  await app.close()
})
