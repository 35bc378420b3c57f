/** The chat platforms, for whoever is outdoors. */
import type { Platform, Platforms, Provider } from '../../../../platform/types.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'

type ExternalCall<K extends 'exchange' | 'sign'> = (
  outdoors: NoTransaction,
  ...args: Parameters<Platform[K]>
) => ReturnType<Platform[K]>
export type SignInPlatform = Pick<Platform, 'authorizeUrl'> & {
  readonly exchange: ExternalCall<'exchange'>
  readonly sign: ExternalCall<'sign'>
}
export type SignInPlatforms = Readonly<Record<Provider, SignInPlatform>>

const wrapPlatform = (platform: Platform): SignInPlatform => ({
  authorizeUrl: (app, ask) => platform.authorizeUrl(app, ask),
  exchange: requireNoTransaction((app, request) => platform.exchange(app, request)),
  sign: requireNoTransaction((app, request) => platform.sign(app, request)),
})

export const createSignInPlatforms = ({ lark, wecom, dingtalk }: Platforms): SignInPlatforms => ({
  lark: wrapPlatform(lark),
  wecom: wrapPlatform(wecom),
  dingtalk: wrapPlatform(dingtalk),
})
