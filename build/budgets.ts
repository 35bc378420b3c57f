/** Size budgets for the first view of each page. A build that exceeds a budget fails and lists the largest modules. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/**
 * JavaScript in kB gzip (1,000 bytes), each file compressed separately, as the server sends them. `brings` are the
 * modules that a page loads by name or by `import()`, including everything they import; tests/e2e/system/weights.test.ts
 * checks them against a real browser. `behind` are loaded after the page is displayed and do not count towards its
 * first view. `inside` is inlined in the page (`mobile-pages.ts`) and counts as well.
 */
export const pageBudgets = [
  { name: 'login page, to type', budget: 80, brings: ['src/pc/page/login/login.html'] },
  {
    name: 'login page, all of it',
    budget: 85,
    brings: ['src/pc/page/login/login.html', 'src/features/auth/sign-in/sign-in-steps.ts'],
  },
  {
    name: '/m/login',
    budget: 85,
    brings: ['src/pc/page/pocket/login.html', 'src/features/auth/sign-in/sign-in-steps.ts'],
    inside: 'src/pc/page/pocket/login.html',
  },
  {
    name: '/m/slip/$id',
    budget: 135,
    brings: ['src/routed/mobile.tsx', 'src/pages/m/route.tsx', 'src/pages/m/slip.$id.tsx'],
    behind: [
      'src/features/payslips/employee/open/watcher.tsx',
      'src/features/payslips/employee/open/footer.tsx',
      'src/features/payslips/employee/confirm.tsx',
      'src/features/payslips/employee/open/net-pay-changes.tsx',
      'src/pages/m/feedback.$id.tsx',
      'src/pages/m/slips.tsx',
    ],
  },
  {
    name: '/home',
    budget: 320,
    brings: ['src/app.html', 'src/pages/_desk/route.tsx', 'src/pages/_desk/home.tsx'],
    behind: [
      'src/pages/_desk/wageAdmin.tsx',
      'src/pages/_desk/_send/wageSend1.tsx',
      'src/pages/_desk/_people/companyMember.tsx',
      'src/pages/_desk/memberFeedback.tsx',
    ],
  },
] as const
export type BudgetedPageName = (typeof pageBudgets)[number]['name']

/** Returns the total gzip size of built files in kB. */
export const getGzipKilobytes = (dist: string, files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1000

/** Name of the file in which the build lists the files of each page, for tests and comparisons. */
export const weightsFileName = 'weights.json'
export type PageWeights = Record<BudgetedPageName, { files: string[]; inside: string[]; behind: string[]; kb: number }>

type Chunk = Rolldown.OutputChunk
/** A path such as `src/pages/m/route.tsx` also matches the component chunk that the router splits off from it. */
const containsModule = (chunk: Chunk, module: string): boolean =>
  chunk.moduleIds.some((id) => id.endsWith(`/${module}`) && !id.includes('/pages/')) ||
  chunk.facadeModuleId?.endsWith(`/${module}`) === true ||
  chunk.moduleIds.some((id) => id.includes(`/${module}?tsr-split=component`))

/** Returns the files that contain these modules, with all their imports unless `deep` is false. */
export function collectChunkFiles(
  modules: readonly string[],
  chunks: ReadonlyMap<string, Chunk>,
  { deep = true } = {},
): string[] {
  const files = new Set<string>()
  const addFile = (file: string): void => {
    const chunk = chunks.get(file)
    if (!chunk || files.has(file)) return
    files.add(file)
    if (deep) chunk.imports.forEach(addFile)
  }
  for (const module of modules) {
    const chunk = [...chunks.values()].find((one) => containsModule(one, module))
    if (!chunk) throw new Error(`build/budgets.ts names ${module}, which is in no file of the build`)
    addFile(chunk.fileName)
  }
  return [...files].toSorted()
}

/** Returns the name of the package, or the path of a source file of this repository. */
const toModuleName = (id: string): string =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? /\/((?:src|server|platform)\/[^?]*)/.exec(id)?.[1] ?? 'the bundler'

/**
 * Returns the modules by size, largest first. The size of a chunk is divided among its modules in proportion to their
 * length.
 */
function findHeaviestModules(dist: string, files: readonly string[], chunks: ReadonlyMap<string, Chunk>): [string, number][] {
  const kilobytesByModule = new Map<string, number>()
  for (const file of files) {
    const modules = Object.entries(chunks.get(file)?.modules ?? {}).map(([id, { code }]) => [id, code?.length ?? 0] as const)
    const length = modules.reduce((sum, [, one]) => sum + one, 0) || 1
    const kb = getGzipKilobytes(dist, [file])
    for (const [id, one] of modules)
      kilobytesByModule.set(toModuleName(id), (kilobytesByModule.get(toModuleName(id)) ?? 0) + (kb * one) / length)
  }
  return [...kilobytesByModule].toSorted(([, a], [, b]) => b - a)
}

const padKilobytes = (kb: number): string => kb.toFixed(1).padStart(6)

/** Measures the written bundle and fails the build if a page exceeds its budget. */
export const budgetsPlugin = (): Plugin => ({
  name: 'budgets',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    const chunks = new Map(Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])))
    const weighed = pageBudgets.map(({ name, budget, brings, ...more }) => {
      const files = collectChunkFiles(brings, chunks)
      const behind = 'behind' in more ? collectChunkFiles(more.behind, chunks).filter((file) => !files.includes(file)) : []
      const inside = 'inside' in more ? collectChunkFiles([more.inside], chunks, { deep: false }) : []
      return { name, budget, files, inside, behind, kb: getGzipKilobytes(dir, files) }
    })
    const weights = Object.fromEntries(
      weighed.map(({ name, files, inside, behind, kb }) => [name, { files, inside, behind, kb }]),
    )
    writeFileSync(join(dir, weightsFileName), `${JSON.stringify(weights, null, 1)}\n`)
    const lines = weighed.map(({ name, budget, kb }) => `${name.padEnd(24)} budget ${budget} kB, weight ${padKilobytes(kb)} kB`)
    const over = weighed.flatMap(({ name, budget, files, kb }) =>
      kb <= budget
        ? []
        : [
            `\n${name} is ${(kb - budget).toFixed(1)} kB over its budget. What weighs most:`,
            ...findHeaviestModules(dir, files, chunks)
              .slice(0, 12)
              .map(([module, one]) => `${padKilobytes(one)}  ${module}`),
          ],
    )
    if (over.length > 0) this.error(`JavaScript of the first view, gzip\n${[...lines, ...over].join('\n')}`)
    for (const line of lines) this.info(line)
  },
})
