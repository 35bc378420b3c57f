/** Settings of the mail adapters. */
import type { ResolveHost } from '../host-resolver.ts'

export type MailOptions = {
  /** Whether a customer's mail server may be in our own network. */
  readonly allowPrivateHosts: boolean
  /** Resolves the server's name; by default the resolver for customers' hosts. */
  readonly resolveHost?: ResolveHost
  /** Certificates of a private authority, in addition to the public ones. */
  readonly ca?: string
  /** Maximum inactivity within a step. */
  readonly stepTimeoutMs?: number
  /** Maximum duration of one read of a mailbox. */
  readonly readTimeoutMs?: number
}
