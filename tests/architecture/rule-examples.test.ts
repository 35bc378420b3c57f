/** Shows that each architecture rule can fail: sample sources and the violations found in them. */
import { describe, expect, it } from 'vitest'
import { findProviderNames } from './chat-providers.ts'
import { findRoleComparisons } from './column-roles.ts'
import { findImportCycles } from './cycles.ts'
import { compare, shortened } from './known-exceptions.ts'
import { findFiguresInSentences } from './law-figures.ts'
import { unexplained, wrongMap } from './papers.ts'
import { checkPayslipLoad, collectLoadedFiles } from './payslip-load.ts'
import type { Files, Match } from './source.ts'
import {
  findReadModelErrors,
  openedUnchecked,
  pairs,
  readAcross,
  sealedAcross,
  tablesMade,
  usesInSql,
  writtenAcross,
} from './tables.ts'

const many = (folder: string, count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/f${at}.ts`, '']))
const outsider = 'server/modules/notifications/a.ts'

type Case = [what: string, rule: (files: Files) => Match, files: Files, found: Match]
const cases: Case[] = [
  [
    'a read through the query builder',
    readAcross,
    { [outsider]: "db.selectFrom('payslip as s')" },
    { [`${outsider} reads payslip of payslip-records`]: 1 },
  ],
  ['a join of a read model', readAcross, { [outsider]: 'q.innerJoin(memberView, (join) => join)' }, {}],
  [
    'a read model that publishes another table, all columns or its module',
    findReadModelErrors,
    {
      'server/modules/directory/read-model.ts':
        "import { lock } from './list.ts'\nexport const a = sql<Selectable<Batch>>`batch`.as('batch')",
    },
    {
      'server/modules/directory/read-model.ts publishes batch': 1,
      'server/modules/directory/read-model.ts publishes all columns': 1,
      'server/modules/directory/read-model.ts imports server/modules/directory/list.ts': 1,
    },
  ],
  [
    'a read model without a reason',
    findReadModelErrors,
    {
      'server/modules/tax/read-model.ts': "export const a = sql<Pick<Selectable<TaxPeriod>, 'id'>>`tax_period`.as('tax_period')",
    },
    { 'server/modules/tax/read-model.ts is not declared in tests/architecture/tables.ts': 1 },
  ],
  [
    'a join through the query builder',
    readAcross,
    { [outsider]: "q.leftJoin('batch', 'a', 'b')" },
    { [`${outsider} reads batch of sheets`]: 1 },
  ],
  [
    'several tables at once',
    readAcross,
    { [outsider]: "db.selectFrom(['notification', 'send_plan'])" },
    { [`${outsider} reads send_plan of payslips`]: 1 },
  ],
  [
    'raw SQL',
    readAcross,
    { [outsider]: 'sql<Row>`select ${a} from payslip where ${b}`' },
    { [`${outsider} reads payslip of payslip-records`]: 1 },
  ],
  [
    'SQL in a string',
    readAcross,
    { [outsider]: "pg.query('select 1 from payslip')" },
    { [`${outsider} reads payslip of payslip-records`]: 1 },
  ],
  ['a table of the own module', readAcross, { [outsider]: "db.selectFrom('notification')" }, {}],
  ['text that is not SQL', readAcross, { [outsider]: "say('comes from payslip')" }, {}],
  [
    'a write through the query builder',
    writtenAcross,
    { [outsider]: "db.updateTable('batch')" },
    { [`${outsider} writes batch of sheets`]: 1 },
  ],
  [
    'a write by raw SQL',
    writtenAcross,
    { [outsider]: 'sql`insert into send_plan (id)`' },
    { [`${outsider} writes send_plan of payslips`]: 1 },
  ],
  [
    'the infrastructure',
    writtenAcross,
    { 'server/database/a.ts': "db.deleteFrom('session')" },
    { 'server/database/a.ts writes session of auth': 1 },
  ],
  [
    'the demo, through a helper',
    writtenAcross,
    { 'server/demo/a.ts': "insertAll(tx, 'payslip', rows)" },
    { 'server/demo/a.ts writes payslip of payslip-records': 1 },
  ],
  ['a read instead of a write', writtenAcross, { [outsider]: "db.selectFrom('payslip')" }, {}],
  [
    'a submodule that writes a table it does not own',
    writtenAcross,
    { 'server/modules/payslips/a.ts': "db.updateTable('payslip')", 'server/modules/sheets/a.ts': "db.updateTable('payslip')" },
    { 'server/modules/sheets/a.ts writes payslip of payslip-records': 1 },
  ],
  [
    'a sealed value of another module',
    sealedAcross,
    {
      [outsider]:
        "open({ table: 'batch', row: id, column: 'totals' }, x); open({ table: 'notification', row: id, column: 'text' }, x)",
    },
    { [`${outsider} seals batch of sheets`]: 1 },
  ],
  [
    'a submodule that seals its own column but not the content',
    sealedAcross,
    {
      'server/modules/payslips/a.ts':
        "seal({ table: 'payslip', row: id, column: 'signature' }, x); open({ table: 'payslip', row: id, column: 'cells' }, x)",
    },
    { 'server/modules/payslips/a.ts seals payslip of payslip-records': 1 },
  ],
  [
    'a table whose owner has no folder belongs to the module that writes its rows',
    pairs,
    {
      'server/modules/payslips/index.ts': "import { a } from '../sheets/index.ts'",
      'server/modules/sheets/index.ts': "db.selectFrom('payslip')",
    },
    { 'payslips ⇄ sheets': 1 },
  ],
  [
    'a sealed document opened as an unchecked type',
    openedUnchecked,
    { [outsider]: 'const a = vault.open<Answer>(place, x), b = vault.open<string>(place, y), c = answers.open(vault, place, z)' },
    { [`${outsider} opens Answer`]: 1 },
  ],
  [
    'two modules that depend on each other, one by SQL',
    pairs,
    {
      'server/modules/payslips/index.ts': '',
      'server/modules/payslips/a.ts': "import type { A } from '../sheets/index.ts'\ndb.selectFrom('member')",
      'server/modules/sheets/index.ts': '',
      'server/modules/sheets/check/a.ts': "db.selectFrom('send_plan')",
      'server/modules/sheets/check/b.ts': "db.selectFrom('send_plan')",
    },
    { 'payslips ⇄ sheets': 1 },
  ],
  [
    'two modules that depend on each other through a submodule',
    pairs,
    {
      'server/modules/payslips/index.ts': "import { a } from '../sheets/ready/index.ts'",
      'server/modules/sheets/index.ts': '',
      'server/modules/sheets/ready/index.ts': "db.selectFrom('send_plan')",
    },
    { 'payslips ⇄ sheets': 1 },
  ],
  [
    'a payslip page that loads few files',
    checkPayslipLoad,
    { 'server/modules/payslips/employee/payslips.ts': "import { f0 } from '../../../rules/f0.ts'" },
    {},
  ],
  [
    'a payslip page that loads many files',
    checkPayslipLoad,
    {
      ...many('server/rules', 96),
      'server/modules/payslips/employee/payslips.ts': Array.from(
        { length: 96 },
        (_, at) => `import { f } from '../../../rules/f${at}.ts'`,
      ).join('\n'),
    },
    { 'server/modules/payslips/employee/payslips.ts': 97 },
  ],
  [
    'an import cycle',
    findImportCycles,
    { 'src/a.ts': "import { b } from './b.ts'", 'src/b.ts': "export { c } from './c.ts'", 'src/c.ts': "import './a.ts'" },
    { 'src/a.ts ↔ src/b.ts ↔ src/c.ts': 3 },
  ],
  [
    'a cycle of types',
    findImportCycles,
    {
      'src/a.ts': "import { b } from './b.ts'",
      'src/b.ts': "import type { C } from './c.ts'",
      'src/c.ts': "export type { A } from './a.ts'",
    },
    { 'src/a.ts ↔ src/b.ts ↔ src/c.ts': 3 },
  ],
  [
    'no cycle where a file is loaded on demand',
    findImportCycles,
    { 'src/a.ts': "import { b } from './b.ts'", 'src/b.ts': "const later = () => import('./a.ts')" },
    {},
  ],
  ['a legal figure in a sentence', findFiguresInSentences, { 'src/a.ts': "say('减 5,000 元')" }, { 'a sentence says 5,000': 1 }],
  [
    'a legal figure in a template',
    findFiguresInSentences,
    { 'server/a.ts': 'say(`减 ${n} × 60000 元`)' },
    { 'a sentence says 60000': 1 },
  ],
  [
    'a legal figure in a page',
    findFiguresInSentences,
    { 'src/a.tsx': 'const a = <p>不超过 60000 元</p>' },
    { 'a sentence says 60000': 1 },
  ],
  ...(
    [
      ["role === 'deduction'", 'compares a role'],
      ["'net' !== column?.role", 'compares a role'],
      ["roles.get(key) === 'tax'", 'compares a role'],
      ["read.roles[key] === 'net'", 'compares a role'],
      ["['earning', 'tax'].includes(column.role)", 'compares a role'],
      ["switch (role) { case 'gross': break }", 'compares a role'],
      ["const of = (...roles) => items.filter((item) => roles.includes(item.role)); of('deduction', 'tax')", 'compares a role'],
      ["negative ? column.role : 'earning'", 'compares a role'],
      ["const taken: ReadonlySet<ColumnRole> = new Set(['deduction', 'tax'])", 'lists roles'],
      ['const signs: Partial<Record<ColumnRole, 1 | -1>> = { tax: -1 }', 'lists roles'],
    ] as const
  ).map(([text, what]): Case => [text, findRoleComparisons, { 'server/a.ts': text }, { [`server/a.ts ${what}`]: 1 }]),
  [
    'predicates of roles',
    findRoleComparisons,
    { 'server/a.ts': "isNet(role) && kind === 'net' && { role: taken ? 'info' : role }" },
    {},
  ],
  ['roles of a roster', findRoleComparisons, { 'server/spreadsheets/profiles/roster/a.ts': "role === 'name'" }, {}],
  ...(
    [
      ["app.provider === 'lark'", 'compares a provider'],
      ["'wecom' !== provider", 'compares a provider'],
      ["switch (provider) { case 'dingtalk': break }", 'compares a provider'],
      ["['lark'].includes(provider)", 'compares a provider'],
      ["const all = ['lark', 'wecom']", 'lists providers'],
      ['const names = { lark: 1, dingtalk: 2 }', 'lists providers'],
      ["type Some = 'lark' | 'wecom'", 'lists providers'],
    ] as const
  ).map(([text, what]): Case => [text, findProviderNames, { 'server/a.ts': text }, { [`server/a.ts ${what}`]: 1 }]),
  ['a value that names one provider', findProviderNames, { 'server/a.ts': "const app = { provider: 'lark' }" }, {}],
  ['providers in an adapter', findProviderNames, { 'platform/chat/lark/a.ts': "provider === 'lark'" }, {}],
  ['years and numbers in code', findFiguresInSentences, { 'src/a.ts': "const a = 60000; say('2026年'); say('limit 60000')" }, {}],
]

describe('each rule reports', () => {
  it.each(cases)('%s (%#)', (_what, rule, files, match) => {
    expect(rule(files)).toEqual(match)
  })

  it.each([
    ['select * from payslip s, batch as b where x', ['reads payslip', 'reads batch']],
    ['update payslip set a = 1 from batch where x', ['writes payslip', 'reads batch']],
    ['delete from send_plan using batch', ['writes send_plan', 'reads batch']],
    [
      'with x as (select 1 from title) select * from x join lateral (select 1 from member) m on true',
      ['reads title', 'reads member'],
    ],
    ['select 1 from batch for update', ['reads batch']],
    ['select extract(epoch from at), a is distinct from send_plan from file', ['reads file']],
    ['-- from payslip', []],
  ])('SQL: %s', (sql, uses) => {
    expect(usesInSql(sql).map(({ table, does }) => `${does} ${table}`)).toEqual(uses)
  })

  it('derives the tables from migrations that create them without a later drop', () => {
    expect(
      tablesMade({ 'a.sql': 'create table a (x);\n-- create table c\ncreate table b (y);', 'b.sql': 'drop table b;' }),
    ).toEqual(['a'])
  })
})

describe('files loaded at run time', () => {
  it('includes indirect imports but no type imports among the files loaded at run time', () => {
    const files = {
      'src/a.ts': "import { b } from './b.ts'\nimport type { D } from './d.ts'",
      'src/b.ts': "export { c } from './c.ts'",
      'src/c.ts': "import './a.ts'",
      'src/d.ts': '',
    }
    expect(collectLoadedFiles(files, 'src/a.ts').toSorted()).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts'])
  })
})

describe('the list of exceptions', () => {
  it.each([
    ['the same count', { a: 1 }, { a: 1 }, { new: [], grown: [], removed: [] }],
    ['a new entry', { a: 1, b: 1 }, { a: 1 }, { new: ['b'], grown: [], removed: [] }],
    ['a higher count', { a: 9 }, { a: 8 }, { new: [], grown: ['a: 9, allowed 8'], removed: [] }],
    ['a fixed entry', {}, { a: 1 }, { new: [], grown: [], removed: ['a'] }],
    ['a lower count that is still over the limit', { a: 7 }, { a: 8 }, { new: [], grown: [], removed: [] }],
  ])('%s', (_what, match, list, difference) => {
    expect(compare(match as Match, list as Match)).toEqual(difference)
  })
  it('requires a lower count in the list of exceptions once it fell by more than the slack', () => {
    expect(compare({ a: 4 }, { a: 10 }, 5).removed).toEqual(['a'])
    expect(compare({ a: 5 }, { a: 10 }, 5).removed).toEqual([])
  })
  it('removes and lowers entries when the list is shortened but never adds any', () => {
    expect(shortened({ a: 3, new: 1, grown: 9 }, { a: 5, gone: 1, grown: 2 })).toEqual({ a: 3, grown: 2 })
  })
})

describe('the documentation checks', () => {
  const readme =
    '## Map\n\n```\nserver/\n  main.ts   modules/ one folder a subject\n    payslips/  plan\n```\n`npm run check` · npm test'
  const there = ['server/main.ts', 'server/modules/payslips/a.ts']
  it.each([
    ['complete documentation', there, []],
    ['a missing folder', ['server/main.ts', 'server/modules/a.ts'], ['server: payslips/']],
    ['a missing file', ['server/modules/payslips/a.ts'], ['server: main.ts']],
    ['a module that is not named', [...there, 'server/modules/tax/a.ts'], ['modules/tax is not on the map']],
  ])('%s', (_what, paths, broken) => {
    expect(wrongMap(readme, paths)).toEqual(broken)
  })
  it('reports a README without a map', () => expect(wrongMap('', [])).toEqual(['there is no map']))
  it('reports scripts that the README does not explain', () => {
    expect(unexplained(readme, ['check', 'test', 'pretest', 'bench', 'check:all'])).toEqual(['bench', 'check:all'])
  })
})
