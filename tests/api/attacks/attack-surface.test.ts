/** What a server in production shows to strangers besides its pages and calls. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { logout } from '../../../server/contract/auth/sign-in.ts'
import { registerSameOrigin } from '../../../server/http/same-origin.ts'
import { startWorld, type World } from '../../support/world.ts'

let world: World
const client_dir = mkdtempSync(join(tmpdir(), 'client-'))
beforeAll(async () => {
  writeFileSync(join(client_dir, 'app.html'), '<html></html>')
  world = await startWorld({ production: true, client_dir })
})
afterAll(async () => {
  await world.close()
  rmSync(client_dir, { recursive: true })
})
const get = (url: string, remoteAddress = '203.0.113.9') =>
  world.product.app.inject({ url, remoteAddress, headers: { accept: 'text/html,*/*' } })

it.each(['/robots.txt', '/.env', '/package.json', '/.git/config', '/wp-login.php', '/.env?x=/login'])(
  'has no page at %s',
  async (url) => {
    expect((await get(url)).statusCode).toBe(404)
  },
)

it('tells robots not to index pages, and browsers which permissions they need', async () => {
  const { statusCode, headers } = await get('/pc/page/login/login.html')
  expect([statusCode, headers['x-robots-tag']]).toEqual([200, 'noindex'])
  expect(headers['permissions-policy']).toContain('camera=()')
})

it.each([
  ['203.0.113.9', 404],
  ['127.0.0.1', 200],
  ['::ffff:10.0.0.4', 200],
  ['fd00::4', 200],
])('metrics for %s: %i', async (address, status) => {
  expect((await get('/metrics', address)).statusCode).toBe(status)
})

it.each(['/api', '/api/openapi.json'])('describes the API at %s to administrators who are signed in only', async (url) => {
  const corp = await world.createCompany()
  const open = (headers: Record<string, string> = {}) => world.product.app.inject({ url, headers })
  expect((await open()).statusCode).toBe(404)
  expect((await open({ cookie: 'sid=invented' })).statusCode).toBe(404)
  const employee = await world.signIn(await corp.person())
  expect((await open({ cookie: employee.headers.cookie ?? '' })).statusCode).toBe(404)
  const admin = await world.signIn(await corp.person({ power: ['1'] }))
  const page = await open({ cookie: admin.headers.cookie ?? '' })
  expect([page.statusCode, page.body.includes('/api/ops/')]).toEqual([200, false])
  await admin.must(logout)
  expect((await open({ cookie: admin.headers.cookie ?? '' })).statusCode).toBe(404)
})

it('refuses two Host headers, and a page of no origin unless the browser says that it is ours', async () => {
  const app = fastify()
  registerSameOrigin(app, { origin: 'http://pay.example' })
  app.post('/', async () => 'done')
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const post = (...lines: string[]): Promise<string> =>
    new Promise((resolve) => {
      let heard = ''
      const head = ['POST / HTTP/1.1', ...lines, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n')
      const socket = connect(port, '127.0.0.1', () => socket.write(head))
      socket.on('data', (bytes) => (heard += bytes.toString()))
      socket.on('close', () => resolve(heard))
    })
  expect(await post('Host: pay.example')).toContain('done')
  expect(await post('Host: pay.example', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 400 /)
  expect(await post('Host: pay.example', 'Origin: null')).not.toContain('done')
  expect(await post('Host: pay.example', 'Origin: null', 'Sec-Fetch-Site: cross-site')).not.toContain('done')
  expect(await post('Host: pay.example', 'Origin: null', 'Sec-Fetch-Site: same-origin')).toContain('done')
})
