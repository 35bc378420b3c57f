/** The log of requests: one line each, and none for probes. */
import { Writable } from 'node:stream'
import fastify, { LogController } from 'fastify'
import { expect, it } from 'vitest'
import { sendError } from '../../../server/http/envelope.ts'
import { registerRequestLog } from '../../../server/http/request-log.ts'

it('writes one line with call, error, company and duration, and none for probes and files', async () => {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const app = fastify({
    logger: { level: 'info', stream },
    logController: new LogController({ disableRequestLogging: true }),
  })
  registerRequestLog(app)
  const requestContext = { call: { name: 'getSlip' }, principal: { me: { company_id: 'company 1' } } }
  app.get('/healthz', async () => 'ok')
  app.get('/assets/main.js', async () => 'ok')
  app.get('/api/slip', async (request, reply) => {
    Object.assign(request, { requestContext })
    return sendError(reply, 200, 'not_found', '没有找到')
  })
  for (const url of ['/healthz', '/assets/main.js', '/api/slip?secret=1', '/api/none']) await app.inject({ url })
  await app.close()
  expect(lines).toMatchObject([
    { call: 'getSlip', method: 'GET', route: '/api/slip', status: 200, error: 'not_found', company: 'company 1', msg: 'request' },
    { method: 'GET', status: 404 },
  ])
  expect(lines.map(({ ms }) => typeof ms)).toEqual(['number', 'number'])
  expect(JSON.stringify(lines)).not.toContain('secret')
})
