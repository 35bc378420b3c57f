/**
 * Resolves host names entered by customers. `dns.lookup` and therefore `fetch` ask the system's resolver on libuv's
 * thread pool, which serves two slow lookups at a time: the silent name server of one customer would delay the SMS
 * gateway and everything else. These names are asked by c-ares, which does not use the pool, within a deadline.
 */
import { Resolver } from 'node:dns/promises'

export type ResolveHost = (host: string) => Promise<readonly string[]>

const attemptTimeoutMs = 2_000
/** Enough for two attempts; c-ares would make more, each with a longer timeout, and of each name server. */
const maxLookupMs = 2 * attemptTimeoutMs
/** Also failures are cached: a name that does not answer is asked once a minute, however many messages wait for it. */
const cacheMs = 60_000
const maxCachedNames = 1_000
/** Answers that the name has no address of this kind, in contrast to no answer. */
const noAddressCodes = new Set(['ENODATA', 'ENOTFOUND'])

type HostResolverOptions = {
  /** Name servers as `address:port`; those of the system by default. */
  readonly servers?: readonly string[]
  readonly now?: () => number
}

/** Asks for IPv4 and IPv6 at once; IPv4 comes first, as for the system's resolver where both are reachable. */
async function queryServers(host: string, servers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver({ timeout: attemptTimeoutMs })
  if (servers) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), maxLookupMs)
  try {
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failure = results.find(
      (result) => result.status === 'rejected' && !noAddressCodes.has((result.reason as NodeJS.ErrnoException).code ?? ''),
    )
    if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason
    return addresses
  } finally {
    clearTimeout(timer)
  }
}

/** Creates a resolver with at most one lookup per name at a time. Returns no address for a name that does not exist. */
export function createHostResolver({ servers, now = () => performance.now() }: HostResolverOptions = {}): ResolveHost {
  /** In the order in which the lookups began. */
  const lookups = new Map<string, { readonly addresses: Promise<readonly string[]>; readonly validUntil: number }>()
  return (name) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    // RFC 6761: never asked from a name server.
    if (host === 'localhost') return Promise.resolve(['127.0.0.1', '::1'])
    const cached = lookups.get(host)
    if (cached && cached.validUntil > now()) return cached.addresses
    const addresses = queryServers(host, servers)
    lookups.delete(host)
    lookups.set(host, { addresses, validUntil: now() + cacheMs })
    const [oldest] = lookups.keys()
    if (lookups.size > maxCachedNames && oldest !== undefined) lookups.delete(oldest)
    return addresses
  }
}

/** Shared by everything that connects to customers' hosts, so that its cache is as well. */
export const resolveCustomerHost = createHostResolver()
