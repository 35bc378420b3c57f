/** Pages of this installation behind a proxy that replaces `Host`, and pages of other sites. */
import { Writable } from 'node:stream'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { AppError } from '../../../server/http/errors.ts'
import { registerSameOrigin } from '../../../server/http/same-origin.ts'

it('accepts its own address whatever Host says, and warns once with both names', async () => {
  const warnings: Record<string, unknown>[] = []
  const stream = new Writable({
    write(line, _, done) {
      warnings.push(JSON.parse(String(line)))
      done()
    },
  })
  const app = fastify({ logger: { level: 'warn', stream } })
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
