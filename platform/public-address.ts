/**
 * Where customers say an address that a server of ours shall connect to: nothing inside our own network. The name is looked up here, once, and what is
 * connected to is the address that was judged, so that a name which answers otherwise a moment later gains nothing.
 */
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** The name is none, or leads (also) to where nobody outside may look. */
export class NotPublic extends Error {}

/** Anything but plain unicast: loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast, what is mapped or tunnelled to these. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return isPublic(parsed.toIPv4Address().toString())
  return parsed.range() === 'unicast'
}

export type ResolveAll = (host: string) => Promise<readonly string[]>
const resolveAll: ResolveAll = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * The address to connect to. One private address among several refuses the name. Throws `NotPublic` for those, and what the resolver throws
 * where it does not answer.
 */
export async function publicAddressOf(
  host: string,
  { private_hosts, resolve = resolveAll }: { readonly private_hosts: boolean; readonly resolve?: ResolveAll },
): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, '')
  const found = ipaddr.isValid(bare) ? [bare] : await resolve(bare)
  const [first] = found
  if (!first) throw new NotPublic(`${host} leads nowhere`)
  if (!private_hosts && !found.every(isPublic)) throw new NotPublic(`${host} is no public address`)
  return first
}
