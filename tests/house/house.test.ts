/** The house against its rules. Each failure prints the sentence that was broken, and how to mend it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sharedClasses, strangers } from './classes.ts'
import { slipLoads } from './doors.ts'
import { compare, listed, shorten } from './lists.ts'
import { unexplained, wrongMap } from './papers.ts'
import { pureNames } from './pure-names.ts'
import { casts, circles, depth, figures, folders, longFiles, longFunctions, parameters, twins } from './sizes.ts'
import { type Files, type Found, root, theHouse } from './source.ts'
import { openedUnchecked, ownerOf, pairs, readAcross, sealedAcross, tablesMade, writtenAcross } from './tables.ts'
import { handsOutOutdoors, narrows, ownTransactions, toldAfterwards } from './transactions.ts'

type Rule = { name: string; sentence: string; mend: string; found: (files: Files) => Found; slack?: number }
const rules: Rule[] = [
  {
    name: 'reads',
    sentence: "A domain is a folder with a door: another owner's tables are behind that door, in SQL too.",
    mend: 'Ask a function of the owner’s index.ts; give it the transaction.',
    found: readAcross,
  },
  {
    name: 'writes',
    sentence: 'A table has one writer: the owner that tests/house/tables.ts names, as its migration does.',
    mend: 'Call a function of the owner that writes; for a new table name its owner.',
    found: writtenAcross,
  },
  {
    name: 'seals',
    sentence: 'What is sealed is opened by the room that seals it.',
    mend: 'Ask a function of the owner’s index.ts for what it says; its type stays there.',
    found: sealedAcross,
  },
  {
    name: 'opened',
    sentence: 'What lies sealed on disk has a version and a schema.',
    mend: 'Make a kind of document of it: server/runtime/data/document.ts.',
    found: openedUnchecked,
  },
  {
    name: 'pairs',
    sentence: 'Of two domains one knows the other, by import or by SQL.',
    mend: 'What both need goes into a domain or rules below them; or the one is told by the other.',
    found: pairs,
  },
  {
    name: 'loads',
    sentence: 'Whoever shows a slip loads what shows a slip: 207 files at most.',
    mend: 'See by whose door the new ones come (docs/decisions/20261123-light-doors.md); what takes machinery has a door of its own.',
    found: slipLoads,
  },
  {
    name: 'transactions',
    sentence: 'A request is one transaction, which begins at the door: session and rights are read in it.',
    mend: 'Bind it by `handle` or `handleRights`; outside, `ctx.inTransaction` and `ctx.deed`. Jobs and people without a company have no door.',
    found: ownTransactions,
  },
  {
    name: 'told',
    sentence: 'The line of evidence is written with the deed.',
    mend: 'What the call does happens in `ctx.deed(…)`.',
    found: toldAfterwards,
  },
  {
    name: 'outdoors',
    sentence: 'The outside world is touched where no transaction is open.',
    mend: 'Take `ctx.outdoors` of a handler bound as outside, or of a job.',
    found: handsOutOutdoors,
  },
  {
    name: 'narrows',
    sentence: 'A transaction belongs to the company of whoever asks: the door narrows it, and nobody else.',
    mend: 'Use the transaction you are given, or `inCompany`.',
    found: narrows,
  },
  {
    name: 'circles',
    sentence: 'Files do not need each other in a circle.',
    mend: 'Move what both need into a file of its own, or hand it over as a parameter; a type is imported by `import type`.',
    found: circles,
  },
  {
    name: 'folders',
    sentence: 'A folder can be seen at a glance: 15 entries.',
    mend: 'Put what belongs together into a folder of its own.',
    found: folders,
  },
  {
    name: 'depth',
    sentence: 'A file lies no deeper than three folders below its room.',
    mend: 'Make a room of it, or a file.',
    found: depth,
  },
  {
    name: 'files',
    sentence: 'A file can be read in one sitting: 300 lines, style sheets included.',
    mend: 'A topic is a file: find the second topic.',
    found: longFiles,
  },
  {
    name: 'functions',
    sentence: 'A function does one thing, in 80 lines at most.',
    mend: 'Name its steps.',
    found: longFunctions,
  },
  {
    name: 'parameters',
    sentence: 'A function is told four things at most.',
    mend: 'What travels together is one value with named fields.',
    found: parameters,
  },
  {
    name: 'twins',
    sentence: 'One name all the way: an exported type’s name means one thing.',
    mend: 'Name the type after what it is, or import the one that is there.',
    found: twins,
  },
  {
    name: 'classes',
    sentence: 'A class is styled in one file.',
    mend: 'Give the second place a class of its own.',
    found: sharedClasses,
  },
  {
    name: 'strangers',
    sentence:
      'A class is imported from the module that styles it, or it is of the shared ground (tests/house/classes.ts names its files).',
    mend: 'Style it in the .module.css beside the component and write styles.name; what nobody wears any more goes.',
    found: strangers,
  },
  {
    name: 'pureNames',
    sentence:
      'The build may leave out calls of these names where nothing takes their value: nothing of ours but the contract’s is called so.',
    mend: 'Another name for it.',
    found: pureNames,
  },
  {
    name: 'figures',
    sentence: 'A figure of law is a dated row, never part of a sentence.',
    mend: 'Fill the figure in from where it is decided.',
    found: figures,
  },
  {
    name: 'casts',
    sentence: 'What the compiler cannot see is asserted rarely: `x as Y` is counted by room, and may only become less.',
    mend: 'Narrow by a check, or give the value its type where it is made.',
    found: casts,
    slack: 5,
  },
]

const files = theHouse()

describe('the house keeps its sentences', () => {
  it.each(rules)('$name: $sentence', ({ name, sentence, mend, found, slack }) => {
    const now = found(files)
    shorten(name, now)
    const difference = compare(now, listed()[name] ?? {}, slack)
    const help = `${sentence}\n→ ${mend}\n→ What is gone from the house leaves tests/house/lists.json too: HOUSE=shorten npx vitest run --project house\n`
    expect(difference, help).toEqual({ new: [], grown: [], gone: [] })
  })

  it('every list belongs to a rule', () => {
    expect(Object.keys(listed()).toSorted()).toEqual(rules.map(({ name }) => name).toSorted())
  })

  it('every table has an owner, and every owned table is made by a migration', () => {
    expect(tablesMade(files).toSorted(), 'name the owner in tests/house/tables.ts').toEqual([...ownerOf.keys()].toSorted())
  })
})

describe('the README is true', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const papers = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)
  it('its map names what is there, and every domain', () =>
    expect(wrongMap(readme, [...Object.keys(files), ...papers])).toEqual([]))
  it('it explains every script of package.json', () => expect(unexplained(readme, Object.keys(scripts))).toEqual([]))
})
