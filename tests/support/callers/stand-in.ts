/** A browser environment for the client's code in Node: address, storage, cookies, and requests to the real app. */
import { vi } from 'vitest'
import type { Caller } from '../world.ts'

/** `left`: the addresses to which the window was sent. */
export type StandIn = {
  readonly left: string[]
  readonly stored: Map<string, string>
  /** The storage of the current tab only. */
  readonly tab: Map<string, string>
  signInAs(caller: Caller): void
  at(path: string): void
}

export function standIn(address: () => string): StandIn {
  const cookies = new Map<string, string>()
  const stored = new Map<string, string>()
  const tab = new Map<string, string>()
  const left: string[] = []
  const location = { pathname: '/', search: '', href: 'http://xinhan.test/', replace: (to: string) => void left.push(to) }
  vi.stubGlobal('location', location)
  vi.stubGlobal('window', globalThis)
  const storage = (of: Map<string, string>) => ({
    getItem: (key: string) => of.get(key) ?? null,
    setItem: (key: string, value: string) => void of.set(key, value),
    removeItem: (key: string) => void of.delete(key),
  })
  vi.stubGlobal('localStorage', storage(stored))
  vi.stubGlobal('sessionStorage', storage(tab))
  vi.stubGlobal('document', {
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    },
  })
  const { Request: Real, fetch: call } = globalThis
  // A page calls its own server by a path, with its cookies.
  class PageRequest extends Real {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === 'string' && input.startsWith('/') ? address() + input : input, init)
      if (cookies.size > 0) this.headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
  }
  vi.stubGlobal('Request', PageRequest)
  vi.stubGlobal('fetch', async (...provided: Parameters<typeof fetch>) => {
    const answer = await call(new PageRequest(...provided))
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return answer
  })
  return {
    left,
    stored,
    tab,
    signInAs({ headers }) {
      stored.set('user-token', headers['user-token'] ?? '')
      for (const pair of (headers.cookie ?? '').split('; '))
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    },
    at(path) {
      const { pathname, search, href } = new URL(path, 'http://xinhan.test')
      Object.assign(location, { pathname, search, href })
    },
  }
}
