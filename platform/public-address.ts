/**
 * Where customers say an address that a server of ours shall connect to: nothing inside our own network. The name is looked up here, once, and what is
 * connected to is the address that was judged, so that a name which answers otherwise a moment later gains nothing.
 */
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** The name is none, or leads (also) to where nobody outside may look. */
export class NotPublicAddressError extends Error {}

/** All of IPv6 that is given out (RFC 4291, IANA): what lies outside holds old forms of IPv4 addresses (`::7f00:1`) and whatever a network makes of it. */
const globalUnicastRange = ipaddr.parseCIDR('2000::/3')
/** Plain addresses that lead to the machine's own host all the same: Azure's, where it hands out what a machine may know. */
const blockedAddresses = new Set(['168.63.129.16'])

/** Nothing but plain unicast: no loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast, nothing that is mapped or tunnelled to these. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return isPublicAddress(parsed.toIPv4Address().toString())
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicastRange)) return false
  return parsed.range() === 'unicast' && !blockedAddresses.has(parsed.toString())
}

export type ResolveHost = (host: string) => Promise<readonly string[]>
const resolveHost: ResolveHost = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * The address to connect to. One private address among several refuses the name. Throws `NotPublicAddressError` for those, and what the resolver throws
 * where it does not answer.
 */
export async function resolvePublicAddress(
  host: string,
  {
    allowPrivateHosts,
    resolveHost: resolveAddresses = resolveHost,
  }: { readonly allowPrivateHosts: boolean; readonly resolveHost?: ResolveHost },
): Promise<string> {
  const hostname = host.replace(/^\[|\]$/g, '')
  const addresses = ipaddr.isValid(hostname) ? [hostname] : await resolveAddresses(hostname)
  const [first] = addresses
  if (!first) throw new NotPublicAddressError(`${host} leads nowhere`)
  if (!allowPrivateHosts && !addresses.every(isPublicAddress)) throw new NotPublicAddressError(`${host} is no public address`)
  return first
}
