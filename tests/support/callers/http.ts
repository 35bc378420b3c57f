/** Calls the contract over real HTTP, as a company's own script would. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as account from '../../../server/contract/auth/sign-in.ts'
import type { Call, CallOutput, CallRequest, Envelope } from '../../../server/contract/call.ts'
import { errorCodes } from '../../../server/contract/errors.ts'

/** Bytes in memory, or a file that is streamed. */
type HttpFile = { name: string; bytes: Buffer | Blob }

export class HttpCaller {
  readonly #address: string
  readonly #peer: string
  #token = ''
  #cookies = new Map<string, string>()
  #http_only = new Set<string>()
  /** `peer` is the client address, for a server that trusts the proxy header. */
  constructor(address: string, peer = '') {
    this.#address = address
    this.#peer = peer
  }

  get token(): string {
    return this.#token
  }
  /** The cookies in a browser's format. */
  get cookies(): { name: string; value: string; url: string; httpOnly: boolean; sameSite: 'Lax' }[] {
    const loadStored = (name: string) => ({ url: this.#address, httpOnly: this.#http_only.has(name), sameSite: 'Lax' as const })
    return [...this.#cookies].map(([name, value]) => ({ name, value, ...loadStored(name) }))
  }

  /** Returns both halves of the session and all other cookies: values that must not appear anywhere. */
  get halves(): string[] {
    return [this.#token, ...this.#cookies.values()].filter((half) => half.length > 10)
  }

  async signIn(phone: string, password = 'xinhan2026'): Promise<this> {
    const { token, corp_id, corps } = await this.must(account.login, { phone, password })
    this.#token = token ?? ''
    const first = corps[0]
    if (!corp_id && first) this.#token = (await this.must(account.selectCorp, { corp_id: first.corp_id })).token
    return this
  }

  async call<C extends Call>(call: C, input: CallRequest<C>, file?: HttpFile): Promise<Envelope<CallOutput<C>>> {
    return (await this.#send(call, input, file)).envelope
  }

  async #send<C extends Call>(call: C, input: CallRequest<C>, file: HttpFile | undefined) {
    const headers: Record<string, string> = {
      ...(this.#peer ? { 'x-forwarded-for': this.#peer } : {}),
      ...(this.#token ? { 'user-token': this.#token } : {}),
      ...(this.#cookies.size > 0 ? { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      'x-xsrf-token': this.#cookies.get('XSRF-TOKEN') ?? '',
    }
    let body: BodyInit
    if (call.requestType === 'file') {
      const form = new FormData()
      for (const [name, value] of Object.entries(input as Record<string, string>)) form.set(name, value)
      if (file) form.set('file', file.bytes instanceof Blob ? file.bytes : new Blob([new Uint8Array(file.bytes)]), file.name)
      body = form
    } else {
      headers['content-type'] = 'application/json'
      body = JSON.stringify(input)
    }
    const response = await fetch(`${this.#address}${call.path}`, {
      method: call.method,
      headers,
      ...(call.method === 'GET' ? {} : { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
      if (/;\s*httponly/i.test(line)) this.#http_only.add(name)
    }
    return { status: response.status, envelope: (await response.json()) as Envelope<CallOutput<C>> }
  }

  /** Calls again if a busy server shed the call or a lock was in the way: nothing of it was done. */
  async must<C extends Call>(call: C, input: CallRequest<C>, file?: HttpFile): Promise<CallOutput<C>> {
    let answer = await this.#send(call, input, file)
    while (answer.status === 503) {
      await sleep(1_000)
      answer = await this.#send(call, input, file)
    }
    const { error_code, error_msg, data } = answer.envelope
    if (error_code !== 0) throw new Error(`${call.route}: ${error_code} ${error_msg}`)
    return data
  }
}

/** Returns the seconds after which a retry makes sense, or 0 if the server began the call. */
export function turnedAway(data: unknown): number {
  const { shed, retry_after } = (data ?? {}) as { shed?: boolean; retry_after?: number }
  return shed === true ? (retry_after ?? 1) : 0
}

/** Makes concurrent calls for the same row: retries a call shed by a busy server, as the page does. */
export async function again<T extends { readonly code: number }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await call()
    if (answer.code !== errorCodes.too_often.code) return answer
  }
}

export type OutboxMessage = { channel: string; mobile: string; text: string; delivery_id: string | null }

/** Returns the last code sent to this phone. */
export async function lastCode(address: string, mobile: string): Promise<string> {
  for (let attempts = 0; attempts < 1200; attempts += 1) {
    const { list } = (await (await fetch(`${address}/dev/outbox.json?mobile=${mobile}`)).json()) as { list: OutboxMessage[] }
    const code = /验证码 (\d{6})/.exec(list.find((one) => one.text.includes('验证码'))?.text ?? '')?.[1]
    if (code) return code
    await sleep(50)
  }
  throw new Error(`no code was sent to ${mobile}`)
}

/** Returns count and total seconds of the responses of a call with that status, from the server's own metrics. */
export async function answeredInside(address: string, path: string, status = 200): Promise<{ count: number; seconds: number }> {
  const lines = (await (await fetch(`${address}/metrics`)).text()).split('\n')
  const figure = (name: string): number => {
    const line = lines.find((one) => one.startsWith(`${name}{route="${path}"`) && one.includes(`status="${status}"`))
    return Number(line?.split('} ')[1] ?? 0)
  }
  return { count: figure('xinhan_request_duration_seconds_count'), seconds: figure('xinhan_request_duration_seconds_sum') }
}
