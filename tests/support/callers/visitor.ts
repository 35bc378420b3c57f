/** Somebody with a browser: keeps the cookies he is given, sends both halves of his session, comes from one address. */
import { hash } from '@node-rs/argon2'
import type { Call, CallOutput, CallRequest } from '../../../server/contract/call.ts'
import { hashPassword } from '../../../server/modules/account/index.ts'
import type { Answer, Person, World } from '../world.ts'

export type TestClient = {
  /** What the browser keeps. */
  readonly cookies: Map<string, string>
  /** The half that the page keeps in local storage. */
  token: string | null
  call<C extends Call>(
    call: C,
    input?: CallRequest<C>,
    headers?: Record<string, string>,
  ): Promise<Answer<CallOutput<C>> & { ms: number }>
}

/** A stored password says what it costs to look at: this one next to nothing, for files in which it is looked at hundreds of times. */
export const cheapHash = (password: string): Promise<string> => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })

let made = 0

/** A browser that has never been here. Addresses are of 10.0.0.0/8, a new one each time where none is named. */
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

/** An address nobody has come from yet, nor from near it. */
export function freshAddress(): string {
  made += 1
  return `10.${(made >> 8) & 255}.${made & 255}.${1 + (made >> 16)}`
}

/** The newest code sent to this phone. It is handed to the gateway without being waited for, so it is looked for a while. */
export async function lastCode(world: Pick<World, 'outbox'>, mobile: string, sent_before = 0): Promise<string> {
  for (let attempts = 0; attempts < 1_500; attempts += 1) {
    const matches = (await world.outbox()).filter((one) => one.mobile === mobile && one.text.includes('验证码'))
    if (matches.length > sent_before) return /\d{6}/.exec(matches.at(-1)?.text ?? '')?.[0] ?? ''
    await new Promise((go) => setTimeout(go, 20))
  }
  throw new Error('no code was sent')
}

/** How many codes this phone has got so far. */
export const codesSent = async (world: Pick<World, 'outbox'>, mobile: string): Promise<number> =>
  (await world.outbox()).filter((one) => one.mobile === mobile && one.text.includes('验证码')).length

const hashes = new Map<string, Promise<string>>()
/** His account has this password from now on. Hashing is dear: once a password. */
export async function givePassword(world: World, person: Person, password: string): Promise<Person> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  const password_hash = await hash
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
