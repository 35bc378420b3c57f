/** Writes beside the client what a server without build tools needs: the digest of its sources, and the font of PDFs. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { clientDigestFile, clientSources, fontFile, hashSources } from '../server/shared/build-output.ts'

const root = resolve(import.meta.dirname, '..')

export function productionFilesPlugin(): Plugin {
  return {
    name: 'production-files',
    apply: 'build',
    closeBundle(failure) {
      if (failure) return
      const fontPackage = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-sc/package.json'))
      mkdirSync(dirname(join(root, fontFile)), { recursive: true })
      copyFileSync(join(fontPackage, '400Regular/NotoSansSC_400Regular.ttf'), join(root, fontFile))
      // The licence of the font asks to be passed on with it.
      copyFileSync(join(fontPackage, 'LICENSE_FONT'), join(root, dirname(fontFile), 'LICENSE'))
      writeFileSync(join(root, clientDigestFile), `${hashSources(root, clientSources)}\n`)
    },
  }
}
