/**
 * Client-side objects of the chat apps: stubs for their scripts that respond like them and record the calls. A browser
 * with the app's name in its user agent gets one of them instead of the vendor's script.
 */
import type { Provider } from '../types.ts'
import { getProfile } from './profiles.ts'

/** A call that a stub recorded: `['hideMenuItems', {…}]`, oldest first, under `window.simulatedClient`. */
export type SimulatedClientCall = readonly [name: string, params: unknown]

/**
 * `window.simulatedCode`, if present, provides codes like the app's sign-in. WeCom: `simulatedSigned` is whether a
 * signature is the application's, `simulatedPick` the selected user, `simulatedNames` the names of users.
 */
export const getClientScript = (provider: Provider) => getProfile(provider).clientScript
/** WeCom's script for user names, as loaded by a page. */
export const namesScript = { host: 'https://open.work.weixin.qq.com/wwopen/js/**', body: 'window.simulatedScript = true' }
