/** The transaction of one company, with as much of a handler's context as a function needs. */
import type { Vault } from '../crypto/secrets.ts'
import type { Tx } from './database.ts'

export type CompanyTx = { readonly db: Tx; readonly company_id: string }
export type CompanyTimeTx = CompanyTx & { readonly now: Date }
export type CompanyVaultTx = CompanyTx & { readonly vault: Vault }
export type CompanyVaultTimeTx = CompanyVaultTx & { readonly now: Date }
