/**
 * Callers who have proved an account to this process: the requests of everybody else stand in the public concurrency
 * limit under their address. A header that anybody can invent must not take the place of an employee, and the proof
 * cannot wait for the database, which the limits protect. Being remembered grants nothing: every request authenticates.
 */
import { createHash } from 'node:crypto'
import { maxProvenCallers } from './config.ts'

/** Both halves of a session as they were sent; a token alone, which may be stolen, is no proof. */
export type CallerCredentials = { readonly token: string; readonly cookie: string | null }

const hash = ({ token, cookie }: CallerCredentials): string => createHash('sha256').update(`${token}\n${cookie}`).digest('base64')

export class ProvenCallers {
  /** The owner by the hash of the credentials, in the order of the last use. */
  readonly #owners = new Map<string, string>()

  /** Returns the owner for limits; null where nothing was proved. */
  find(credentials: CallerCredentials | null): string | null {
    return (credentials && this.#owners.get(hash(credentials))) ?? null
  }

  remember(credentials: CallerCredentials, owner: string): void {
    const key = hash(credentials)
    this.#owners.delete(key)
    this.#owners.set(key, owner)
    const [oldest] = this.#owners.size > maxProvenCallers ? this.#owners.keys() : []
    if (oldest !== undefined) this.#owners.delete(oldest)
  }

  /** The session has ended. */
  forget(credentials: CallerCredentials): void {
    this.#owners.delete(hash(credentials))
  }
}
