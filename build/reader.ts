/** With the client, the program in which files are opened becomes a few files of plain JavaScript: it is started for every one of them. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { getReaderFolder, hashSources, readerProgramPath, readerSources } from '../server/spreadsheets/child/build-freshness.ts'

const projectRoot = resolve(import.meta.dirname, '..')
const entryFile = 'child.mjs'
/** Servers that run began with one of the last ones. */
const retainedBuilds = 5

export function readerPlugin(): Plugin {
  return {
    name: 'reader',
    apply: 'build',
    closeBundle: (failure) => (failure ? undefined : buildReader()),
  }
}

/** One folder a program, called by what it is made of; what was built last is named when it is whole. */
async function buildReader(): Promise<void> {
  const name = hashSources(projectRoot, [...readerSources, 'build/reader.ts'])
  const folder = join(projectRoot, getReaderFolder(name))
  // The same program may be in use.
  if (!existsSync(join(folder, entryFile))) await compileReader(folder)
  const now = new Date()
  utimesSync(folder, now, now)
  const currentBuildFile = join(projectRoot, readerProgramPath)
  writeFileSync(`${currentBuildFile}.new`, name)
  renameSync(`${currentBuildFile}.new`, currentBuildFile)
  deleteOldBuilds(dirname(currentBuildFile), name)
}

async function compileReader(folder: string): Promise<void> {
  const temporaryFolder = `${folder}.${process.pid}`
  mkdirSync(temporaryFolder, { recursive: true })
  await build({
    configFile: false,
    root: projectRoot,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(projectRoot, 'server/spreadsheets/child/child.ts'),
      target: 'node24',
      outDir: temporaryFolder,
      emptyOutDir: false,
      minify: true,
      rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } },
    },
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(temporaryFolder, folder)
}

/** Of older programs the last few stay. */
function deleteOldBuilds(parentFolder: string, name: string): void {
  const folders = readdirSync(parentFolder, { withFileTypes: true }).filter((one) => one.isDirectory() && one.name !== name)
  const buildsByAge = folders.map((one) => ({
    path: join(parentFolder, one.name),
    at: statSync(join(parentFolder, one.name)).mtimeMs,
  }))
  for (const { path } of buildsByAge.toSorted((a, b) => b.at - a.at).slice(retainedBuilds))
    rmSync(path, { recursive: true, force: true })
}
