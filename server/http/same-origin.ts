/** Rejects writing requests from pages of another origin, which the browser names in the `Origin` header. */
import type { FastifyInstance } from 'fastify'
import { AppError } from './errors.ts'

export function registerSameOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, headers: { origin, host } }) => {
    if (method === 'GET' || method === 'HEAD') return
    if (origin === undefined || origin === 'null' || !host) return
    if (!URL.canParse(origin) || new URL(origin).host !== host) throw new AppError('not_permitted')
  })
}
