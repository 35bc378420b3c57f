/** A real nginx with the documented configuration in front of a real server: only ports, domain and certificate differ. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { login } from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { messageKinds } from '../../../server/contract/messages/sms-templates.ts'
import { getSlip } from '../../../server/contract/payslips/employee.ts'
import { uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { type ServerProcess, startOnDatabase } from '../../support/run/processes.ts'
import { freePort } from '../../support/run/server.ts'
import { getNet, payOne } from '../../support/slips.ts'

const world = demoWorld(true)
const domain = 'pay.example.cn'
const secret = '梅兰竹菊 2026'
const mb = 1024 * 1024
const limit = 2_400

/** Debian installs it where the path of an ordinary user does not lead. */
const program = ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0)
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
beforeEach(({ skip }) => skip(!program || !hasOpenssl, 'nginx and openssl are not installed'))

/** The user without any rights. */
const unprivileged = 65_534
const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}
const example = readFileSync('deploy/nginx.conf', 'utf8')

type Proxy = { readonly http: number; readonly https: number; stop(): Promise<void> }
type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

let dir: string
let server: ServerProcess
let proxy: Proxy

/** Starts nginx as an unprivileged user on the example, after `nginx -t`. */
async function startNginx(change: (config: string) => string = (config) => config): Promise<Proxy> {
  const [http, https] = [await freePort(), await freePort()]
  const site = change(example)
    .replaceAll(/listen (\[::\]:)?80;/g, (_, v6) => (v6 ? '' : `listen 127.0.0.1:${http};`))
    .replaceAll(/listen (\[::\]:)?443 ssl http2;/g, (_, v6) => (v6 ? '' : `listen 127.0.0.1:${https} ssl http2;`))
    .replaceAll('/etc/ssl/xinhan', dir)
    .replaceAll('127.0.0.1:8080', new URL(server.address).host)
  const home = mkdtempSync(join(dir, 'nginx-'))
  if (user.uid) chownSync(home, user.uid, user.gid)
  const file = join(home, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`)
  writeFileSync(
    file,
    `pid ${home}/pid; error_log stderr; daemon off; worker_processes 1;
events { worker_connections 1024; }
http { access_log off; ${temporary.join(' ')}
${site}
}`,
  )
  const options = ['-p', home, '-e', 'stderr', '-c', file]
  const checked = spawnSync(program ?? '', ['-t', ...options], { ...user, encoding: 'utf8' })
  expect(checked.stderr).toContain('test is successful')
  const child: ChildProcess = spawn(program ?? '', options, { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const isReady = () =>
    send({ http, https }, '/healthz')
      .then(({ status }) => status === 200)
      .catch(() => false)
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    await sleep(50)
  }
  return {
    http,
    https,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Options = { method?: string; headers?: Record<string, string>; body?: string | Buffer; from?: string }
/** Makes one request over TLS with the domain's certificate; `from` is another address of this machine. */
const send = (
  { https: port }: Pick<Proxy, 'http' | 'https'>,
  path: string,
  { method = 'GET', headers = {}, body, from }: Options = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        servername: domain,
        ca: readFileSync(join(dir, 'fullchain.pem')),
        headers: { host: domain, ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
        agent: false,
        ...(from ? { localAddress: from } : {}),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => void (text += chunk))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      },
    )
    request.once('error', reject)
    request.end(body)
  })

/** Sends the head of a request and nothing of its body. */
function holdRequest({ https: port }: Proxy): ClientRequest {
  const headers = { host: domain, 'content-length': '10', 'content-type': 'application/json' }
  const options = { host: '127.0.0.1', port, path: login.path, method: 'POST', servername: domain, headers, agent: false }
  const request = httpsRequest({ ...options, ca: readFileSync(join(dir, 'fullchain.pem')) })
  request.on('error', () => undefined)
  request.flushHeaders()
  return request
}

const json = (input: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: `https://${domain}` },
  body: JSON.stringify(input),
})

/** Signs in and returns the headers of the session. */
async function signIn(mobile: string, more: Options = {}): Promise<Record<string, string>> {
  const request = json({ phone: mobile, password: secret })
  const reply = await send(proxy, login.path, { ...request, ...more, headers: { ...request.headers, ...more.headers } })
  const { error_code, data } = JSON.parse(reply.body) as { error_code: number; data: { token: string } }
  expect([reply.status, error_code]).toEqual([200, 0])
  const cookies = (reply.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '')
  const xsrf = cookies.find((pair) => pair.startsWith('XSRF-TOKEN='))?.slice('XSRF-TOKEN='.length) ?? ''
  return { cookie: cookies.join('; '), 'user-token': data.token, 'x-xsrf-token': xsrf, origin: `https://${domain}` }
}

