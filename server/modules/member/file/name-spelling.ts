/** Names as people type them with Latin letters: made once, when a name is written, so that the database can search. */
import { sql } from 'kysely'
import { pinyin, polyphonic } from 'pinyin-pro'
import type { Database } from '../../../database/database.ts'
import type { JobQueue } from '../../../jobs/queue.ts'

/** Of longer names, which are those of no Chinese person, the beginning. */
const maxSyllables = 8
/** A name with several characters of several readings. */
const maxReadings = 8
const maxCachedReadings = 10_000

const pinyinOptions = { toneType: 'none', type: 'array', nonZh: 'removed', v: true } as const
/** The readings of a character, whatever stands beside it: names are of a few thousand. Of what is no Chinese character, none. */
const readingsCache = new Map<string, readonly (readonly string[])[]>()
function getCharacterReadings(name: string): (readonly string[])[] {
  return [...name].flatMap((character) => {
    let readings = readingsCache.get(character)
    if (!readings) {
      readings = polyphonic(character, pinyinOptions)
      if (readingsCache.size < maxCachedReadings) readingsCache.set(character, readings)
    }
    return readings
  })
}

/** The readings of a name, each as its syllables; as a surname the first character is read as one. */
function getNameReadings(name: string): string[][] {
  const defaultReading = pinyin(name, { ...pinyinOptions, mode: 'surname' }).slice(0, maxSyllables)
  const others = getCharacterReadings(name)
  let all = [defaultReading]
  defaultReading.forEach((syllable, at) => {
    const more = at === 0 ? [] : (others[at] ?? []).filter((other) => other !== syllable)
    for (const other of more) all = [...all, ...all.map((one) => one.with(at, other))].slice(0, maxReadings)
  })
  return all
}

/**
 * 「王晓云」: ` wangxiaoyun wangxy xiaoyun yun wxy xy y`, from each of its characters on, each word behind a blank. Searched for by `toSpellingPattern`.
 */
export function getNameSpellings(name: string): string {
  const spellings = new Set<string>()
  for (const reading of getNameReadings(name))
    for (const at of reading.keys()) {
      const rest = reading.slice(at)
      const initials = rest.map((syllable) => syllable[0]).join('')
      spellings.add(rest.join(''))
      spellings.add(initials)
      spellings.add(`${rest[0]}${initials.slice(1)}`)
    }
  return [...spellings].map((word) => ` ${word}`).join('')
}

/** For `like`: what is typed begins at one of the characters. Null where it is no spelling. */
export function toSpellingPattern(query: string): string | null {
  const letters = query
    .toLowerCase()
    .replace(/ü/g, 'v')
    .replace(/[\s'·]/g, '')
  return /^[a-z]+$/.test(letters) ? `% ${letters}%` : null
}

/** Whether what is typed are the first letters of a name, or its spelling, from one of its characters on: for names that the database cannot search. */
export function matchesSpelling(name: string, query: string): boolean {
  const letters = toSpellingPattern(query)
  return letters !== null && getNameSpellings(name).includes(letters.slice(1, -1))
}

type SpellingDeps = { readonly database: Database; readonly jobs: JobQueue }
const rowsPerQuery = 500

/** Whoever stood in a roster before names were spelled. Doing it twice is harmless: only what is not spelled is. Answers how many there were. */
export async function spellMissingNames({ database }: Pick<SpellingDeps, 'database'>, company_id: string): Promise<number> {
  let done = 0
  for (;;) {
    const count = await database.inCompany(company_id, async (tx) => {
      const rows = await tx
        .selectFrom('member')
        .select(['id', 'name'])
        .where('company_id', '=', company_id)
        .where('name_pinyin', 'is', null)
        .limit(rowsPerQuery)
        .execute()
      const [ids, spellings] = [rows.map(({ id }) => id), rows.map(({ name }) => getNameSpellings(name))]
      await sql`
        update member set name_pinyin = wanted.name_pinyin from unnest(${ids}::uuid[], ${spellings}::text[]) as wanted (id, name_pinyin)
        where member.company_id = ${company_id} and member.id = wanted.id and member.name_pinyin is null`.execute(tx)
      return rows.length
    })
    done += count
    if (count < rowsPerQuery) return done
  }
}

/** Declares the job. What is answered sends it to the companies where somebody is not spelled yet; the start does. */
export function createSpellingJob({ database, jobs }: SpellingDeps): (company_ids: readonly string[]) => Promise<void> {
  jobs.register<{ company_id: string }>('spell', async ({ company_id }) => {
    await spellMissingNames({ database }, company_id)
  })
  return async (company_ids) => {
    for (const company_id of company_ids)
      await database.inCompany(company_id, async (tx) => {
        const open = await tx
          .selectFrom('member')
          .select('id')
          .where('company_id', '=', company_id)
          .where('name_pinyin', 'is', null)
          .limit(1)
          .executeTakeFirst()
        if (open) await jobs.send(tx, 'spell', { company_id })
      })
  }
}
