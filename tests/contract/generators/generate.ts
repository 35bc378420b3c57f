/** Generates clients from the API document with two third-party generators, and compiles them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const typescriptApi = new URL('./typescript-api.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: typescriptApi, shortCircuit: true } : next(specifier, context),
})

export function createScratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes `types.ts`, made by openapi-typescript. */
export async function generateTypes(document: object, folder: string): Promise<void> {
  const { default: generate, astToString } = await import('openapi-typescript')
  writeFileSync(join(folder, 'types.ts'), astToString(await generate(JSON.stringify(document), { silent: true })))
}

/** Writes the folder `client`, made by @hey-api/openapi-ts. */
export async function generateClient(document: object, folder: string): Promise<void> {
  const { createClient } = await import('@hey-api/openapi-ts')
  const input = join(folder, 'openapi.json')
  writeFileSync(input, JSON.stringify(document))
  await createClient({
    input,
    output: { path: join(folder, 'client') },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent', file: false },
  })
}

/** Compiles the folder under `strict`; returns the compiler's errors. */
export async function compile(folder: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const compiler = new URL('../../../node_modules/.bin/tsc', import.meta.url).pathname
  return promisify(execFile)(compiler, ['-p', folder, '--checkers', '1'], { env: { ...process.env, GOMAXPROCS: '1' } }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}
