/** The client: its files, and a page for every other address that a browser navigates to. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const appShellFile = 'app.html'
/** The pages that are files of their own (of /m: build/mobile-pages.ts, and one for people who are not signed in); every other address is the routed app. */
const standalonePages: readonly (readonly [address: RegExp, file: string])[] = [
  [/^\/m\/slip\/[^/]+\/?$/i, 'm-slip.html'],
  [/^\/m(\/slips)?\/?$/i, 'm-slips.html'],
  [/^\/m\/login\/?$/i, 'm-login.html'],
  [/^\/m\/verify\/?$/i, 'pc/page/verify/verify.html'],
  [/^\/ops\/?$/i, 'pc/page/ops/ops.html'],
]
/** Of a path without its question. */
export const getPageFile = (pathname: string): string =>
  standalonePages.find(([address]) => address.test(pathname))?.[1] ?? appShellFile

/** The script that stands in a page is known by its hash; nothing else that stands in one is run. */
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
 * Inside Lark and DingTalk a code comes from the program's own script, and so does what it shows around a page of an employee. Such a script may be
 * loaded inside that very program only, which has drawn the page and sees it anyway; no browser may load any. From /landing
 * one goes on to a page of /m within the same document.
 */
const chatClients = [
  [/\b(?:Lark|Feishu)\//i, 'https://lf1-cdn-tos.bytegoofy.com'],
  [/DingTalk/i, 'https://g.alicdn.com'],
] as const
/** Whose scripts beside our own this page may load. */
export const getAllowedScriptHosts = (pathname: string, user_agent = ''): string[] =>
  /^\/(?:entry|landing|m)(?:\/|$)/i.test(pathname)
    ? chatClients.flatMap(([program, host]) => (program.test(user_agent) ? [host] : []))
    : getNameFrameHosts(pathname, user_agent)
/**
 * WeCom writes the names that it hides from us into one page of the desk, again inside the very program that has drawn it: by a script, and on a desktop
 * in a frame of its own (document 91958).
 */
export const getNameFrameHosts = (pathname: string, user_agent = ''): string[] =>
  /^\/companyThird\/?$/i.test(pathname) && /wxwork\//i.test(user_agent) ? ['https://open.work.weixin.qq.com'] : []

/**
 * How long a page of /m may be drawn without asking whether there is a newer one: it holds nothing of anybody, and its own script fetches it
 * anew where the files it names are gone.
 */
const pageCacheSeconds = 3600

/** Serves the files in `dir`, and answers with the page of an address. */
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
  // A folder to the plugin for files, which refuses it.
  app.get('/', async (request, reply) => {
    await send(reply, request.url)
    return reply
  })
  return send
}
