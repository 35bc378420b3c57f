/** The chat platforms, for use without an open transaction. */
import type { Platform, Platforms, Provider } from '../../../../platform/types.ts'
import { mapProviders } from '../../../contract/shared/providers.ts'
import type { CompanyVaultTimeTx } from '../../../database/company-tx.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'

type PlatformClaim = {
  readonly provider: Provider
  readonly corp_id: string
  readonly user_id: string
  readonly account_id: string
}
/** The links between platform users and members, as far as signing in changes them. */
export type PlatformUserLinks = {
  /** Returns whether the platform user may be linked to the account. */
  readonly claim: (companyTx: CompanyVaultTimeTx, claim: PlatformClaim) => Promise<boolean>
  readonly release: (companyTx: CompanyVaultTimeTx, claim: PlatformClaim) => Promise<void>
}

type ExternalCall<K extends 'exchangeCode' | 'signPage'> = (
  noTransaction: NoTransaction,
  ...args: Parameters<Platform[K]>
) => ReturnType<Platform[K]>
export type SignInPlatform = Pick<Platform, 'buildAuthorizeUrl'> & {
  readonly exchangeCode: ExternalCall<'exchangeCode'>
  readonly signPage: ExternalCall<'signPage'>
}
export type SignInPlatforms = Readonly<Record<Provider, SignInPlatform>>

const wrapPlatform = (platform: Platform): SignInPlatform => ({
  buildAuthorizeUrl: (app, request) => platform.buildAuthorizeUrl(app, request),
  exchangeCode: requireNoTransaction((app, request) => platform.exchangeCode(app, request)),
  signPage: requireNoTransaction((app, request) => platform.signPage(app, request)),
})

export const createSignInPlatforms = (platforms: Platforms): SignInPlatforms =>
  mapProviders((provider) => wrapPlatform(platforms[provider]))
