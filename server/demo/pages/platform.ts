/**
 * Demo only: the pages of the simulated platforms under our own address, so that browsers on other machines can reach
 * them. A card that is tapped in a chat signs its recipient in, as the real chat client does.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type ChatProvider, providers } from '../../contract/shared/providers.ts'
import type { DemoChatApp } from '../chat-companies.ts'

type SimulatorResponse = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
export type PlatformSimulatorPages = {
  handle(request: {
    method: string
    address: string
    headers: Record<string, string | undefined>
  }): Promise<SimulatorResponse | null>
  /** Returns what binds a company to its simulated platform. */
  openApp(company_id: string, provider: ChatProvider): Promise<DemoChatApp>
}

const simulatorPath = '/dev/platform'
const appParams = z.object({ provider: z.enum(providers), company_id: z.uuid() })

/** Returns what the binding dialog enters; null where the platforms are not simulated here. */
export function registerDemoChatApps(app: FastifyInstance, simulator: PlatformSimulatorPages | null): void {
  app.get('/dev/platform-app/:provider/:company_id', async ({ params }, reply) => {
    const { success, data } = appParams.safeParse(params)
    return success ? { app: (await simulator?.openApp(data.company_id, data.provider)) ?? null } : reply.code(404).send()
  })
}

export function registerSimulatorPages(app: FastifyInstance, simulator: PlatformSimulatorPages): void {
  const getPage = (address: string) => simulator.handle({ method: 'GET', address, headers: {} })
  app.get<{ Params: { provider: string }; Querystring: { to?: string } }>(
    `${simulatorPath}/:provider/_/open`,
    async (request, reply) => {
      const response = await getPage(request.url.slice(simulatorPath.length))
      const link = response?.headers?.location
      const { provider } = request.params
      const url = link ? await signInRecipient(app, getPage, { request, reply, provider, link }) : null
      return url ? reply.redirect(url) : sendPage(reply, response)
    },
  )
  // Pages only: our server's requests to the platforms use another address, which no browser reaches.
  app.get(`${simulatorPath}/*`, async (request, reply) => sendPage(reply, await getPage(request.url.slice(simulatorPath.length))))
}

const sendPage = (reply: FastifyReply, response: SimulatorResponse | null) =>
  response
    ? reply
        .code(response.status)
        .headers({ ...response.headers })
        .send(response.body)
    : reply.code(502).send()

type TappedCard = {
  readonly request: FastifyRequest<{ Querystring: { to?: string } }>
  readonly reply: FastifyReply
  readonly provider: string
  /** Where the card leads. */
  readonly link: string
}

/**
 * Takes the way of a web sign-in for the recipient: our own start of the sign-in, and the platform's page on which that
 * user agrees. Returns the address that redeems the code; null for a card that needs no sign-in.
 */
async function signInRecipient(
  app: FastifyInstance,
  getPage: (address: string) => Promise<SimulatorResponse | null>,
  { request, reply, provider, link }: TappedCard,
): Promise<string | null> {
  const { pathname, searchParams } = new URL(link)
  if (pathname !== '/entry') return null
  const started = await app.inject({
    method: 'GET',
    url: `/api/platform/${provider}/authorize?${new URLSearchParams({ corp: searchParams.get('corp') ?? '' })}`,
    headers: { cookie: request.headers.cookie ?? '', 'user-agent': request.headers['user-agent'] ?? '' },
    remoteAddress: request.ip,
  })
  // The sign-in is bound to this browser.
  const cookies = started.headers['set-cookie']
  if (cookies) reply.header('set-cookie', cookies)
  const start = new URL(started.headers.location ?? '/', link)
  // The company has left the platform: the sign-in page says so.
  if (!start.pathname.startsWith(`${simulatorPath}/`)) return start.pathname + start.search
  start.searchParams.set('as', request.query.to ?? '')
  const agreed = await getPage(start.pathname.slice(simulatorPath.length) + start.search)
  if (!agreed?.headers?.location) return null
  const entry = new URL(agreed.headers.location, link)
  const page = searchParams.get('page')
  if (page) entry.searchParams.set('page', page)
  // Without the origin, under which the demo may not be reachable.
  return entry.pathname + entry.search
}
