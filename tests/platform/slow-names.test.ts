/**
 * Names entered by customers: one whose name server never answers costs its own messages only. The system's resolver
 * works on libuv's thread pool, which all messages of the installation share.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createHostResolver } from '../../platform/host-resolver.ts'
import { createMailSender } from '../../platform/mail/index.ts'
import { createSmsSender } from '../../platform/sms/index.ts'
import { postWebhook } from '../../platform/webhook.ts'
import { transfer } from '../support/outside/counter.ts'
import { startMailServer } from '../support/outside/mail-server.ts'
import { startNameServer } from '../support/outside/name-server.ts'
import { startSmsGateway } from '../support/outside/sms-gateway.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
async function openNameServer(names: Parameters<typeof startNameServer>[0] = {}) {
  const server = await startNameServer(names)
  closers.push(() => server.close())
  return server
}
const post = (url: string, options: Parameters<typeof postWebhook>[2]) =>
  postWebhook({ url, secrets: [Buffer.from('secret')] }, { id: '1', body: '{}', sentAt: new Date() }, options)
const code = {
  id: '01890000-0000-7000-8000-000000000001',
  to: '13800001234',
  message: { kind: 'code' as const, params: { code: '012345' } },
}

/** Occupies the four threads of libuv's pool with pipes that nobody writes to, without any processor time. */
function occupyThreadPool(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pool-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (let thread = 0; thread < 4; thread += 1) open(pipe, 'r', (_, handle) => closeSync(handle))
  return () => {
    closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK))
    rmSync(folder, { recursive: true })
  }
}

test('eight messages to a name that never answers are one lookup, and a code by SMS leaves meanwhile', async () => {
  const names = await openNameServer()
  const gateway = await startSmsGateway('aliyun', () => new Date())
  closers.push(gateway.simulator.close)
  const endpoint = gateway.settings.endpoint.replace('127.0.0.1', 'localhost')
  const sms = createSmsSender({ ...gateway.settings, endpoint }, () => new Date())
  const options = { allowPrivateHosts: false, resolveHost: createHostResolver({ servers: [names.address] }) }
  const began = performance.now()
  const posts = Array.from({ length: 8 }, () => post('https://a.slow.example/x', options))
  const mail = createMailSender(
    { host: 'a.slow.example', port: 465, security: 'tls', user: '', password: '', from: 'a@b.cn', sender: '甲' },
    options,
  ).send([{ id: 'mail', to: 'b@b.cn', kind: 'slip', text: '【薪函】甲：乙，丙', variables: [], link: null, name: '乙' }])
  await transfer(sms, [code])
  const codeMs = performance.now() - began
  expect(gateway.simulator.accepted).toHaveLength(1)
  expect(codeMs).toBeLessThan(2_000)
  expect(new Set((await Promise.all(posts)).map((response) => JSON.stringify(response)))).toEqual(
    new Set(['{"error":"no_address"}']),
  )
  expect(await mail).toMatchObject([{ result: 'put_off' }])
  expect(performance.now() - began).toBeLessThan(8_000)
  // One question of each type, and its repetition.
  expect([...names.questions.keys()].toSorted()).toEqual(['a.slow.example A', 'a.slow.example AAAA'])
  expect(Math.max(...names.questions.values())).toBeLessThanOrEqual(2)
  // The failure is cached.
  expect(await post('https://a.slow.example/x', options)).toEqual({ error: 'no_address' })
  expect(Math.max(...names.questions.values())).toBeLessThanOrEqual(2)
}, 20_000)

test("a customer's name is resolved while libuv's thread pool is occupied, and its checked address is connected to", async () => {
  const receiver = createServer((request, response) => response.writeHead(request.headers.host ? 204 : 400).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  closers.push(() => receiver.close())
  const mailServer = await startMailServer({})
  closers.push(() => mailServer.close())
  const bound = receiver.address()
  if (!bound || typeof bound === 'string') throw new Error('the receiver has no port')
  const names = await openNameServer({ 'b.example': ['8.8.8.8'] })
  const release = occupyThreadPool()
  closers.push(release)
  const wait = Promise.race([
    Promise.all([
      post(`http://localhost:${bound.port}/x`, { allowPrivateHosts: true }),
      createMailSender(
        { host: 'localhost', port: mailServer.port, security: 'none', user: '', password: '', from: 'a@b.cn', sender: '甲' },
        { allowPrivateHosts: true },
      ).send([{ id: 'mail', to: 'b@b.cn', kind: 'slip', text: '【薪函】甲：乙，丙', variables: [], link: null, name: '乙' }]),
      createHostResolver({ servers: [names.address] })('b.example'),
    ]),
    new Promise((resolve) => setTimeout(() => resolve('blocked'), 3_000)),
  ])
  expect(await wait).toMatchObject([{ status: 204 }, [{ result: 'accepted' }], ['8.8.8.8']])
}, 20_000)

test('the time of a message includes the lookup of its name', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  closers.push(() => (silent.closeAllConnections(), silent.close()))
  const bound = silent.address()
  if (!bound || typeof bound === 'string') throw new Error('the receiver has no port')
  const began = performance.now()
  const answer = await post(`http://slow.example:${bound.port}/x`, {
    allowPrivateHosts: true,
    timeoutMs: 3_000,
    resolveHost: () => new Promise((resolve) => setTimeout(() => resolve(['127.0.0.1']), 2_500)),
  })
  expect(answer).toEqual({ error: 'timeout' })
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('an address in the own network is refused by name, and the answer is asked again after a minute', async () => {
  let now = 0
  const names = await openNameServer({
    'a.example': ['10.0.0.8'],
    'b.example': ['8.8.8.8', '2606:4700::1111'],
    'none.example': [],
  })
  const resolveHost = createHostResolver({ servers: [names.address], now: () => now })
  expect(await post('https://a.example/x', { allowPrivateHosts: false, resolveHost })).toEqual({ error: 'not_public' })
  expect(await resolveHost('B.example.')).toEqual(['8.8.8.8', '2606:4700::1111'])
  expect(await resolveHost('none.example')).toEqual([])
  expect(await resolveHost('b.example')).toEqual(['8.8.8.8', '2606:4700::1111'])
  expect(names.questions.get('b.example A')).toBe(1)
  now = 60_001
  await resolveHost('b.example')
  expect(names.questions.get('b.example A')).toBe(2)
})
