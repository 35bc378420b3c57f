/**
 * Builds the static HTML pages of /m: each one starts its requests while its scripts load, renders a placeholder, and
 * references exactly the files of its route. Also keeps page styles out of the first file of the app, because they are
 * loaded with the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parseSync } from 'oxc-parser'
import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { build, type Plugin, type Rolldown, runnerImport } from 'vite'
import { colors } from '../src/theme.ts'
import { collectChunkFiles } from './budgets.ts'
import { applyEdits } from './source-edits.ts'

const resolveFromRoot = (path: string): string => resolve(import.meta.dirname, '..', path)
const mobileEntry = 'src/routed/mobile.tsx'
const mobileModules = [mobileEntry, 'src/pages/m/route.tsx']

type Chunk = Rolldown.OutputChunk
type MobilePage = {
  file: string
  title: string
  waiting: 'payslip' | 'list' | 'login'
  entry: string
  modules: readonly string[]
}
/** server/web/client-pages.ts selects one of these files. */
export const mobilePages: readonly MobilePage[] = [
  {
    file: 'm-slip.html',
    title: '工资条',
    waiting: 'payslip',
    entry: mobileEntry,
    modules: [...mobileModules, 'src/pages/m/slip.$id.tsx'],
  },
  {
    file: 'm-slips.html',
    title: '工资条',
    waiting: 'list',
    entry: mobileEntry,
    modules: [...mobileModules, 'src/pages/m/slips.tsx'],
  },
  {
    file: 'm-login.html',
    title: '登录',
    waiting: 'login',
    entry: 'src/pc/page/pocket/login.html',
    modules: ['src/pc/page/pocket/login.html'],
  },
]

/** Builds the script that is inlined in the pages. */
async function buildPreloadScript(): Promise<string> {
  const buildResult = await build({
    configFile: false,
    root: resolveFromRoot('.'),
    publicDir: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2020',
      lib: { entry: resolveFromRoot('src/app/preload/start-prefetch.ts'), formats: ['iife'], name: 'begin' },
    },
  })
  const [first] = Array.isArray(buildResult) ? buildResult : [buildResult]
  const chunk = first && 'output' in first ? first.output[0] : null
  if (!chunk) throw new Error('src/app/preload/start-prefetch.ts was not built')
  return chunk.code.trim()
}

type PageAssets = {
  /** The script that runs before all others. */
  begin: string
  style: string
  /** What loads the app. */
  start: string
  styles: readonly string[]
  waiting: string
}
/**
 * A browser requests at most six files at a time from one server, and on a slow connection a round trip costs more than
 * the bytes. Everything needed for the first render is therefore in the page or among the first six requests. The
 * styles are inlined; their files are still referenced so that the app does not load them again.
 */
const renderPage = (mobilePage: MobilePage, { begin, style, start, styles, waiting }: PageAssets): string =>
  `<!doctype html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${colors.light.paper}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${colors.dark.paper}" media="(prefers-color-scheme: dark)">
<meta name="format-detection" content="telephone=no">
<meta name="robots" content="noindex">
<title>${mobilePage.title} · 薪函</title>
<script>${begin}</script>
<style>${style}</style>
${start}
</head>
<body>
<div id="root">${waiting}</div>
<noscript>请打开浏览器的 JavaScript，再刷新这一页。</noscript>
${styles
  .filter((file) => !/\/theme-[\w-]+\.css$/.test(file))
  .map((file) => `<link rel="stylesheet" crossorigin href="/${file}" media="not all">`)
  .join('\n')}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
</body>
</html>
`

/** Returns the code of the app's entry chunk, to be inlined in a page. */
function getEntryCode(entry: Chunk, chunks: ReadonlyMap<string, Chunk>): string {
  const isAlone = [...chunks.values()].every((one) => ![...one.imports, ...one.dynamicImports].includes(entry.fileName))
  if (!isAlone || entry.dynamicImports.length > 0) throw new Error(`${entry.fileName} is more than a beginning`)
  const imports = parseSync(entry.fileName, entry.code).program.body.filter((node) => node.type === 'ImportDeclaration')
  return applyEdits(
    entry.code,
    imports.map(({ source: { start, end, value } }) => ({ start, end, text: `'${value.replace('./', '/assets/')}'` })),
  ).trim()
}

