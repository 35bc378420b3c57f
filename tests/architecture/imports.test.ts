/** Checks the import direction between the parts of the product, read from the import statements. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readModels } from './tables.ts'

const root = resolve(import.meta.dirname, '../..')
const walk = (dir: string): string[] =>
  readdirSync(join(root, dir)).flatMap((name) => {
    const path = `${dir}/${name}`
    if (name === 'node_modules' || name.startsWith('.')) return []
    return statSync(join(root, path)).isDirectory() ? walk(path) : [path]
  })
// Git does not store empty folders, so a clone may lack one of them.
const sources = ['server', 'platform', 'src', 'tests']
  .filter((room) => existsSync(join(root, room)))
  .flatMap(walk)
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.gen.ts'))
const product = sources.filter((path) => !path.startsWith('tests/'))
const getText = (path: string): string => readFileSync(join(root, path), 'utf8')

type Import = { from: string; to: string; typeOnly: boolean }
const imports: Import[] = product.flatMap((from) =>
  [
    ...getText(from).matchAll(
      /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g,
    ),
  ].map((match) => {
    const target = match[2] ?? match[3] ?? ''
    return {
      from,
      to: target.startsWith('.') ? relative(root, resolve(root, dirname(from), target)) : `npm:${target}`,
      typeOnly: Boolean(match[1]),
    }
  }),
)
const ours = imports.filter((one) => !one.to.startsWith('npm:'))
const getModule = (path: string): string | null => /^server\/modules\/([^/]+)\//.exec(path)?.[1] ?? null
/** Folders of the server that contain no domain logic. */
const infrastructure = /^server\/(crypto|database|files|http|jobs|observability|outbox|shared)\//
const format = (list: Import[]): string[] => list.map((one) => `${one.from} → ${one.to}`)

