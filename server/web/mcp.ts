/**
 * The MCP server over HTTP (streamable, stateless). An API key authenticates; each tool makes calls below /api/v1 through
 * the pipeline of this server, so limits, scopes, addresses and audit entries are those of the key.
 */
import type { McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type ApiKeyScope, apiKeyScopes } from '../contract/api-keys/api-keys.ts'
import { readApiKey } from '../http/credentials.ts'
import { ApiError, createCallApi, loadScopes } from '../mcp/call-api.ts'

/** A wage sheet as base64. */
const maxBodyBytes = 8 * 1024 * 1024

/** The SDK is loaded by the first request: most companies have no assistant. */
const loadSdk = () => import('../mcp/server.ts')

export function registerMcp(app: FastifyInstance, { origin }: { readonly origin: string }): void {
  const createApi = (key: string, address: string) =>
    createCallApi({ origin, key, send: (request) => injectRequest(app, request, address) })
  const createServer = async ({ authInfo }: McpRequestContext) => {
    const { token = '', scopes = [], extra = {} } = authInfo ?? {}
    const callApi = createApi(token, String(extra.address))
    const { createMcpServer } = await loadSdk()
    return createMcpServer(
      { callApi, origin },
      apiKeyScopes.filter((scope) => scopes.includes(scope)),
    )
  }
  let handler: McpHttpHandler | undefined
  app.post('/mcp', { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const key = readApiKey(request.headers)
    if (key === null) return reply.code(401).header('www-authenticate', 'Bearer').send()
    let scopes: readonly ApiKeyScope[]
    try {
      scopes = await loadScopes(createApi(key, request.ip))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.retryAfter !== null) reply.header('retry-after', error.retryAfter)
      return reply.code(error.status).type('application/problem+json').send(JSON.stringify(error.problem))
    }
    const { accept = '' } = request.headers
    const headers = new Headers({ 'content-type': 'application/json', accept })
    for (const [name, value] of Object.entries(request.headers))
      if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value)
    // Nothing is announced later, so no stream stays open.
    handler ??= (await loadSdk()).createMcpHandler(createServer, { maxSubscriptions: 0, keepAliveMs: 0 })
    const response = await handler.fetch(
      new Request(new URL('/mcp', origin), { method: 'POST', headers, body: JSON.stringify(request.body) }),
      { authInfo: { token: key, clientId: 'api_key', scopes: [...scopes], extra: { address: request.ip } } },
    )
    return reply
      .code(response.status)
      .type(response.headers.get('content-type') ?? 'application/json')
      .send(await response.text())
  })
  for (const method of ['GET', 'DELETE'] as const)
    app.route({ method, url: '/mcp', handler: async (_request, reply) => reply.code(405).header('allow', 'POST').send() })
}

/** Sends a request through the routes of this server, as from this address. */
async function injectRequest(app: FastifyInstance, request: Request, address: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { statusCode, headers, rawPayload } = await app.inject({
    method: request.method as InjectOptions['method'] & string,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(request.headers),
    payload: Buffer.from(await request.arrayBuffer()),
    remoteAddress: address,
  })
  return new Response(new Uint8Array(rawPayload), {
    status: statusCode,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
  })
}
