/** Demo only: the simulated platforms' sign-in pages, on our own address, so that a browser elsewhere than on this machine reaches them. */
import type { FastifyInstance } from 'fastify'

type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
export type PageStage = {
  answer(asked: { method: string; address: string; headers: Record<string, string | undefined> }): Promise<Reply | null>
}

const path = '/dev/platform'

export function platformPages(app: FastifyInstance, stage: PageStage): void {
  // Pages only: what our server asks of the platforms is asked on another address, which no browser reaches.
  app.get(`${path}/*`, async (request, reply) => {
    const given = await stage.answer({ method: 'GET', address: request.url.slice(path.length), headers: {} })
    if (!given) return reply.code(502).send()
    return reply
      .code(given.status)
      .headers({ ...given.headers })
      .send(given.body)
  })
}
