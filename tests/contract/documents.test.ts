/** The contract as a document; calls of other spellings; what the transport refuses. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { calls } from '../../server/contract/index.ts'
import { sharedWorld, type World } from '../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world.close())

it('the OpenAPI document names every call', async () => {
  const response = await world.product.app.inject({ url: '/api/openapi.json' })
  const document = response.json<{ openapi: string; paths: Record<string, Record<string, unknown>> }>()
  expect(document.openapi).toBe('3.1.0')
  for (const call of calls) expect(document.paths[call.path]?.[call.method.toLowerCase()], call.at).toBeDefined()
})

it('the readable page stands beside it', async () => {
  const response = await world.product.app.inject({ url: '/api', headers: { accept: 'text/html' } })
  expect(response.headers['content-type']).toContain('text/html')
  for (const call of calls) expect(response.body).toContain(call.path)
})

it.each([
  ['other case', 'POST', '/API/INDEX/GETVERIFYCODE'],
  ['a slash at the end', 'POST', '/api/index/getVerifyCode/'],
])('the same call under %s', async (_why, method, url) => {
  const response = await world.product.app.inject({ method: method as 'POST', url, payload: { phone: 'x', type: 'login' } })
  expect(response.json()).toMatchObject({ error_code: 100001, data: { field: 'phone' } })
})

it.each([
  [
    'malformed JSON',
    { method: 'POST', url: '/api/index/login', headers: { 'content-type': 'application/json' }, payload: '{' },
    400,
  ],
  ['an unknown path', { method: 'POST', url: '/api/no/such', payload: {} }, 404],
  [
    'another media type',
    { method: 'POST', url: '/api/index/login', headers: { 'content-type': 'text/plain' }, payload: 'x' },
    415,
  ],
  ['a body of 2 MB', { method: 'POST', url: '/api/index/login', payload: { phone: 'x'.repeat(2_000_000) } }, 413],
  ['a GET of a POST call', { method: 'GET', url: '/api/index/login' }, 404],
  [
    'a prototype in JSON',
    {
      method: 'POST',
      url: '/api/index/login',
      headers: { 'content-type': 'application/json' },
      payload: '{"__proto__":{"a":1}}',
    },
    400,
  ],
])('%s keeps its HTTP status and still carries the envelope', async (_why, request, status) => {
  const response = await world.product.app.inject(request as never)
  expect(response.statusCode).toBe(status)
  expect(response.json()).toMatchObject({
    error_code: expect.any(Number),
    error_msg: expect.stringMatching(/[一-鿿]/),
    errmsg: expect.any(String),
  })
})

it("another site's page may not make a call", async () => {
  const response = await world.product.app.inject({
    method: 'POST',
    url: '/api/index/login',
    headers: { origin: 'https://evil.example' },
    payload: { phone: '13900000000', password: 'x' },
  })
  expect(response.json()).toMatchObject({ error_code: 100403 })
})
