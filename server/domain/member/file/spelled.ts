/** Names as people type them with Latin letters: made once, when a name is written, so that the database can search. */
import { sql } from 'kysely'
import { pinyin, polyphonic } from 'pinyin-pro'
import type { Database } from '../../../runtime/db.ts'
import type { Jobs } from '../../../runtime/jobs.ts'

/** Of longer names, which are those of no Chinese person, the beginning. */
const most_syllables = 8
/** A name with several characters of several readings. */
const most_readings = 8
const most_known = 10_000

const plain = { toneType: 'none', type: 'array', nonZh: 'removed', v: true } as const
/** The readings of a character, whatever stands beside it: names are of a few thousand. Of what is no Chinese character, none. */
const known = new Map<string, readonly (readonly string[])[]>()
function everyReading(name: string): (readonly string[])[] {
  return [...name].flatMap((character) => {
    let readings = known.get(character)
    if (!readings) {
      readings = polyphonic(character, plain)
      if (known.size < most_known) known.set(character, readings)
    }
    return readings
  })
}

/** The readings of a name, each as its syllables; as a surname the first character is read as one. */
function readingsOf(name: string): string[][] {
  const usual = pinyin(name, { ...plain, mode: 'surname' }).slice(0, most_syllables)
  const others = everyReading(name)
  let all = [usual]
  usual.forEach((syllable, at) => {
    const more = at === 0 ? [] : (others[at] ?? []).filter((other) => other !== syllable)
    for (const other of more) all = [...all, ...all.map((one) => one.with(at, other))].slice(0, most_readings)
  })
  return all
}

/**
 * 「王晓云」: ` wangxiaoyun wangxy xiaoyun yun wxy xy y`, from each of its characters on, each word behind a blank. Searched for by `spelledLike`.
 */
export function spelledOf(name: string): string {
  const words = new Set<string>()
  for (const reading of readingsOf(name))
    for (const at of reading.keys()) {
      const rest = reading.slice(at)
      const initials = rest.map((syllable) => syllable[0]).join('')
      words.add(rest.join(''))
      words.add(initials)
      words.add(`${rest[0]}${initials.slice(1)}`)
    }
  return [...words].map((word) => ` ${word}`).join('')
}

/** For `like`: what is typed begins at one of the characters. Null where it is no spelling. */
export function spelledLike(typed: string): string | null {
  const letters = typed
    .toLowerCase()
    .replace(/ü/g, 'v')
    .replace(/[\s'·]/g, '')
  return /^[a-z]+$/.test(letters) ? `% ${letters}%` : null
}

/** Whether what is typed are the first letters of a name, or its spelling, from one of its characters on: for names that the database cannot search. */
export function soundsLike(name: string, typed: string): boolean {
  const letters = spelledLike(typed)
  return letters !== null && spelledOf(name).includes(letters.slice(1, -1))
}

type Parts = { readonly database: Database; readonly jobs: Jobs }
const at_once = 500

/** Whoever stood in a roster before names were spelled. Doing it twice is harmless: only what is not spelled is. Answers how many there were. */
export async function spellAll({ database }: Pick<Parts, 'database'>, company_id: string): Promise<number> {
  let done = 0
  for (;;) {
    const count = await database.inCompany(company_id, async (tx) => {
      const rows = await tx
        .selectFrom('member')
        .select(['id', 'name'])
        .where('company_id', '=', company_id)
        .where('spelled', 'is', null)
        .limit(at_once)
        .execute()
      const [ids, words] = [rows.map(({ id }) => id), rows.map(({ name }) => spelledOf(name))]
      await sql`
        update member set spelled = wanted.spelled from unnest(${ids}::uuid[], ${words}::text[]) as wanted (id, spelled)
        where member.company_id = ${company_id} and member.id = wanted.id and member.spelled is null`.execute(tx)
      return rows.length
    })
    done += count
    if (count < at_once) return done
  }
}

/** Declares the job. What is answered sends it to the companies where somebody is not spelled yet; the start does. */
export function openSpelling({ database, jobs }: Parts): (company_ids: readonly string[]) => Promise<void> {
  jobs.on<{ company_id: string }>('spell', async ({ company_id }) => {
    await spellAll({ database }, company_id)
  })
  return async (company_ids) => {
    for (const company_id of company_ids)
      await database.inCompany(company_id, async (tx) => {
        const open = await tx
          .selectFrom('member')
          .select('id')
          .where('company_id', '=', company_id)
          .where('spelled', 'is', null)
          .limit(1)
          .executeTakeFirst()
        if (open) await jobs.send(tx, 'spell', { company_id })
      })
  }
}
