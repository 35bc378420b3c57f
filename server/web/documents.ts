/** The contract as a document, and as a page a person can read. */
import type { FastifyInstance } from 'fastify'
import type { Call } from '../contract/call.ts'
import { beyond, openapi } from '../contract/openapi.ts'
import { refusals } from '../contract/refusals.ts'
import type { Handler } from '../runtime/handle.ts'
import { escape, page } from './page.ts'

export function documentPages(app: FastifyInstance, handlers: readonly Handler[]): void {
  const calls = handlers.map((handler) => handler.call)
  let text: string | null = null
  app.get('/api/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(openapi(calls))
    return reply.type('application/json; charset=utf-8').send(text)
  })
  app.get('/api', async (_request, reply) => reply.type('text/html; charset=utf-8').send(readable(calls)))
}

function readable(calls: readonly Call[]): string {
  const document = openapi(calls)
  const rooms = Map.groupBy(calls, (call) => call.path.split('/')[2]?.toLowerCase() ?? '')
  const sections = [...rooms].map(([room, inside]) => {
    const entries = inside.map((call) => {
      const operation = document.paths[call.path]?.[call.method.toLowerCase()] as {
        description: string
        requestBody?: { content: object }
        parameters?: object[]
      }
      const asks = operation.requestBody?.content ?? operation.parameters ?? {}
      const codes = call.refuses.map((name) => `${refusals[name].code} ${name}`).join(', ') || 'only those of every call'
      return `<details id="${escape(call.at)}"><summary><code>${escape(call.method)}</code> <b>${escape(call.path)}</b> ${escape(call.does)}</summary>
<p>${escape(operation.description)} Refuses: ${escape(codes)}.</p><pre>${escape(JSON.stringify(asks, null, 1))}</pre></details>`
    })
    return `<h2>${escape(room)}</h2>${entries.join('')}`
  })
  const more = calls.flatMap((call) => (beyond[call.at] ? [[call.at, beyond[call.at] ?? ''] as const] : []))
  const lines = more.map(([at, why]) => `<li><a href="#${escape(at)}"><code>${escape(at)}</code></a> ${escape(why)}</li>`)
  return page(
    '薪函 API',
    `<h1>薪函 API</h1><p>${calls.length} calls. <a href="/api/openapi.json">openapi.json</a></p>${sections.join('')}
<h2 id="beyond">Beyond the specification</h2><p>${more.length} calls that its list does not have, and why.</p><ul>${lines.join('')}</ul>`,
  )
}
