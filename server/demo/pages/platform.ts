/**
 * Demo only: the sign-in pages of the simulated platforms under our own address, so that browsers on other machines can
 * reach them.
 */
import type { FastifyInstance } from 'fastify'

type SimulatorResponse = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
export type PlatformSimulatorPages = {
  handle(request: {
    method: string
    address: string
    headers: Record<string, string | undefined>
  }): Promise<SimulatorResponse | null>
}

const simulatorPath = '/dev/platform'

export function registerSimulatorPages(app: FastifyInstance, simulator: PlatformSimulatorPages): void {
  // Pages only: our server's requests to the platforms use another address, which no browser reaches.
  app.get(`${simulatorPath}/*`, async (request, reply) => {
    const response = await simulator.handle({ method: 'GET', address: request.url.slice(simulatorPath.length), headers: {} })
    if (!response) return reply.code(502).send()
    return reply
      .code(response.status)
      .headers({ ...response.headers })
      .send(response.body)
  })
}
