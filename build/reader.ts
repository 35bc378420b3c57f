/** With the client, the program in which files are opened becomes a few files of plain JavaScript: it is started for every one of them. */
import { dirname, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { builtChild } from '../server/runtime/fresh.ts'

const here = (path: string): string => resolve(import.meta.dirname, '..', path)

export function reader(): Plugin {
  return {
    name: 'reader',
    apply: 'build',
    async closeBundle(failure) {
      if (failure) return
      await build({
        configFile: false,
        root: here('.'),
        publicDir: false,
        logLevel: 'warn',
        ssr: { noExternal: true },
        build: {
          ssr: here('server/tables/child/child.ts'),
          target: 'node24',
          outDir: here(dirname(builtChild)),
          // A server that is running starts its next child from here at any moment.
          emptyOutDir: false,
          minify: true,
          rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } },
        },
      })
    },
  }
}
