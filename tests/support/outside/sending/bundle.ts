/**
 * Bundles the sending node (`node.ts`) into one plain JavaScript file, because it is started hundreds of times;
 * complete, or without one protection.
 */
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import type { Protection } from './protections.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** The folder from which packages with native code are found. */
export const bundles = join(root, 'node_modules/.cache/sending-node')

/** Bundles the node and returns the file. */
export async function bundleNode(name: string, without?: Protection): Promise<string> {
  const into = join(bundles, name)
  const left = new Set(without?.changes ?? [])
  const taking: Plugin = {
    name: 'sending-node',
    enforce: 'pre',
    transform(source, id) {
      if (!id.startsWith(root) || id.includes('node_modules')) return null
      // Files that are found relative to a module need its original folder.
      let text = source
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      for (const one of without?.changes ?? []) {
        if (relative(root, id) !== one.file) continue
        const [before = '', after, ...more] = text.split(one.from)
        if (after === undefined || more.length > 0)
          throw new Error(`${one.file} has ${more.length > 0 ? 'more than one' : 'no'} ${one.from}`)
        text = `${before}${one.to}${after}`
        left.delete(one)
      }
      return text === source ? null : { code: text, map: null }
    },
  }
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    plugins: [taking],
    ssr: { noExternal: true, external: ['@node-rs/argon2'] },
    build: {
      ssr: join(import.meta.dirname, 'node.ts'),
      target: 'node24',
      outDir: into,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } },
    },
  })
  if (left.size > 0) throw new Error(`nothing was taken out of ${[...left].map(({ file }) => file).join(', ')}`)
  return join(into, 'node.mjs')
}
