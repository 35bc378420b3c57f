import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import type { ProjectConfig } from 'vitest/node'
import { browserTargets } from './build/browser-targets.ts'
import { budgetsPlugin } from './build/budgets.ts'
import { leanContractPlugin } from './build/contract.ts'
import { createFileGroups } from './build/file-groups.ts'
import { mobilePagesPlugin } from './build/mobile-pages.ts'
import { productionFilesPlugin } from './build/production-files.ts'
import { pureFunctions } from './build/pure-functions.ts'
import { readerPlugin } from './build/reader.ts'
import { colorMixPlugin, cssModulesOptions, dvhFallbackPlugin, plainClassesPlugin } from './build/styles.ts'
import LongestFirst from './tests/support/run/sequence.ts'
import { selectFiles } from './tests/tiers.ts'

const here = (path: string) => resolve(import.meta.dirname, path)
const apiPort = process.env.PORT ?? '3000'

/** Pages of spec §2 with their own HTML files; every other URL is the routed app, as on the server. */
const entries = {
  index: here('src/index.html'),
  product: here('src/pc/page/index/index.html'),
  login: here('src/pc/page/login/login.html'),
  pocket_login: here('src/pc/page/pocket/login.html'),
  verify: here('src/pc/page/verify/verify.html'),
  ops: here('src/pc/page/ops/ops.html'),
  app: here('src/app.html'),
  pocket: here('src/routed/mobile.tsx'),
}

const anyPageIsTheApp = (): Plugin => ({
  name: 'any-page-is-the-app',
  configureServer(server) {
    server.middlewares.use((request, _response, next) => {
      const path = (request.url ?? '/').split('?')[0] ?? '/'
      const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
      if (isPage && !path.startsWith('/api') && !path.startsWith('/@') && !existsSync(here(`src${path === '/' ? '/-' : path}`)))
        request.url = '/app.html'
      next()
    })
  },
})

/** Identifies the build in error reports: the version, and the commit if there is one. */
function releaseOf(): string {
  const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8')) as { version: string }
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: here('.'), encoding: 'utf8' })
  return status === 0 ? `${version}+${stdout.trim()}` : version
}

/** Records the CPU time of each test file, in every project. */
const costs = here('tests/support/run/processor-setup.ts')

const project = (name: string, include: string[], more: ProjectConfig = {}) => ({
  // Server tests do not need the client's plugins and root.
  extends: false as const,
  root: here('.'),
  plugins: name === 'client' ? [react()] : [],
  // Generous timeouts, because a busy machine is slow but not wrong. There are twice as many workers as the two cores
  // of the reference machine: while some wait for a browser, a database or a timer, others work.
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    setupFiles: [costs],
    // Vitest's default is one second.
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 4,
    ...more,
  },
})
const apiSetup = existsSync(here('tests/support/run/api-setup.ts'))
  ? { globalSetup: [here('tests/support/run/api-setup.ts')] }
  : {}
const watched = { ...apiSetup, setupFiles: [costs, here('tests/scale/watch.ts')] }
const apiFiles = selectFiles('api')
const journeyFiles = selectFiles('e2e')
const contractFiles = ['tests/contract/**/*.test.ts']
/**
 * Tests that are independent of the PostgreSQL server: those with their own embedded server, those that stop at
 * authentication or at the file reader, and those whose statements are covered elsewhere (of the wage sheets by
 * sheet-journey and sheet-corrected, of sign-in by account, account-factor and invite). Everything else of api and
 * contract is `portable`.
 */
const notPortable =
  'runtime-postgres runtime-lock disk-full attack-server slip-kill starve-stop starve-overload stop-under-load member-import-kill attack-sign-in attack-codes attack-input sheet-refused attack-sheets sheet-strangers sheet-recipe sheet-around sheet-check-history sheet-last-month sheet-answers'
    .split(' ')
    .map((name) => `tests/api/*/${name}.test.ts`)
/** Timeouts for hanging tests only; they do not limit how long an operation may take. */
const slow = { testTimeout: 180_000, hookTimeout: 180_000 }

export default defineConfig({
  root: here('src'),
  publicDir: here('src/public'),
  define: { 'import.meta.env.VITE_RELEASE': JSON.stringify(releaseOf()) },
  plugins: [
    plainClassesPlugin(),
    tanstackRouter({
      target: 'react',
      routesDirectory: here('src/pages'),
      generatedRouteTree: here('src/routed/routes.gen.ts'),
      autoCodeSplitting: true,
      addExtensions: true,
      quoteStyle: 'single',
      disableLogging: true,
      // A loader is bundled with its page, so that the routed app's first file contains no calls.
      codeSplittingOptions: {
        defaultBehavior: [['component', 'loader', 'pendingComponent'], ['errorComponent'], ['notFoundComponent']],
      },
    }),
    react(),
    anyPageIsTheApp(),
    leanContractPlugin(),
    budgetsPlugin(),
    mobilePagesPlugin(),
    readerPlugin(),
    productionFilesPlugin(),
  ],
  // React has it built in since version 18; the shim is for older versions.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
  css: { modules: cssModulesOptions, postcss: { plugins: [colorMixPlugin(), dvhFallbackPlugin()] } },
  server: { proxy: { '^/(api|Api|index/test)/': { target: `http://127.0.0.1:${apiPort}`, changeOrigin: false } } },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    // The oldest browsers support this syntax; naming them as the target would also rewrite every ?. because of a bug
    // in Chrome below 91 (1.3 kB of the payslip page).
    target: 'es2020',
    cssTarget: browserTargets,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: entries,
      preserveEntrySignatures: false,
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: createFileGroups(here('.')),
        },
      },
      treeshake: {
        // Importing one of these modules has no side effect, so unused exports stay out of the importing file's chunk.
        moduleSideEffects: [{ test: /\/(server\/contract|src\/(pages|parts|shell|ui))\/.*\.tsx?($|\?)/, sideEffects: false }],
        manualPureFunctions: pureFunctions,
      },
    },
  },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // These tests have no state, so a worker reuses the modules of one file for the next.
      project('architecture', ['tests/architecture/**/*.test.ts'], { isolate: false }),
      project('unit', ['tests/unit/**/*.test.ts'], { isolate: false }),
      project('platform', ['tests/platform/**/*.test.ts'], { isolate: false }),
      project('api', apiFiles.include, { ...slow, ...watched, isolate: false, exclude: apiFiles.exclude }),
      project('contract', contractFiles, { ...slow, ...watched, isolate: false }),
      // Tests that use the database, run again on another PostgreSQL server.
      project('portable', ['tests/{api,contract}/**/*.test.ts'], { ...slow, ...watched, isolate: false, exclude: notPortable }),
      // Combined projects for the test runner: a worker loads shared modules once.
      project('plain', ['tests/{architecture,unit,platform}/**/*.test.ts'], { isolate: false }),
      project('served', [...apiFiles.include, ...contractFiles], {
        ...slow,
        ...watched,
        isolate: false,
        exclude: apiFiles.exclude,
      }),
      project('client', ['tests/client/**/*.test.{ts,tsx}'], {
        ...apiSetup,
        isolate: false,
        unstubGlobals: true,
        // The package inspects the page when it is loaded; inlining it lets a test file reload it (`resetModules`) for
        // another page.
        server: { deps: { inline: ['@wecom/jssdk'] } },
      }),
      project('e2e', journeyFiles.include, {
        ...slow,
        isolate: false,
        testTimeout: 180_000,
        exclude: journeyFiles.exclude,
        globalSetup: [here('tests/support/run/e2e-setup.ts')],
      }),
    ],
  },
})
