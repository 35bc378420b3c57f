/**
 * Where customers say an address that a server of ours shall connect to: nothing inside our own network. The name is looked up here, once, and what is
 * connected to is the address that was judged, so that a name which answers otherwise a moment later gains nothing.
 */
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** The name is none, or leads (also) to where nobody outside may look. */
export class NotPublic extends Error {}

/** All of IPv6 that is given out (RFC 4291, IANA): what lies outside holds old forms of IPv4 addresses (`::7f00:1`) and whatever a network makes of it. */
const given_out = ipaddr.parseCIDR('2000::/3')
/** Plain addresses that lead to the machine's own host all the same: Azure's, where it hands out what a machine may know. */
const hosts = new Set(['168.63.129.16'])

/** Nothing but plain unicast: no loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast, nothing that is mapped or tunnelled to these. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return isPublic(parsed.toIPv4Address().toString())
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(given_out)) return false
  return parsed.range() === 'unicast' && !hosts.has(parsed.toString())
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
