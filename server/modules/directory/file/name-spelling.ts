/** Names in Latin letters (pinyin) as users type them: computed when a name is stored, so that the database can search. */
import { sql } from 'kysely'
import { pinyin, polyphonic } from 'pinyin-pro'
import type { Database } from '../../../database/database.ts'
import type { JobQueue } from '../../../jobs/queue.ts'

/** Longer names are not Chinese, so only their beginning is used. */
const maxSyllables = 8
/** Limit for names with several characters that have several readings. */
const maxReadings = 8
const maxCachedReadings = 10_000

const pinyinOptions = { toneType: 'none', type: 'array', nonZh: 'removed', v: true } as const
/** Returns the readings of each character, regardless of its neighbors. Other than Chinese characters have none. */
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

/** Returns the readings of a name, each as syllables; the first character is read as a surname. */
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

/** 「王晓云」: ` wangxiaoyun wangxy xiaoyun yun wxy xy y`, each after a blank. Searched with `toSpellingPattern`. */
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

/** Returns a `like` pattern that matches spellings starting at any character. Null if the query is no spelling. */
export function toSpellingPattern(query: string): string | null {
  const letters = query
    .toLowerCase()
    .replace(/ü/g, 'v')
    .replace(/[\s'·]/g, '')
  return /^[a-z]+$/.test(letters) ? `% ${letters}%` : null
}

/** Whether the query is the initials or spelling of a name, from any character: for names that the database cannot search. */
export function matchesSpelling(name: string, query: string): boolean {
  const letters = toSpellingPattern(query)
  return letters !== null && getNameSpellings(name).includes(letters.slice(1, -1))
}

type SpellingDeps = { readonly database: Database; readonly jobs: JobQueue }
const rowsPerQuery = 500

/** Spells the names of members added before spellings were stored. Idempotent: computes missing ones, returns their number. */
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

/** Registers the job. The returned function queues it for companies with missing spellings; called at startup. */
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
