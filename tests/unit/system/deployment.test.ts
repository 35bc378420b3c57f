/** The files in `deploy/` agree with the program: its variables, version, ports and paths. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentVariables, readConfig } from '../../../server/config.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

/** Read by compose.yaml and not by the server. */
const composeOnly = ['POSTGRES_PASSWORD']

describe('.env.example', () => {
  const assignments = [...read('deploy/.env.example').matchAll(/^(# )?([A-Z][A-Z0-9_]*)="?(.*?)"?$/gm)].map(
    ([, comment, name = '', value = '']) => ({ name, value, isSet: comment === undefined }),
  )

  it('names every variable of the server once, and no other', () => {
    expect(assignments.map(({ name }) => name).sort()).toEqual([...environmentVariables, ...composeOnly].sort())
  })

  it('starts a production server once the empty ones are filled in', () => {
    const filled: Readonly<Record<string, string>> = {
      XINHAN_ORIGIN: 'https://pay.example.cn',
      XINHAN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    }
    const set = assignments.filter(({ isSet }) => isSet)
    expect(set.filter(({ value }) => value === '').map(({ name }) => name)).toEqual(Object.keys(filled))
    const config = readConfig(Object.fromEntries(set.map(({ name, value }) => [name, filled[name] ?? value])))
    expect(config).toMatchObject({ production: true, demo: false, https: true, origin: 'https://pay.example.cn' })
  })

  it('has examples that the server accepts', () => {
    const origin = { NODE_ENV: 'production', XINHAN_ORIGIN: 'https://pay.example.cn' }
    // Groups of which one variable needs all others, and files that do not exist here.
    const isAlone = ({ name }: { name: string }) => !/^XINHAN_(SMS|STORE|ALIPAY|WECHAT)/.test(name)
    for (const { name, value } of assignments.filter(isAlone))
      if (value) expect(() => readConfig({ ...origin, [name]: value }), name).not.toThrow()
  })
})

describe('the documentation of the configuration', () => {
  it.each(['configuration.md', 'configuration.zh-CN.md'])('names every variable: %s', (page) => {
    // Groups are written as `XINHAN_STORE_LARK_…`.
    const named = [...read(`docs/operations/${page}`).matchAll(/`([A-Z][A-Z0-9_]*)(…)?`/g)]
    const isNamed = (variable: string): boolean =>
      named.some(([, name = '', more]) => (more ? variable.startsWith(name) : variable === name))
    expect(environmentVariables.filter((name) => !isNamed(name))).toEqual([])
  })
})

describe('files for containers and services', () => {
  it.each(['deploy/compose.yaml', 'deploy/Dockerfile'])('name the version of the program: %s', (path) => {
    expect([...read(path).matchAll(/xinhan:(\d+\.\d+\.\d+)/g)].map(([, named]) => named)).toEqual([version])
  })

  it('copy paths that exist, into an image that contains every file that the server runs', () => {
    const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--)(.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    )
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
    // The program of the reader is found by the digest of its sources.
    for (const path of ['server', 'platform', 'build/reader.ts', 'package.json', 'package-lock.json'])
      expect(copied).toContain(path)
  })

  it('start the server without npm and shell, so that SIGTERM reaches it', () => {
    expect(read('deploy/Dockerfile')).toMatch(/^CMD \["node", .*"server\/main\.ts"\]$/m)
    expect(read('deploy/xinhan.service')).toMatch(/^ExecStart=\S+\/node .*server\/main\.ts$/m)
  })

  it.each(['deploy/nginx.conf', 'deploy/Caddyfile'])('close /metrics and /readyz to the outside: %s', (path) => {
    for (const internal of ['/metrics', '/readyz'])
      expect(read(path)).toMatch(new RegExp(`(location = ${internal} \\{ return 404|@internal path .*${internal})`))
  })
})
