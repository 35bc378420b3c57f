/**
 * Platform callbacks to our address: verified, stored once, read again; forged ones have no effect. trust.md C1–C5, C7,
 * C9, G19.
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createPlatforms } from '../../../platform/index.ts'
import { PlatformError } from '../../../platform/types.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { StandInDirectory } from '../../support/outside/directory.ts'
import { trial } from '../../support/run/trial.ts'
import type { Caller, Corp } from '../../support/world.ts'

const there = new StandInDirectory()
const vendors = createPlatforms()
const world = demoWorld({ platforms: { ...vendors, lark: { ...vendors.lark, directory: there.port } } })
const keys = { token: 'verification-token', aes_key: 'encrypt-key' }
const app = { provider: 'lark' as const, corp_id: 'tenant_callbacks', app_id: 'cli_callbacks', secret: there.secret }

let corp: Corp
let head: Caller
let url: string

/** Encrypts and signs an event as the platform does. */
function sealed(
  event: object,
  change: { key?: string; at?: number; token?: string; tenant?: string; id?: string; type?: string } = {},
) {
  const { key = keys.aes_key, at = world.clock.now().getTime(), token = keys.token, tenant = app.corp_id } = change
  const header = {
    event_id: change.id ?? newId(),
    event_type: change.type ?? 'contact.user.updated_v3',
    create_time: String(at),
    token,
    app_id: app.app_id,
    tenant_key: tenant,
  }
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), iv)
  const plain = JSON.stringify({ schema: '2.0', header, event })
  const body = JSON.stringify({ encrypt: Buffer.concat([iv, cipher.update(plain), cipher.final()]).toString('base64') })
  const [timestamp, nonce] = [String(Math.floor(at / 1000)), randomBytes(4).toString('hex')]
  const signature = createHash('sha256').update(`${timestamp}${nonce}${key}${body}`).digest('hex')
  return {
    body,
    headers: { 'x-lark-request-timestamp': timestamp, 'x-lark-request-nonce': nonce, 'x-lark-signature': signature },
  }
}
const notify = async ({ body, headers }: ReturnType<typeof sealed>, to = url) => {
  const answer = await world.product.app.inject({
    method: 'POST',
    url: to,
    payload: body,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  return answer.statusCode
}
const about = (...ids: string[]) => ({ object: { open_id: ids[0] } })
const findExisting = () =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('platform_event').select(['id', 'done_at']).where('company_id', '=', corp.company_id).execute(),
  )
const display = async () => (await head.must(binding.getPlatformInfo)).bound

beforeAll(async () => {
  corp = await world.createCompany({ provider: null })
  head = await world.signIn(await corp.person({ power: ['1'] }))
  there.department('0', '云杉')
  for (let at = 0; at < 12; at += 1) there.person(`ou_${at}`, `同事${at}`)
  await head.must(binding.bindPlatform, app)
  await world.product.jobs.drain()
  const { sync } = await head.must(binding.getSyncStatus)
  await head.must(binding.applySync, { sync_id: sync?.sync_id ?? '' })
  await world.product.jobs.drain()
  url = new URL((await display())?.callback_url ?? '').pathname
})

it('ignores callbacks without keys, and answers unknown addresses as nonexistent', async () => {
  expect(await notify(sealed(about('ou_1')))).toBe(503)
  expect(await notify(sealed(about('ou_1')), `/api/platform/lark/callback/${newId()}`)).toBe(404)
  expect(await notify(sealed(about('ou_1')), url.replace('lark', 'wecom'))).toBe(404)
  expect(await notify(sealed(about('ou_1')), '/api/platform/lark/callback/..%2f')).toBe(404)
  await head.must(binding.bindPlatform, { ...app, ...keys })
  // Cached address data is refreshed after a while; here another process looks it up.
  expect(await findExisting()).toEqual([])
})

const wrong: [string, () => ReturnType<typeof sealed>][] = [
  ['another key', () => sealed(about('ou_1'), { key: 'another' })],
  ['a token of somebody else', () => sealed(about('ou_1'), { token: 'another' })],
  ["another company's event", () => sealed(about('ou_1'), { tenant: 'tenant_other' })],
  ['ten minutes old', () => sealed(about('ou_1'), { at: world.clock.now().getTime() - 600_000 })],
  ['no signature', () => ({ ...sealed(about('ou_1')), headers: {} as never })],
  [
    'one bit',
    () => {
      const notified = sealed(about('ou_1'))
      const at = 20 + Math.floor(notified.body.length / 2)
      return {
        ...notified,
        body: notified.body.slice(0, at) + (notified.body[at] === 'A' ? 'B' : 'A') + notified.body.slice(at + 1),
      }
    },
  ],
]
const forged = { full: 10_000, sample: 120, of: 'callbacks', goal: 'C1 C3 C5 G19' }
/** The number of parallel callbacks. */
const a_flood = 16
/** Returns the median response time of a page of the company in ms. */
async function waits(goesOn: (times: number) => boolean): Promise<number> {
  const times: number[] = []
  while (goesOn(times.length)) {
    const began = performance.now()
    await display()
    times.push(performance.now() - began)
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}
trial(
  'forged',
  'ignores a forged callback, and does not slow other requests for ten thousand of them',
  forged,
  async ({ size, says }) => {
    // The keys are also refreshed automatically, where there were none before.
    await head.must(binding.bindPlatform, { ...app, ...keys })
    await new Promise((done) => setTimeout(done, 1_100))
    expect(await notify(sealed({}, { type: 'nothing.of_concern' }))).toBe(200)
    const before = (await findExisting()).length
    const alone = await waits((times) => times < Math.max(10, size / 50))
    let [at, in_flight] = [0, a_flood]
    const flood = async () => {
      while (at < size) {
        const [name, make] = wrong[at++ % wrong.length] ?? ['', () => sealed({})]
        expect([name, await notify(make())]).toEqual([name, 403])
      }
      in_flight -= 1
    }
    const began = performance.now()
    const [comparison] = await Promise.all([waits(() => in_flight > 0), ...Array.from({ length: a_flood }, flood)])
    const a_second = Math.round((size / (performance.now() - began)) * 1000)
    // Attackers share the processor, so the time is reported and not limited.
    says(
      `${a_second} forged a second, ${a_flood} at once; a page of the company ${alone.toFixed(1)} ms alone, ${comparison.toFixed(1)} ms beside them`,
    )
    expect((await findExisting()).length).toBe(before)
  },
)

it('counts an event delivered fifty times in parallel as one trigger, in any order', async () => {
  there.person('ou_3', '改名了')
  const event = sealed(about('ou_3'), { id: 'fifty' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => notify(event)))
  expect(new Set(answers)).toEqual(new Set([200]))
  // One user joined and left before any sync, and one was deleted by an event that arrived too late.
  there.people.delete('ou_5')
  await notify(sealed(about('ou_5'), { type: 'contact.user.deleted_v3' }))
  await notify(sealed(about('ou_4'), { type: 'contact.user.deleted_v3' }))
  const calls = there.calls
  await world.product.jobs.drain()
  expect(there.calls - calls).toBe(3)
  expect((await findExisting()).every(({ done_at }) => done_at !== null)).toBe(true)
  expect((await display())?.users.total).toBe(11)
  expect((await head.must(binding.getSyncStatus)).sync).toMatchObject({ mode: 'incremental', state: 'done', updated: 1, left: 1 })
})

it("reads the directory completely at the platform's next event after unreadable data", async () => {
  there.failure = () => new PlatformError('lark', 'not_permitted', '99991672', 'no scope')
  await head.must(binding.applySync, { mode: 'full' })
  await world.product.jobs.drain()
  expect((await head.must(binding.getPlatformInfo)).status).toBe(30)
  there.failure = null
  await notify(sealed(about('ou_3')))
  await world.product.jobs.drain()
  expect((await head.must(binding.getPlatformInfo)).status).toBe(10)
  expect((await head.must(binding.getSyncStatus)).sync).toMatchObject({ mode: 'full', state: 'done' })
})

it('holds many simultaneous departures for review, whatever reports them', async () => {
  for (let at = 0; at < 12; at += 1) {
    if (at === 5) continue
    there.people.delete(`ou_${at}`)
    await notify(sealed(about(`ou_${at}`), { type: 'contact.user.deleted_v3' }))
  }
  await world.product.jobs.drain()
  expect((await head.must(binding.getSyncStatus)).sync).toMatchObject({ state: 'held', review_reason: 'many_left' })
  expect((await display())?.users.total).toBe(11)
})
