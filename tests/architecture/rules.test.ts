/**
 * Checks the architecture rules that are read from the syntax trees of the sources: table ownership, encryption,
 * transactions, import cycles.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProviderNames } from './chat-providers.ts'
import { findRoleComparisons } from './column-roles.ts'
import { findImportCycles } from './cycles.ts'
import { compare, listed, shorten } from './known-exceptions.ts'
import { findFiguresInSentences } from './law-figures.ts'
import { unexplained, wrongMap } from './papers.ts'
import { checkPayslipLoad } from './payslip-load.ts'
import { type Files, type Match, readSources, root } from './source.ts'
import {
  findReadModelErrors,
  openedUnchecked,
  ownerMap,
  pairs,
  readAcross,
  sealedAcross,
  tablesMade,
  writtenAcross,
} from './tables.ts'
import { exposedNoTransaction, narrows, notifiedAfterwards, ownTransactions } from './transactions.ts'

type Rule = { name: string; title: string; remedy: string; find: (files: Files) => Match }
const rules: Rule[] = [
  {
    name: 'reads',
    title: "reads another module's tables through its public API or its read model",
    remedy: 'Call a function of the owning module’s index.ts and pass it the transaction, or join its read-model.ts.',
    find: readAcross,
  },
  {
    name: 'read-models',
    title: 'publishes named columns of the module’s own tables as a read model, and nothing else',
    remedy: 'Declare the read model with its reason in tests/architecture/tables.ts; it imports only the types of the tables.',
    find: findReadModelErrors,
  },
  {
    name: 'writes',
    title: 'gives every table one writing module',
    remedy: 'Call a function of the owning module; name the owner of a new table in tests/architecture/tables.ts.',
    find: writtenAcross,
  },
  {
    name: 'seals',
    title: 'opens sealed values only in the module that seals them',
    remedy: 'Call a function of the owning module’s index.ts that returns the value.',
    find: sealedAcross,
  },
  {
    name: 'unchecked',
    title: 'opens sealed documents with a version and a schema',
    remedy: 'Declare a kind of document: server/crypto/sealed-document.ts.',
    find: openedUnchecked,
  },
  {
    name: 'pairs',
    title: 'lets one of two modules depend on the other, never both',
    remedy: 'Move what both need into a module or into rules below them, or let one be told by the other.',
    find: pairs,
  },
  {
    name: 'payslip-load',
    title: 'loads at most 96 files to show a payslip',
    remedy: 'Find the import that brings the new files (docs/decisions/20261123-use-narrow-module-entries.md).',
    find: checkPayslipLoad,
  },
  {
    name: 'transactions',
    title: 'opens one transaction per request, in the request pipeline',
    remedy: 'Bind the handler with `defineHandler`; one of kind `external` uses `ctx.inTransaction` and `ctx.mutate`.',
    find: ownTransactions,
  },
  {
    name: 'audit',
    title: 'writes the audit log entry in the transaction of the change',
    remedy: 'Make the change inside `ctx.mutate(…)`.',
    find: notifiedAfterwards,
  },
  {
    name: 'external',
    title: 'calls external services only where no transaction is open',
    remedy: 'Use `ctx.noTransaction` of an external handler or of a job.',
    find: exposedNoTransaction,
  },
  {
    name: 'tenant',
    title: 'binds a transaction to its company in the request pipeline only',
    remedy: 'Use the transaction you were given, or `inCompany`.',
    find: narrows,
  },
  {
    name: 'cycles',
    title: 'has no import cycle, types included',
    remedy: 'Move what both files need into a third one, or pass it as a parameter.',
    find: findImportCycles,
  },
  {
    name: 'figures',
    title: 'keeps figures of law in dated tables, never inside a sentence',
    remedy: 'Fill the figure into the sentence from the table that decides it.',
    find: findFiguresInSentences,
  },
  {
    name: 'roles',
    title: 'asks the table of column roles instead of comparing a role with a literal',
    remedy: 'Use a predicate or a property of server/contract/sheets/column-roles.ts.',
    find: findRoleComparisons,
  },
  {
    name: 'providers',
    title: 'asks the descriptor of a chat provider instead of comparing its name',
    remedy: 'Add a field to platform/chat/descriptor.ts, or make the table with `mapProviders`.',
    find: findProviderNames,
  },
]

const files = readSources()

describe('the source', () => {
  it.each(rules)('$title', ({ name, title, remedy, find }) => {
    const match = find(files)
    shorten(name, match)
    const difference = compare(match, listed()[name] ?? {})
    const help = `${title}\n→ ${remedy}\n→ Entries that are no longer needed: UPDATE_EXCEPTIONS=1 npm test -- architecture\n`
    expect(difference, help).toEqual({ new: [], grown: [], removed: [] })
  })

  it('has an owner for every table, and a migration for every owned table', () => {
    expect(tablesMade(files).toSorted(), 'name the owner in tests/architecture/tables.ts').toEqual(
      [...ownerMap.keys()].toSorted(),
    )
  })

  it('has a rule for every list of exceptions', () => {
    expect(Object.keys(listed()).toSorted()).toEqual(rules.map(({ name }) => name).toSorted())
  })
})

describe('the documentation', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const documents = ['docs', 'deploy'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  it('has a map that names existing folders and every module', () =>
    expect(wrongMap(architecture, [...Object.keys(files), ...documents])).toEqual([]))
  it('the README has at most 600 words', () => expect(readme.split(/\s+/).length).toBeLessThanOrEqual(600))
  it('the README explains every script of package.json', () => expect(unexplained(readme, Object.keys(scripts))).toEqual([]))
})
