/** Encryption of a webhook's URL and secrets. */
import { randomBytes } from 'node:crypto'
import type { SealPosition, Vault } from '../../crypto/secrets.ts'

const getSecretPosition = (id: string, column: 'url' | 'secret' | 'former_secret'): SealPosition => ({
  table: 'webhook',
  row: id,
  column,
})

export const sealUrl = (vault: Vault, id: string, url: string): Buffer => vault.seal(getSecretPosition(id, 'url'), url)
export const openUrl = (vault: Vault, id: string, url: Buffer): string => vault.open<string>(getSecretPosition(id, 'url'), url)

/** 32 bytes, as base64. */
export const generateWebhookSecret = (): string => randomBytes(32).toString('base64')
/** Formats the secret as receivers enter it. */
export const formatWebhookSecret = (secret: string): string => `whsec_${secret}`
export const sealSecret = (vault: Vault, id: string, secret: string): Buffer =>
  vault.seal(getSecretPosition(id, 'secret'), secret)
/** Encrypts a secret that is replaced by a new one. */
export const sealOldSecret = (vault: Vault, id: string, secret: string): Buffer =>
  vault.seal(getSecretPosition(id, 'former_secret'), secret)
export const openSecret = (vault: Vault, id: string, sealed: Buffer): string =>
  vault.open<string>(getSecretPosition(id, 'secret'), sealed)
export const openOldSecret = (vault: Vault, id: string, sealed: Buffer): string =>
  vault.open<string>(getSecretPosition(id, 'former_secret'), sealed)