beforeAll(async () => {
  if (!program || !hasOpenssl) return
  dir = mkdtempSync(join(tmpdir(), 'xinhan-nginx-'))
  chmodSync(dir, 0o755)
  const [certificate, key] = [join(dir, 'fullchain.pem'), join(dir, 'privkey.pem')]
  const subject = ['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain}`]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', certificate]
  expect(spawnSync('openssl', made).status).toBe(0)
  chmodSync(key, 0o644)
  server = await startOnDatabase(world, { env: { XINHAN_TRUST_PROXY: '127.0.0.1,::1' } })
  proxy = await startNginx()
})
afterAll(async () => {
  await proxy?.stop()
  await server?.stop()
  if (dir) rmSync(dir, { recursive: true, force: true })
})

describe('the nginx example', () => {
  it('redirects to TLS, and closes what is for monitoring', async () => {
    const plain = await new Promise<string[]>((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port: proxy.http, path: '/m/login', headers: { host: domain } },
        (response) => {
          response.resume()
          resolve([String(response.statusCode), response.headers.location ?? ''])
        },
      )
      request.once('error', reject).end()
    })
    expect(plain).toEqual(['301', `https://${domain}/m/login`])
    expect([(await send(proxy, '/metrics')).status, (await send(proxy, '/readyz')).status]).toEqual([404, 404])
    const page = await send(proxy, '/healthz')
    expect(page.headers['strict-transport-security']).toContain('max-age=')
    expect(page.headers.server).toBe('nginx')
  })

  it('carries sign-in, a payslip, and an upload of 15 MB, and refuses one of 51 MB', async () => {
    const corp = await world.createCompany()
    const clerk = await givePassword(world, await corp.person({ power: ['2'] }), secret)
    const person = await givePassword(world, await corp.person(), secret)
    const { slip_id } = await payOne({ world, corp, clerk, caller: await world.signIn(clerk) }, person)
    const reader = await signIn(person.mobile)
    const request = json({ slip_id })
    const viewed = await send(proxy, getSlip.path, { ...request, headers: { ...request.headers, ...reader } })
    expect(JSON.parse(viewed.body)).toMatchObject({ error_code: 0, data: { slip: { net: { fen: getNet(2) } } } })

    const link = await send(proxy, `${messageKinds.slip.linkPath}${slip_id.replaceAll('-', '')}`)
    expect([link.status, link.headers.location]).toEqual([302, `/m/slip/${slip_id}?from=sms`])

    const uploader = await signIn(clerk.mobile)
    const upload = (bytes: number) => {
      const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="工资.xlsx"\r\n\r\n'
      const body = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'x'), Buffer.from('\r\n--b--\r\n')])
      const headers = { ...uploader, 'content-type': 'multipart/form-data; boundary=b' }
      return send(proxy, uploadWageExcel.path, { method: 'POST', headers, body })
    }
    const read = await upload(15 * mb)
    // It arrived as a whole: what is refused is its content.
    expect([read.status, JSON.parse(read.body).error_code]).toEqual([200, errorCodes.unreadable_sheet.code])
    const tooLarge = await upload(51 * mb).catch((error: NodeJS.ErrnoException) => error.code)
    // nginx answers before the body has arrived, and may close the connection first.
    expect(typeof tooLarge === 'object' ? tooLarge.status : tooLarge).toSatisfy((result) =>
      [413, 'ECONNRESET', 'EPIPE'].includes(result as string | number),
    )
  })

  it('passes on the address of the caller, which the server believes from the proxy only', async () => {
    const corp = await world.createCompany()
    const person = await givePassword(world, await corp.person({ power: ['1'] }), secret)
    await signIn(person.mobile, { from: '127.0.0.3', headers: { 'x-forwarded-for': '203.0.113.9' } })
    const direct = (from: string) =>
      new Promise<void>((resolve, reject) => {
        const { headers, body } = json({ phone: person.mobile, password: secret })
        const { hostname: host, port } = new URL(server.address)
        const options = { host, port, path: login.path, method: 'POST', localAddress: from }
        httpRequest({ ...options, headers: { ...headers, host: domain, 'x-forwarded-for': '203.0.113.9' } }, (response) =>
          response.resume().once('end', resolve),
        )
          .once('error', reject)
          .end(body)
      })
    await direct('127.0.0.4')
    await direct('127.0.0.1')
    const sessions = await world.database.withoutCompany((tx) =>
      tx.selectFrom('session').select('address').where('account_id', '=', person.account_id).orderBy('created_at').execute(),
    )
    expect(sessions.map(({ address }) => address)).toEqual(['127.0.0.3', '127.0.0.4', '203.0.113.9'])
  })

  it('limits the simultaneous requests of one address', async () => {
    expect(example).toContain(`limit_conn xinhan ${limit};`)
    const small = await startNginx((config) => config.replace(`limit_conn xinhan ${limit};`, 'limit_conn xinhan 2;'))
    try {
      // Two requests whose bodies do not arrive stand at nginx; the next one of the address is refused.
      const open = [holdRequest(small), holdRequest(small)]
      await expect.poll(async () => (await send(small, '/healthz')).status).toBe(503)
      expect((await send(small, '/healthz', { from: '127.0.0.5' })).status).toBe(200)
      for (const request of open) request.destroy()
      await expect.poll(async () => (await send(small, '/healthz')).status).toBe(200)
    } finally {
      await small.stop()
    }
  })
})
