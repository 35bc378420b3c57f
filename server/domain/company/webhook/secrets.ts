/** What of a webhook is sealed: its address and its secrets. */
import { randomBytes } from 'node:crypto'
import type { Place, Vault } from '../../../runtime/secrets.ts'

const place = (id: string, column: 'url' | 'secret' | 'former_secret'): Place => ({ table: 'webhook', row: id, column })

export const sealUrl = (vault: Vault, id: string, url: string): Buffer => vault.seal(place(id, 'url'), url)
export const openUrl = (vault: Vault, id: string, url: Buffer): string => vault.open<string>(place(id, 'url'), url)

/** 32 bytes, as base64. */
export const newSecret = (): string => randomBytes(32).toString('base64')
/** As receivers are told it. */
export const written = (secret: string): string => `whsec_${secret}`
export const sealSecret = (vault: Vault, id: string, secret: string): Buffer => vault.seal(place(id, 'secret'), secret)
/** What it becomes when another one takes its place. */
export const sealFormer = (vault: Vault, id: string, secret: string): Buffer => vault.seal(place(id, 'former_secret'), secret)
export const openSecret = (vault: Vault, id: string, sealed: Buffer): string => vault.open<string>(place(id, 'secret'), sealed)
export const openFormer = (vault: Vault, id: string, sealed: Buffer): string =>
  vault.open<string>(place(id, 'former_secret'), sealed)
