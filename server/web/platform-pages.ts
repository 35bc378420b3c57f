/** Demo only: the simulated platforms' sign-in pages, on our own address, so that a browser elsewhere than on this machine reaches them. */
import type { FastifyInstance } from 'fastify'

type SimulatorResponse = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
export type PlatformSimulatorPages = {
  handle(asked: {
    method: string
    address: string
    headers: Record<string, string | undefined>
  }): Promise<SimulatorResponse | null>
}

const simulatorPath = '/dev/platform'

export function registerSimulatorPages(app: FastifyInstance, simulator: PlatformSimulatorPages): void {
  // Pages only: what our server asks of the platforms is asked on another address, which no browser reaches.
  app.get(`${simulatorPath}/*`, async (request, reply) => {
    const response = await simulator.handle({ method: 'GET', address: request.url.slice(simulatorPath.length), headers: {} })
    if (!response) return reply.code(502).send()
    return reply
      .code(response.status)
      .headers({ ...response.headers })
      .send(response.body)
  })
}