/** Returns the files in the order in which they run: each after the files that it imports, the entry last. */
function sortByImports(files: readonly string[], chunks: ReadonlyMap<string, Chunk>): string[] {
  const sorted = new Set<string>()
  const addFile = (file: string): void => {
    if (sorted.has(file) || !files.includes(file)) return
    for (const one of chunks.get(file)?.imports ?? []) addFile(one)
    sorted.add(file)
  }
  const isEntry = (file: string): boolean => chunks.get(file)?.isEntry === true
  for (const file of [...files.filter((one) => !isEntry(one)), ...files.filter(isEntry)]) addFile(file)
  return [...sorted]
}
/** Returns the inlined entry of a page that starts as soon as its scripts are loaded. */
const renderEntry = (code: string, scripts: readonly string[]): string =>
  `${scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('\n')}
<script type="module">${code}</script>`

/**
 * Writes two compressed versions next to each file at the highest compression level, so that the most requested files
 * are not compressed on each request.
 */
async function compressFile(path: string): Promise<void> {
  const bytes = readFileSync(path)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

export const mobilePagesPlugin = (): Plugin => ({
  name: 'phone-pages',
  apply: 'build',
  enforce: 'post',
  transform: {
    // Applies to the routing part of a page, which is loaded before the page is opened; the page component
    // (`?tsr-split=…`) brings its own styles.
    filter: { id: /\/src\/pages\/[^?]*\.tsx(\?tsr-shared=1)?$/ },
    handler(code) {
      const styleImports = this.parse(code).body.filter(
        (node) => node.type === 'ImportDeclaration' && node.specifiers.length === 0 && node.source.value.endsWith('.css'),
      )
      return {
        code: applyEdits(
          code,
          styleImports.map(({ start, end }) => ({ start, end, text: '' })),
        ),
        map: null,
      }
    },
  },
  async writeBundle({ dir = '' }, bundle) {
    const chunks = new Map(Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])))
    const begin = await buildPreloadScript()
    const { module } = await runnerImport<{ pagePlaceholders: Record<MobilePage['waiting'], FunctionComponent> }>(
      resolveFromRoot('src/app/preload/placeholders.tsx'),
      {
        configFile: false,
        root: resolveFromRoot('.'),
        logLevel: 'error',
      },
    )
    const text = (file: string): string => readFileSync(join(dir, file), 'utf8')
    const packed = new Set<string>()
    for (const one of mobilePages) {
      const [entry = ''] = collectChunkFiles([one.entry], chunks, { deep: false })
      const weight = (file: string): number => chunks.get(file)?.code.length ?? 0
      const files = collectChunkFiles(one.modules, chunks).toSorted((a, b) => weight(b) - weight(a))
      const isInSteps = one.entry === mobileEntry
      const styles = [...new Set(files.flatMap((file) => [...(chunks.get(file)?.viteMetadata?.importedCss ?? [])]))]
      const chunk = chunks.get(entry)
      if (!chunk) throw new Error(`${one.entry} is not in the build`)
      const scripts = isInSteps ? sortByImports(files, chunks) : files.filter((file) => file !== entry)
      const start = isInSteps ? '' : renderEntry(getEntryCode(chunk, chunks), scripts)
      const startInSteps = isInSteps ? `\nstartInSteps(${JSON.stringify(scripts.map((file) => `/${file}`))})` : ''
      const waiting = renderToStaticMarkup(createElement(module.pagePlaceholders[one.waiting])).replaceAll(/<link[^>]*>/g, '')
      const style = styles.map(text).join('').replaceAll('\n', '')
      writeFileSync(join(dir, one.file), renderPage(one, { begin: begin + startInSteps, style, start, styles, waiting }))
      for (const file of [...scripts, ...styles]) packed.add(file)
    }
    await Promise.all([...packed].map((file) => compressFile(join(dir, file))))
  },
})
