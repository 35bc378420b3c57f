/**
 * Addresses entered by customers that our server connects to must not be inside our own network. The name is resolved
 * here once, and the connection uses the checked address, so that a name that resolves differently a moment later has
 * no effect (DNS rebinding).
 */
import ipaddr from 'ipaddr.js'
import { type ResolveHost, resolveCustomerHost } from './host-resolver.ts'

/** The host name is invalid, or resolves (also) to an address that is not public. */
export class NotPublicAddressError extends Error {}

/** The allocated part of IPv6 (RFC 4291, IANA): other ranges have legacy forms of IPv4 (`::7f00:1`) and local addresses. */
const globalUnicastRange = ipaddr.parseCIDR('2000::/3')
/** Public addresses that still lead to the host of the machine: Azure's metadata service. */
const blockedAddresses = new Set(['168.63.129.16'])

/**
 * Returns whether an address is plain unicast: not loopback, private, link-local (cloud metadata), carrier-grade NAT,
 * multicast, and not mapped or tunnelled to one of these.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return isPublicAddress(parsed.toIPv4Address().toString())
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicastRange)) return false
  return parsed.range() === 'unicast' && !blockedAddresses.has(parsed.toString())
}

/**
 * Returns the address to connect to. A single private address among several makes the name invalid. Throws
 * `NotPublicAddressError` for those, and the resolver's error if it does not answer.
 */
export async function resolvePublicAddress(
  host: string,
  {
    allowPrivateHosts,
    resolveHost = resolveCustomerHost,
  }: { readonly allowPrivateHosts: boolean; readonly resolveHost?: ResolveHost | undefined },
): Promise<string> {
  const hostname = host.replace(/^\[|\]$/g, '')
  const addresses = ipaddr.isValid(hostname) ? [hostname] : await resolveHost(hostname)
  const [first] = addresses
  if (!first) throw new NotPublicAddressError(`${host} leads nowhere`)
  if (!allowPrivateHosts && !addresses.every(isPublicAddress)) throw new NotPublicAddressError(`${host} is no public address`)
  return first
}
