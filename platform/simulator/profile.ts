/** What the simulator knows about a provider besides its calls: the company of the initial world, and the app's script. */
import type { ChatApp } from '../types.ts'

export type SimulatorProfile = {
  /** The company of the initial world, its application and our store application. */
  readonly corp_id: string
  readonly app_id: string
  readonly suite_id: string
  /** What the installation of the store application gave the vendor, once; empty: nothing. */
  readonly permanentCode: string
  readonly rootDepartmentId: string
  /** Returns the id of the n-th department of the initial world. */
  readonly getDepartmentId: (number: number) => string
  readonly userIdPrefix: string
  /** Returns the ids of another company and its application, with the length and alphabet of real ones. */
  readonly createAppIds: (tail: string) => Pick<ChatApp, 'corp_id' | 'app_id' | 'agent_id'>
  /** Whether a larger `order` comes first in the platform's address book. */
  readonly isLargestOrderFirst: boolean
  readonly hasCaseInsensitiveUserIds: boolean
  /** How long a code of the app's script is valid. */
  readonly clientCodeLifetimeMs: number
  /** `host`: requests to it are answered with the script; null: the script is injected before the page. */
  readonly clientScript: { readonly host: string | null; readonly body: string }
  /** The port of `npm run simulators`. */
  readonly port: number
  /** The ids of an application in the words of the platform's console. */
  readonly formatApp: (app: ChatApp) => string
  /** How to point a client at the simulator, with a first call to try. */
  readonly formatUsage: (app: ChatApp, address: string) => string
}

export const codeLifetimeMs = 300_000

/** The beginning of each app's script: it records the calls of the page. */
export const clientPrelude = `window.simulatedClient ??= []
const note = (name, params) => window.simulatedClient.push([name, JSON.parse(JSON.stringify(params ?? null))])
const hidden = () => note('meta', [...document.querySelectorAll('meta[lk-config]')].map((one) => [one.name, one.content]))
const answered = (name, yes, no, says) => (params = {}) => {
  note(name, params)
  setTimeout(() => (window.simulatedRefusals?.includes(name) ? params[no]?.({ errMsg: name + ':fail' }) : params[yes]?.(says?.(params) ?? {})))
}
`
