/** With the client, the program in which files are opened becomes a few files of plain JavaScript: it is started for every one of them. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { builtChild, childFolder, childSources, digestOf } from '../server/runtime/process/fresh.ts'

const root = resolve(import.meta.dirname, '..')
const entry = 'child.mjs'
/** Servers that run began with one of the last ones. */
const kept = 5

export function reader(): Plugin {
  return {
    name: 'reader',
    apply: 'build',
    closeBundle: (failure) => (failure ? undefined : makeReader()),
  }
}

/** One folder a program, called by what it is made of; what was built last is named when it is whole. */
async function makeReader(): Promise<void> {
  const name = digestOf(root, [...childSources, 'build/reader.ts'])
  const folder = join(root, childFolder(name))
  // The same program may be in use.
  if (!existsSync(join(folder, entry))) await made(folder)
  const now = new Date()
  utimesSync(folder, now, now)
  const named = join(root, builtChild)
  writeFileSync(`${named}.new`, name)
  renameSync(`${named}.new`, named)
  sweep(dirname(named), name)
}

async function made(folder: string): Promise<void> {
  const half = `${folder}.${process.pid}`
  mkdirSync(half, { recursive: true })
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(root, 'server/tables/child/child.ts'),
      target: 'node24',
      outDir: half,
      emptyOutDir: false,
      minify: true,
      rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } },
    },
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(half, folder)
}

/** Of older programs the last few stay. */
function sweep(place: string, name: string): void {
  const folders = readdirSync(place, { withFileTypes: true }).filter((one) => one.isDirectory() && one.name !== name)
  const aged = folders.map((one) => ({ path: join(place, one.name), at: statSync(join(place, one.name)).mtimeMs }))
  for (const { path } of aged.toSorted((a, b) => b.at - a.at).slice(kept)) rmSync(path, { recursive: true, force: true })
}
