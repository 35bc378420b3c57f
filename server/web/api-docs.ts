/** The contract as an OpenAPI document, and as an HTML page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../contract/call.ts'
import { errorCodes } from '../contract/errors.ts'
import { type ApiDocumentOptions, buildOpenApiDocument } from '../contract/openapi/document.ts'
import { toTemplatePath } from '../contract/openapi/versioned.ts'
import { callsBeyondSpec } from '../contract/openapi.ts'
import type { Database } from '../database/database.ts'
import { sendError } from '../http/envelope.ts'
import type { Handler } from '../http/handler.ts'
import { findNavigatingUser, getSessionCookieName } from '../http/sessions.ts'
import type { Clock } from '../shared/clock.ts'
import { version } from '../shared/version.ts'
import { renderApiReference } from './api-reference.ts'
import { escapeHtml, renderPage } from './html-page.ts'

export type ApiDocsOptions = Omit<ApiDocumentOptions, 'version'> & {
  readonly database: Database
  readonly clock: Clock
  /** Whether everybody may read the document; otherwise only administrators who are signed in. */
  readonly public_api_docs: boolean
}

export function registerApiDocs(app: FastifyInstance, handlers: readonly Handler[], options: ApiDocsOptions): void {
  const calls = handlers.map((handler) => handler.call)
  let document: ReturnType<typeof buildOpenApiDocument> | null = null
  const getDocument = () => (document ??= buildOpenApiDocument(calls, { ...options, version }))
  let text: string | null = null
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (options.public_api_docs || (await isAdministrator(request, options))) return
    return sendError(reply, 404, 'not_found', '接口文档请登录企业后台后再打开')
  }
  app.get('/api/openapi.json', { preHandler }, async (_request, reply) => {
    text ??= JSON.stringify(getDocument())
    return reply.type('application/json; charset=utf-8').send(text)
  })
  app.get('/api/reference', { preHandler }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(renderApiReference(getDocument())),
  )
  app.get('/api', { preHandler }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(renderApiPage(calls, getDocument().paths)),
  )
}

/** A navigation brings the cookie of a session only, which suffices to read what holds no data of a company. */
async function isAdministrator({ cookies }: FastifyRequest, { database, clock, https }: ApiDocsOptions): Promise<boolean> {
  const cookie = cookies[getSessionCookieName(https)]
  const user = cookie ? await findNavigatingUser(database, cookie, clock.now()) : null
  return user !== null && user.power.length > 0
}

function renderApiPage(allCalls: readonly Call[], paths: ReturnType<typeof buildOpenApiDocument>['paths']): string {
  const calls = allCalls.filter((call) => paths[toTemplatePath(call)]?.[call.method.toLowerCase()])
  const groups = Map.groupBy(calls, (call) => call.path.split('/')[2]?.toLowerCase() ?? '')
  const sections = [...groups].map(([group, groupCalls]) => {
    const entries = groupCalls.map((call) => {
      const operation = paths[toTemplatePath(call)]?.[call.method.toLowerCase()]
      const requestSchema = operation?.requestBody?.content ?? operation?.parameters ?? {}
      const codes = call.errors.map((name) => `${errorCodes[name].code} ${name}`).join(', ') || 'only those of every call'
      return `<details id="${escapeHtml(call.route)}"><summary><code>${escapeHtml(call.method)}</code> <b>${escapeHtml(call.path)}</b> ${escapeHtml(call.summary)}</summary>
<p>${escapeHtml(operation?.description ?? '')} Refuses: ${escapeHtml(codes)}.</p><pre>${escapeHtml(JSON.stringify(requestSchema, null, 1))}</pre></details>`
    })
    return `<h2>${escapeHtml(group)}</h2>${entries.join('')}`
  })
  const extraCalls = calls.flatMap((call) =>
    callsBeyondSpec[call.route] ? [[call.route, callsBeyondSpec[call.route] ?? ''] as const] : [],
  )
  const lines = extraCalls.map(
    ([at, reason]) => `<li><a href="#${escapeHtml(at)}"><code>${escapeHtml(at)}</code></a> ${escapeHtml(reason)}</li>`,
  )
  return renderPage(
    '薪函 API',
    `<h1>薪函 API</h1><p>${calls.length} calls. <a href="/api/openapi.json">openapi.json</a></p>${sections.join('')}
<h2 id="beyond">Beyond the specification</h2><p>${extraCalls.length} calls that its list does not have, and why.</p><ul>${lines.join('')}</ul>`,
  )
}
