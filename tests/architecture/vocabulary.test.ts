/** Checks the vocabulary of identifiers: the number of banned words in each folder may only fall. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources } from './source.ts'
import { countBannedWords, findBannedWord } from './vocabulary.ts'

const file = join(import.meta.dirname, 'vocabulary-counts.json')
const allowed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>

describe('banned words', () => {
  it.each([
    ['keptRows', 'kept'],
    ['most_tries', 'tries'],
    ['rowsOf', '…Of'],
    ['lookup', null],
    ['executeTakeFirst', null],
    ['buildMessage', null],
    ['typeof', null],
  ])('finds the banned word in %s: %s', (identifier, word) => expect(findBannedWord(identifier)?.word ?? null).toBe(word))

  it('does not contain more banned words in any folder', () => {
    const { counts, identifiers } = countBannedWords(readSources())
    if (process.env.UPDATE_EXCEPTIONS === '1') writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`)
    const grown = Object.entries(counts)
      .filter(([folder, count]) => count > (allowed[folder] ?? 0))
      .map(([folder, count]) => {
        const uses = [...(identifiers.get(folder) ?? [])].toSorted(([, a], [, b]) => b - a).slice(0, 30)
        const names = uses.map(([name, times]) => `${name} (${times}) → ${findBannedWord(name)?.use}`)
        return `${folder}: ${count} uses, allowed ${allowed[folder] ?? 0}\n  ${names.join('\n  ')}`
      })
    expect(grown, 'use the terms of docs/development/glossary.md').toEqual([])
  })
})
