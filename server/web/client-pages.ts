/** Serves the client: its files, and its HTML page for every other URL that a browser navigates to. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { chatProviderRules, findProviderByUserAgent } from '../contract/shared/providers.ts'

const appShellFile = 'app.html'
/** Pages with an HTML file of their own (for /m: build/mobile-pages.ts, one if not signed in); all else is the routed app. */
const standalonePages: readonly (readonly [address: RegExp, file: string])[] = [
  [/^\/m\/slip\/[^/]+\/?$/i, 'm-slip.html'],
  [/^\/m(\/slips)?\/?$/i, 'm-slips.html'],
  [/^\/m\/login\/?$/i, 'm-login.html'],
  [/^\/m\/verify\/?$/i, 'pc/page/verify/verify.html'],
  [/^\/ops\/?$/i, 'pc/page/ops/ops.html'],
]
/** Returns the file for a path without its query string. */
export const getPageFile = (pathname: string): string =>
  standalonePages.find(([address]) => address.test(pathname))?.[1] ?? appShellFile

/** Returns the hashes of a page's inline scripts; the content security policy allows no others. */
export const getScriptHashes = (html: string): string[] =>
  [...html.matchAll(/<script(?: type="module")?>(.*?)<\/script>/gs)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )

function extendContentPolicy(reply: FastifyReply, sources: readonly string[], frames: readonly string[]): void {
  const policy = String(reply.getHeader('content-security-policy'))
  const withScripts = sources.length > 0 ? policy.replace("script-src 'self'", `script-src 'self' ${sources.join(' ')}`) : policy
  reply.header('content-security-policy', frames.length > 0 ? `${withScripts};frame-src ${frames.join(' ')}` : withScripts)
}
/**
 * Inside Lark and DingTalk, the sign-in code and the navigation around an employee's page come from the client's own
 * script. Such a script may be loaded only inside that client, which renders the page and sees it anyway; browsers may
 * load none. From /landing the user continues to a page of /m within the same document.
 */
function getHost(userAgent: string, kind: 'scriptHost' | 'namesHost'): string[] {
  const provider = findProviderByUserAgent(userAgent)
  const host = provider && chatProviderRules[provider][kind]
  return host ? [host] : []
}
/** Returns the hosts from which this page may load scripts besides our own. */
export const getAllowedScriptHosts = (pathname: string, user_agent = ''): string[] =>
  /^\/(?:entry|landing|m)(?:\/|$)/i.test(pathname) ? getHost(user_agent, 'scriptHost') : getNameFrameHosts(pathname, user_agent)
/**
 * WeCom writes the names that it hides from us into one page of the administrator's area, only inside its own client,
 * which renders the page: by a script, and on a desktop in a separate frame (document 91958).
 */
export const getNameFrameHosts = (pathname: string, user_agent = ''): string[] =>
  /^\/companyThird\/?$/i.test(pathname) ? getHost(user_agent, 'namesHost') : []

/**
 * How long a page of /m may be used without revalidation: it contains no personal data, and its own script reloads it
 * when the files it references are gone.
 */
const pageCacheSeconds = 3600

/** Serves the files in `dir`, and responds with the page of a URL. */
export async function registerClientPages(
  app: FastifyInstance,
  dir: string | null,
): Promise<(reply: FastifyReply, url: string) => Promise<boolean>> {
  if (!dir || !existsSync(join(dir, appShellFile))) return async () => false
  await app.register(files, {
    root: dir,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply, path) =>
      void reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'),
  })
  const send = async (reply: FastifyReply, url: string): Promise<boolean> => {
    const pathname = url.split('?')[0] ?? ''
    const file = getPageFile(pathname)
    const html = await readFile(join(dir, file), 'utf8')
    const agent = reply.request.headers['user-agent']
    extendContentPolicy(
      reply,
      [...getScriptHashes(html), ...getAllowedScriptHosts(pathname, agent)],
      getNameFrameHosts(pathname, agent),
    )
    reply
      .type('text/html; charset=utf-8')
      .header('vary', 'user-agent')
      .header('cache-control', file.startsWith('m-') ? `private, max-age=${pageCacheSeconds}` : 'no-cache')
      .send(html)
    return true
  }
  // The file plugin treats this path as a directory, which it refuses.
  app.get('/', async (request, reply) => {
    await send(reply, request.url)
    return reply
  })
  return send
}
