/** Overload of the event loop: calls are told when to retry; pages, static files and health checks are answered. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getAvailableCorps } from '../../../server/contract/auth/sign-in.ts'
import { startWorld, type World } from '../../support/world.ts'

let dir = ''
let world: World
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'xinhan-client-'))
  await mkdir(join(dir, 'assets'))
  await writeFile(join(dir, 'app.html'), '<!doctype html><script src="/assets/page.js"></script>')
  await writeFile(join(dir, 'm-slips.html'), '<!doctype html><script src="/assets/page.js"></script>')
  await writeFile(join(dir, 'assets/page.js'), 'document.title = "薪函"')
  // Any event loop exceeds this limit: the test checks what is rejected, not when.
  world = await startWorld({ shed: { loop_ms: 1e-9 }, client_dir: dir })
})
afterAll(async () => {
  await world?.close()
  await rm(dir, { recursive: true, force: true })
})

const get = (url: string, accept = '*/*') => world.product.app.inject({ method: 'GET', url, headers: { accept } })
/** The loop is measured once a second; until then there is no measurement. */
const pressed = () =>
  expect
    .poll(async () => (await world.product.app.inject({ method: 'POST', url: getAvailableCorps.path })).statusCode, {
      timeout: 20_000,
    })
    .toBe(503)

test('rejects a call with a retry time and without having started it', async () => {
  await pressed()
  const answer = await world.product.app.inject({ method: 'POST', url: getAvailableCorps.path })
  expect(answer.headers['retry-after']).toBe('5')
  expect(answer.json()).toMatchObject({ error_msg: '服务繁忙，请稍后再试', data: { retry_after: 5, shed: true } })
})

test('rejects as soon as the request headers have arrived, without page headers', async () => {
  await pressed()
  const address = await world.listen()
  const answer = await fetch(new URL(getAvailableCorps.path, address), { method: 'POST' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(await answer.json()).toMatchObject({ data: { retry_after: 5, shed: true } })
  expect((await fetch(new URL('/healthz', address))).status).toBe(200)
})

test.each(['/api/v1/key', '/api/v1/batches/0192f0c1-0000-7000-8000-000000000001'])(
  'rejects %s with problem details, which programs expect',
  async (path) => {
    await pressed()
    const address = await world.listen()
    const answer = await fetch(new URL(path, address), { headers: { authorization: 'Bearer xh_unknown' } })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(await answer.json()).toEqual({
      type: '/api/reference#error-too_often',
      title: '操作过于频繁，请稍后再试',
      status: 503,
      detail: '服务繁忙，请稍后再试',
      code: 'too_often',
      request_id: answer.headers.get('x-request-id'),
      retry_after: 5,
      shed: true,
    })
  },
)

test.each([
  ['/assets/page.js', '*/*', 'document.title'],
  ['/', 'text/html', 'page.js'],
  ['/wageAdmin', 'text/html', 'page.js'],
  ['/m/slips', 'text/html', 'page.js'],
  ['/healthz', '*/*', '"ok":true'],
])('answers %s', async (url, accept, part) => {
  await pressed()
  const answer = await get(url, accept)
  expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining(part)])
})
