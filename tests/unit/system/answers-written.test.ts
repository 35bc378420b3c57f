/**
 * The response serializer built from each call's schema: it can be built for every call, and it drops what no schema
 * declares.
 */
import fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { allCalls } from '../../../server/contract/index.ts'
import { createEnvelope } from '../../../server/http/envelope.ts'
import { getResponseSerializer } from '../../../server/http/serialize.ts'

const app = fastify()
app.get<{ Querystring: { at: string } }>('/', async ({ query }, reply) => {
  const call = allCalls.find(({ route }) => route === query.at)
  if (!call) throw new Error(`no call ${query.at}`)
  const write = getResponseSerializer(call, reply)
  // A response without a required field is not serialized at all.
  try {
    return { written: write({ ...createEnvelope(call.path, null), data: { undeclared: 'canary' } }) }
  } catch (error) {
    return { written: String(error) }
  }
})
afterAll(() => app.close())

it.each(allCalls.map(({ route }) => route))('%s', async (at) => {
  const response = await app.inject({ url: '/', query: { at } })
  expect(response.statusCode).toBe(200)
  const { written } = response.json<{ written: string }>()
  expect(written).toMatch(/"error_code":|is required|does not match/)
  expect(written).not.toContain('canary')
})
