/** Tests the contract as a document, calls with other spellings, and requests that the transport rejects. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isVersionedPath } from '../../server/contract/call.ts'
import { allCalls } from '../../server/contract/index.ts'
import { buildCollection } from '../../server/contract/openapi/collection.ts'
import { listVersionedOperations } from '../../server/contract/openapi/examples.ts'
import { toTemplatePath } from '../../server/contract/openapi/versioned.ts'
import { callsBeyondSpec } from '../../server/contract/openapi.ts'
import { demoWorld } from '../support/demo.ts'

const world = demoWorld()

it('names every call in the OpenAPI document', async () => {
  const response = await world.product.app.inject({ url: '/api/openapi.json' })
  const document = response.json<{ openapi: string; paths: Record<string, Record<string, unknown>> }>()
  expect(document.openapi).toBe('3.1.0')
  for (const call of allCalls) expect(document.paths[toTemplatePath(call)]?.[call.method.toLowerCase()], call.route).toBeDefined()
})

it('serves the readable page next to the document', async () => {
  const response = await world.product.app.inject({ url: '/api', headers: { accept: 'text/html' } })
  expect(response.headers['content-type']).toContain('text/html')
  for (const call of allCalls) expect(response.body).toContain(call.path)
})

it('renders the reference of the versioned calls, with an anchor for every error that problem details name', async () => {
  const { body, statusCode } = await world.product.app.inject({ url: '/api/reference', headers: { accept: 'text/html' } })
  const document = (await world.product.app.inject({ url: '/api/openapi.json' })).json()
  const operations = listVersionedOperations(document)
  expect([statusCode, operations.length]).toEqual([200, allCalls.filter(({ path }) => isVersionedPath(path)).length])
  for (const { name, response, errors } of operations) {
    expect(body, name).toContain(`<details id="${name}">`)
    expect(response, name).not.toBeNull()
    for (const error of errors) expect(body, error).toContain(`id="error-${error}"`)
  }
})

it('makes a collection with one request for every versioned call', async () => {
  const document = (await world.product.app.inject({ url: '/api/openapi.json' })).json()
  const { item } = buildCollection(document)
  const routes = item.flatMap(({ item: list }) => list.map(({ request }) => `${request.method} /${request.url.path.join('/')}`))
  const versioned = allCalls.filter(({ path }) => isVersionedPath(path))
  expect(routes.toSorted()).toEqual(versioned.map(({ route }) => route).toSorted())
})

describe('calls beyond the specification', () => {
  it('both documents give the reason for each call beyond the specification', async () => {
    const document = (await world.product.app.inject({ url: '/api/openapi.json' })).json()
    const { body } = await world.product.app.inject({ url: '/api', headers: { accept: 'text/html' } })
    const existing = new Map(allCalls.map((call) => [call.route, call]))
    for (const [at, why] of Object.entries(callsBeyondSpec)) {
      const call = existing.get(at)
      expect(call, at).toBeDefined()
      const operation = document.paths[call ? toTemplatePath(call) : '']?.[call?.method.toLowerCase() ?? '']
      expect(operation['x-beyond-the-specification'], at).toBe(why)
      expect(body).toContain(`<li><a href="#${at}">`)
    }
    expect(body).toContain(`${Object.keys(callsBeyondSpec).length} calls that its list does not have`)
  })

  const list = new URL('../../../shared/calls.md', import.meta.url)
  it.skipIf(!existsSync(list))('calls beyond the specification are exactly those that ../shared/calls.md does not name', () => {
    const named = namedIn(readFileSync(list, 'utf8'))
    const provider = (path: string) => path.toLowerCase().replace(/\/(lark|wecom|dingtalk)\//, '/{provider}/')
    expect(
      allCalls
        .filter(({ path }) => !named.has(provider(path)))
        .map(({ route }) => route)
        .sort(),
    ).toEqual(Object.keys(callsBeyondSpec).sort())
  })
})

/**
 * Returns the paths in the list of calls. Some sections write only the last part of a path, and name its prefix in
 * their title.
 */
function namedIn(text: string): Set<string> {
  const named = new Set<string>()
  let channel: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) channel = /\(`?(\/api\/[a-z]+\/)/i.exec(line)?.[1]
    for (const [, word = ''] of line.matchAll(/`(?:(?:GET|POST|PUT|DELETE) )?([A-Za-z_/{}]+)/g))
      if (word.startsWith('/')) named.add(word.toLowerCase())
      else if (channel) named.add((channel + word).toLowerCase())
    for (const [path] of line.matchAll(/\/api\/[A-Za-z_]+\/[A-Za-z_]+/gi)) named.add(path.toLowerCase())
  }
  return named
}

it.each([
  ['another letter case', 'POST', '/API/INDEX/GETVERIFYCODE'],
  ['a trailing slash', 'POST', '/api/index/getVerifyCode/'],
])('routes %s to the same call', async (_why, method, url) => {
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
  ['a GET request to a POST call', { method: 'GET', url: '/api/index/login' }, 404],
  [
    'a `__proto__` key in JSON',
    {
      method: 'POST',
      url: '/api/index/login',
      headers: { 'content-type': 'application/json' },
      payload: '{"__proto__":{"a":1}}',
    },
    400,
  ],
])('keeps the HTTP status and the envelope for %s', async (_why, request, status) => {
  const response = await world.product.app.inject(request as never)
  expect(response.statusCode).toBe(status)
  expect(response.json()).toMatchObject({
    error_code: expect.any(Number),
    error_msg: expect.stringMatching(/[一-鿿]/),
    errmsg: expect.any(String),
  })
})

it('refuses a call from a page of another site', async () => {
  const response = await world.product.app.inject({
    method: 'POST',
    url: '/api/index/login',
    headers: { origin: 'https://evil.example' },
    payload: { phone: '13900000000', password: 'x' },
  })
  expect(response.json()).toMatchObject({ error_code: 100403 })
})
