/**
 * Bundles the program that opens files into a few plain JavaScript files when the client is built, because it is
 * started once for every file.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { getReaderFolder, hashSources, readerProgramPath, readerSources } from '../server/shared/build-output.ts'

const projectRoot = resolve(import.meta.dirname, '..')
const entryFile = 'child.mjs'
/** Number of older builds to retain: running servers may have started with one of them. */
const retainedBuilds = 5

export function readerPlugin(): Plugin {
  return {
    name: 'reader',
    apply: 'build',
    closeBundle: (failure) => (failure ? undefined : buildReader()),
  }
}

/**
 * Builds the reader into a folder named by a hash of its sources. The name of the current build is written only after
 * the build is complete.
 */
async function buildReader(): Promise<void> {
  const name = hashSources(projectRoot, readerSources)
  const folder = join(projectRoot, getReaderFolder(name))
  // The same build may be in use by a running server.
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

/** Deletes old builds except the most recent ones. */
function deleteOldBuilds(parentFolder: string, name: string): void {
  const folders = readdirSync(parentFolder, { withFileTypes: true }).filter((one) => one.isDirectory() && one.name !== name)
  const buildsByAge = folders.map((one) => ({
    path: join(parentFolder, one.name),
    at: statSync(join(parentFolder, one.name)).mtimeMs,
  }))
  for (const { path } of buildsByAge.toSorted((a, b) => b.at - a.at).slice(retainedBuilds))
    rmSync(path, { recursive: true, force: true })
}