describe('imports', () => {
  it('of the contract reach only the schema library and the list of chat providers', () => {
    expect(
      format(
        imports.filter(
          (one) =>
            one.from.startsWith('server/contract/') &&
            !one.to.startsWith('server/contract/') &&
            one.to !== 'npm:zod/mini' &&
            !(one.from === 'server/contract/shared/providers.ts' && one.to === 'platform/chat/providers.ts'),
        ),
      ),
    ).toEqual([])
  })

  it('imports in rules reach only the contract, shared rules and themselves', () => {
    const broken = imports.filter((one) => {
      const rules = /^(server\/(?:modules\/[^/]+\/|outbox\/)?rules)\//.exec(one.from)?.[1]
      if (!rules || one.to.startsWith(`${rules}/`) || /^server\/(contract|rules)\//.test(one.to)) return false
      return rules === 'server/rules' || one.to !== 'server/spreadsheets/rules.ts'
    })
    expect(format(broken)).toEqual([])
  })

  it('imports in spreadsheets reach only the contract, rules, the runtime and themselves', () => {
    expect(
      format(
        ours.filter(
          (one) =>
            one.from.startsWith('server/spreadsheets/') &&
            !/^server\/(contract|rules|spreadsheets)\//.test(one.to) &&
            !infrastructure.test(one.to),
        ),
      ),
    ).toEqual([])
  })

  it('imports in recognition reach only the contract, rules and itself', () => {
    const pure = /^server\/spreadsheets\/(recognise\/|profiles\/|[a-z]+\.ts$)/
    const broken = imports.filter(
      (one) =>
        pure.test(one.from) &&
        one.from !== 'server/spreadsheets/index.ts' &&
        !(pure.test(one.to) && one.to !== 'server/spreadsheets/index.ts') &&
        !/^server\/(contract|rules)\//.test(one.to),
    )
    expect(format(broken)).toEqual([])
  })

  // Three modules have entries besides index.ts: for sent payslips and wage sheets, wage settings, and the operator
  // (docs/decisions/20261123-use-narrow-module-entries.md).
  it('of a module reach only the contract, rules, the runtime, itself, index.ts and read models of other modules and types of the platform', () => {
    const broken = ours.filter((one) => {
      const domain = getModule(one.from)
      if (!domain || one.from.includes('/rules/')) return false
      if (one.to.startsWith('server/outbox/')) return one.to !== 'server/outbox/index.ts'
      if (/^server\/(contract|rules)\//.test(one.to) || infrastructure.test(one.to) || getModule(one.to) === domain) return false
      if (one.to.startsWith('server/spreadsheets/')) return !/^server\/spreadsheets\/(index|rules)\.ts$/.test(one.to)
      if (getModule(one.to))
        return !(
          one.to in readModels ||
          /^server\/modules\/([^/]+|billing\/operations|company\/settings|sheets\/(display|ready|upload))\/index\.ts$/.test(
            one.to,
          )
        )
      return !(one.typeOnly && /^platform\/(types|carrier|pay\/provider)\.ts$/.test(one.to))
    })
    expect(format(broken)).toEqual([])
  })

  it('imports between modules form no cycle', () => {
    const edges = new Map<string, Set<string>>()
    for (const one of ours) {
      const [from, to] = [getModule(one.from), getModule(one.to)]
      if (from && to && from !== to && !(one.to in readModels)) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
    const circles: string[] = []
    const visitNode = (at: string, path: string[]): void => {
      if (path.includes(at)) return void circles.push([...path.slice(path.indexOf(at)), at].join(' → '))
      for (const next of edges.get(at) ?? []) visitNode(next, [...path, at])
    }
    for (const start of edges.keys()) visitNode(start, [])
    expect(circles).toEqual([])
  })

  it('imports in infrastructure reach only the contract and itself, and in the outbox also the port to channel senders', () => {
    const broken = ours.filter((one) => {
      if (!infrastructure.test(one.from) || one.to.startsWith('server/contract/') || infrastructure.test(one.to)) return false
      return !(one.from.startsWith('server/outbox/') && one.to.startsWith('platform/'))
    })
    expect(format(broken)).toEqual([])
  })

  it('imports in the platform reach only itself, and its client, simulator and server parts do not import each other', () => {
    const half = (path: string): string => {
      if (/^platform\/chat\/(\w+\/)?(descriptor|providers|client-module)\.ts$/.test(path)) return 'shared'
      if (/^platform\/(client\/|chat\/load-script|chat\/\w+\/(browser|client|console|frame|user-picker)\.ts)/.test(path))
        return 'client'
      return path.startsWith('platform/simulator/') ? 'simulator' : 'server'
    }
    const broken = ours.filter(
      (one) =>
        one.from.startsWith('platform/') &&
        (!one.to.startsWith('platform/') ||
          (half(one.from) !== half(one.to) && half(one.to) !== 'shared' && one.to !== 'platform/types.ts')),
    )
    expect(format(broken)).toEqual([])
  })

  it('imports in the client reach only the contract, the platform client and itself', () => {
    expect(
      format(
        ours.filter(
          (one) =>
            one.from.startsWith('src/') &&
            !/^(src|server\/contract|platform\/client)\/|^platform\/chat\/client-module\.ts$/.test(one.to),
        ),
      ),
    ).toEqual([])
    expect(format(ours.filter((one) => one.from.startsWith('src/') && one.to === 'server/contract/index.ts'))).toEqual([])
  })

  it('imports in src/components reach no calls and no pages', () => {
    expect(
      format(
        ours.filter((one) => one.from.startsWith('src/components/') && /^src\/(api|session|pages|app|features)/.test(one.to)),
      ),
    ).toEqual([])
  })

  // What only tests need belongs to tests/: a product that carries it must be read, kept and explained with it.
  it('reach every file of the product from a start: the server, its commands, a page or the demo', () => {
    const starts = [
      /^server\/((main|build-client)\.ts|commands\/|(.*\/)?[a-z-]*(child|worker)[a-z-]*\.ts)/,
      /^server\/(contract\/index|demo\/write-runs|database\/write-tables)\.ts$/,
      /^src\/(pages|routed)\/|^src\/app\/preload\/|^src\/pc\/|^platform\/simulator\//,
      // Loaded by the name of the provider.
      /^platform\/chat\/\w+\/(adapter|browser)\.ts$/,
    ]
    const next = Map.groupBy(ours, (one) => one.from)
    const reached = new Set<string>()
    const waiting = product.filter((path) => starts.some((start) => start.test(path)))
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      waiting.push(...(next.get(path) ?? []).map((one) => one.to))
    }
    expect(product.filter((path) => !reached.has(path))).toEqual([])
  })

  it("imports of spreadsheet parsers occur only in the reader's child process", () => {
    const parsers = ['npm:hucre', 'npm:papaparse', 'npm:@e965/xlsx']
    expect(
      format(
        imports.filter(
          (one) => parsers.some((name) => one.to.startsWith(name)) && !one.from.startsWith('server/spreadsheets/read/'),
        ),
      ),
    ).toEqual([])
  })
})

describe('environment variables', () => {
  it('the server reads environment variables only in config.ts', () => {
    const readers = product.filter((path) => path.startsWith('server/') && /process\.env/.test(getText(path)))
    expect(readers.filter((path) => path !== 'server/config.ts')).toEqual([])
  })
})

/** Calls that no page makes, besides those for programs: the specification names them. `closeOrder` is ours and still lacks its button. */
const callsWithoutPage = `
  closeOrder consumptionPublicBySalaryAdmin getBatchList getConfirmRule getDetailUpload getDownloadTicket getFile
  getManagerUserIdList getProductInfo getRoleMemberList getSendRule getSonDepartList getTimeInfo
  getYearSalaryCharts rechargeSMS testObserver uploadFileAlias
`

describe('the client', () => {
  it('makes every call except those listed here', () => {
    const calls = product
      .filter((path) => path.startsWith('server/contract/') && !path.startsWith('server/contract/api-v1/'))
      .flatMap((path) => [...getText(path).matchAll(/^export const (\w+) = define(?:Read|View|Change|SignIn)\(/gm)])
      .map((match) => match[1] ?? '')
    const identifiers = new Set(
      product.filter((path) => /^(src|platform\/client)\//.test(path)).flatMap((path) => getText(path).match(/\w+/g) ?? []),
    )
    expect(calls.length).toBeGreaterThan(250)
    expect(calls.filter((name) => !identifiers.has(name)).toSorted()).toEqual(callsWithoutPage.trim().split(/\s+/))
  })
})
