import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import type { ProjectConfig } from 'vitest/node'

const here = (path: string) => resolve(import.meta.dirname, path)
const apiPort = process.env.PORT ?? '3000'

/** The pages of spec §2 that are files of their own; every other address is the routed app, as on the server. */
const entries = {
  index: here('src/index.html'),
  product: here('src/pc/page/index/index.html'),
  login: here('src/pc/page/login/login.html'),
  app: here('src/app.html'),
}

/** What every page has, the sign-in page included: one file instead of a dozen small ones. */
const core =
  /node_modules\/(react|react-dom|scheduler|zod|ky)\/|@oxc-project|rolldown\/runtime|server\/contract\/(account|call|refusals|words|who)\.ts|src\/api-core\.ts|src\/ui\/sms-button/
/** What every page of the routed app has: router, query cache, and of each page the part that the router must know. */
const routing =
  /node_modules\/(@tanstack\/(?!.*[qQ]ueries)|use-sync-external-store\/)|src\/(api|session|routes\.gen|pages\/.*|parts\/.*\/search|ui\/(toast|empty|error-state|search))\.tsx?(\?tsr-shared=1)?$/

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

const project = (name: string, include: string[], more: ProjectConfig = {}) => ({
  // The client's plugins and root are of no use to tests on the server's side.
  extends: false as const,
  root: here('.'),
  plugins: name === 'client' ? [react()] : [],
  test: { name, include, environment: 'node' as const, ...more },
})
const apiSetup = existsSync(here('tests/kit/api-setup.ts')) ? { globalSetup: [here('tests/kit/api-setup.ts')] } : {}
const slow = { testTimeout: 60_000, hookTimeout: 120_000, fileParallelism: false }

export default defineConfig({
  root: here('src'),
  publicDir: here('src/public'),
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: here('src/pages'),
      generatedRouteTree: here('src/routes.gen.ts'),
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
  ],
  server: { proxy: { '^/(api|Api|index/test)/': { target: `http://127.0.0.1:${apiPort}`, changeOrigin: false } } },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    target: 'es2020',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: entries,
      preserveEntrySignatures: false,
      // Two groups that every page needs whole; nothing else is bundled by hand.
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'core', test: core },
            { name: 'routing', test: routing },
          ],
        },
      },
      treeshake: {
        // Importing one of these does nothing by itself: what a file does not use of it stays out of that file's chunk.
        moduleSideEffects: [{ test: /\/(server\/contract|src\/(pages|parts|shell|ui))\/.*\.tsx?($|\?)/, sideEffects: false }],
        // Building a call or a shape has no effect but its value.
        manualPureFunctions: ['call', 'z', 'holders', 'listOf', 'words', 'wordsOrNone'],
      },
    },
  },
  test: {
    projects: [
      project('unit', ['tests/unit/**/*.test.ts']),
      project('house', ['tests/house.test.ts']),
      project('api', ['tests/api/**/*.test.ts'], { ...slow, ...apiSetup }),
      project('contract', ['tests/contract/**/*.test.ts'], { ...slow, ...apiSetup }),
      project('client', ['tests/client/**/*.test.{ts,tsx}']),
      project('e2e', ['tests/e2e/**/*.test.ts'], { ...slow, testTimeout: 180_000 }),
    ],
  },
})
