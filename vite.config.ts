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
import { mobileRoutesPlugin } from './build/mobile-routes.ts'
import { pureFunctions } from './build/pure-functions.ts'
import { readerPlugin } from './build/reader.ts'
import { colorMixPlugin, cssModulesOptions, dvhFallbackPlugin, plainClassesPlugin } from './build/styles.ts'
import LongestFirst from './tests/support/run/sequence.ts'
import { selectFiles } from './tests/tiers.ts'

const here = (path: string) => resolve(import.meta.dirname, path)
const apiPort = process.env.PORT ?? '3000'

/** The pages of spec §2 that are files of their own; every other address is the routed app, as on the server. */
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

/** Which build a reported error comes from: the version, and the commit where there is one. */
function releaseOf(): string {
  const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8')) as { version: string }
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: here('.'), encoding: 'utf8' })
  return status === 0 ? `${version}+${stdout.trim()}` : version
}

/** Every project records the processor time of its files. */
const costs = here('tests/support/run/processor-setup.ts')

const project = (name: string, include: string[], more: ProjectConfig = {}) => ({
  // The client's plugins and root are of no use to tests on the server's side.
  extends: false as const,
  root: here('.'),
  plugins: name === 'client' ? [react()] : [],
  // A busy machine is slow, not wrong. Twice as many workers as the two cores it is measured on: while some wait for a browser, a database or a clock, others work.
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    setupFiles: [costs],
    // Vitest would look for a second.
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
 * What another PostgreSQL cannot change: tests that bring their own embedded server, that never get past the door or the reader of files, and
 * of the sheets those whose statements sheet-journey and sheet-corrected send too, of signing in those whose statements account,
 * account-factor and invite send. Everything else of api and contract is `portable`.
 */
const notPortable =
  'runtime-postgres runtime-lock disk-full attack-server slip-kill starve-stop starve-overload stop-under-load member-import-kill attack-sign-in attack-codes attack-input sheet-refused attack-sheets sheet-strangers sheet-recipe sheet-around sheet-check-history sheet-last-month sheet-answers'
    .split(' ')
    .map((name) => `tests/api/${name}.test.ts`)
/** Not how long anything may take: where a test that hangs is given up. */
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
      // A loader travels with its page, so that the routed app's first file carries no calls.
      codeSplittingOptions: {
        defaultBehavior: [['component', 'loader', 'pendingComponent'], ['errorComponent'], ['notFoundComponent']],
      },
    }),
    react(),
    anyPageIsTheApp(),
    mobileRoutesPlugin(),
    leanContractPlugin(),
    budgetsPlugin(),
    mobilePagesPlugin(),
    readerPlugin(),
  ],
  // React has had it since 18; the shim is for older ones.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
  css: { modules: cssModulesOptions, postcss: { plugins: [colorMixPlugin(), dvhFallbackPlugin()] } },
  server: { proxy: { '^/(api|Api|index/test)/': { target: `http://127.0.0.1:${apiPort}`, changeOrigin: false } } },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    // Its syntax is what the floor reads; naming the floor would also rewrite every ?. for a bug of Chrome below 91 (1.3 kB of the slip page).
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
        // Importing one of these does nothing by itself: what a file does not use of it stays out of that file's chunk.
        moduleSideEffects: [{ test: /\/(server\/contract|src\/(pages|parts|shell|ui))\/.*\.tsx?($|\?)/, sideEffects: false }],
        manualPureFunctions: pureFunctions,
      },
    },
  },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // Nothing here has state: a worker keeps the modules of one file for the next.
      project('architecture', ['tests/architecture/**/*.test.ts'], { isolate: false }),
      project('unit', ['tests/unit/**/*.test.ts'], { isolate: false }),
      project('platform', ['tests/platform/**/*.test.ts'], { isolate: false }),
      project('api', apiFiles.include, { ...slow, ...watched, isolate: false, exclude: apiFiles.exclude }),
      project('contract', contractFiles, { ...slow, ...watched, isolate: false }),
      // What touches the database, run a second time on another PostgreSQL.
      project('portable', ['tests/{api,contract}/**/*.test.ts'], { ...slow, ...watched, isolate: false, exclude: notPortable }),
      // Several of these as the runner starts them: a worker loads once what they share.
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
        // It looks at the page when it is loaded: a file that plays another page can have it loaded anew (`resetModules`).
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
