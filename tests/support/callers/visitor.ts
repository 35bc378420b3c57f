/** A browser: stores cookies, sends both halves of the session, and has one client address. */
import { hash } from '@node-rs/argon2'
import type { Call, CallOutput, CallRequest } from '../../../server/contract/call.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import type { Answer, Person, World } from '../world.ts'

export type TestClient = {
  /** The cookies of the browser. */
  readonly cookies: Map<string, string>
  /** The half of the session that the page stores in local storage. */
  token: string | null
  call<C extends Call>(
    call: C,
    input?: CallRequest<C>,
    headers?: Record<string, string>,
  ): Promise<Answer<CallOutput<C>> & { ms: number }>
}

/** Hashes a password at low cost, for files that verify it hundreds of times. A stored hash contains its cost. */
export const cheapHash = (password: string): Promise<string> => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })

let made = 0

/** Creates a browser without any state. Addresses are in 10.0.0.0/8, a new one each time unless given. */
export function createClient(world: Pick<World, 'product'>, address = freshAddress()): TestClient {
  const cookies = new Map<string, string>()
  const self: TestClient = {
    cookies,
    token: null,
    async call(call, input, headers = {}) {
      const began = performance.now()
      const response = await world.product.app.inject({
        method: call.method,
        url: call.path,
        remoteAddress: address,
        headers: {
          ...(self.token ? { 'user-token': self.token } : {}),
          ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
          ...(cookies.has('XSRF-TOKEN') ? { 'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '' } : {}),
          ...headers,
        },
        ...(call.requestType === 'query' ? { query: (input ?? {}) as Record<string, string> } : { payload: input ?? {} }),
      })
      const ms = performance.now() - began
      for (const { name, value, maxAge } of response.cookies)
        if (maxAge === 0) cookies.delete(name)
        else cookies.set(name, value)
      const body = response.json<{ error_code: number; error_msg: string; data: { token?: unknown } }>()
      if (
        body.error_code === 0 &&
        typeof body.data.token === 'string' &&
        response.cookies.some(({ name }) => name.endsWith('sid'))
      )
        self.token = body.data.token
      return {
        code: body.error_code,
        message: body.error_msg,
        data: body.data as never,
        status: response.statusCode,
        cookies: Object.fromEntries(response.cookies.map((one) => [one.name, one.value])),
        ms,
      }
    },
  }
  return self
}

/** Returns an unused address in an unused network. */
export function freshAddress(): string {
  made += 1
  return `10.${(made >> 8) & 255}.${made & 255}.${1 + (made >> 16)}`
}

/** Returns the newest code sent to this phone. The server does not wait for the gateway, so this polls for a while. */
export async function lastCode(world: Pick<World, 'outbox'>, mobile: string, sent_before = 0): Promise<string> {
  for (let attempts = 0; attempts < 1_500; attempts += 1) {
    const matches = (await world.outbox()).filter((one) => one.mobile === mobile && one.text.includes('验证码'))
    if (matches.length > sent_before) return /\d{6}/.exec(matches.at(-1)?.text ?? '')?.[0] ?? ''
    await new Promise((go) => setTimeout(go, 20))
  }
  throw new Error('no code was sent')
}

/** Returns the number of codes sent to this phone so far. */
export const codesSent = async (world: Pick<World, 'outbox'>, mobile: string): Promise<number> =>
  (await world.outbox()).filter((one) => one.mobile === mobile && one.text.includes('验证码')).length

const hashes = new Map<string, Promise<string>>()
/** Sets the password of the member's account. Hashing is expensive, so each password is hashed once. */
export async function givePassword(world: World, person: Person, password: string): Promise<Person> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  const password_hash = await hash
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
