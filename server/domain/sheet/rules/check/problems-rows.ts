/**
 * Whose figures a row carries. Where all that says who somebody is was sorted or shifted together, no key of the row contradicts
 * another one; only last month's figures tell: fixed items (base pay, insurance, fund) that are another person's and not one's own.
 */
import { type BesideLast, type Found, rowText } from './beside-last.ts'

/** A value that more people share says nothing of whose it is. */
const rare = 3
/** A column tells where so many of its amounts were somebody's last month; overtime does not, base pay does. */
const isFixed = (known: number, filled: number): boolean => filled >= 2 && known * 2 >= filled
/** One figure that is only one person's and not round, or two that are round. */
const enough = 2
const pointsOf = (holders: number, fen: number): number => (holders > 1 ? 0.5 : fen % 10_000 === 0 ? 1 : 2)

type Traces = {
  /** Places of the columns that hold mostly what somebody had last month. */
  readonly fixed: readonly number[]
  /** By row: people whose figures it carries, with what speaks for each. */
  readonly votes: ReadonlyMap<number, ReadonlyMap<string, number>>
  /** By place: how far away the people are whose figures stand there, and how often. */
  readonly offsets: readonly ReadonlyMap<number, number>[]
  /** By place: whether a row's amount there is rare, and not its own person's. */
  readonly foreign: readonly Uint8Array[]
}

function tracesOf(beside: BesideLast): Traces {
  const fixed: number[] = []
  const votes = new Map<number, Map<string, number>>()
  const offsets: Map<number, number>[] = []
  const foreign: Uint8Array[] = []
  for (const [place, { last }] of beside.places.entries()) {
    const own = new Map<number, number>()
    const mark = new Uint8Array(beside.rows.length)
    offsets.push(own)
    foreign.push(mark)
    if (last < 0) continue
    const holders = new Map<number, string[]>()
    for (const [member_id, figures] of beside.last.people()) {
      const fen = figures[last] ?? 0
      if (fen === 0) continue
      const list = holders.get(fen)
      if (!list) holders.set(fen, [member_id])
      else if (list.length <= rare) list.push(member_id)
    }
    let filled = 0
    let known = 0
    for (let row = 0; row < beside.rows.length; row++) {
      const fen = beside.now(row, place)
      if (fen === 0) continue
      filled += 1
      const list = holders.get(fen)
      if (!list) continue
      known += 1
      if (list.length > rare || beside.was(row, place) === fen) continue
      mark[row] = 1
      // A net pay that equals the base pay says the same twice.
      const points = (beside.rows[row]?.now.indexOf(fen) ?? place) < place ? 0 : pointsOf(list.length, fen)
      for (const member_id of list) {
        const at = beside.rowOf(member_id)
        if (at >= 0) own.set(at - row, (own.get(at - row) ?? 0) + 1)
        const of = votes.get(row) ?? new Map<string, number>()
        votes.set(row, of.set(member_id, (of.get(member_id) ?? 0) + points))
      }
    }
    if (isFixed(known, filled)) fixed.push(place)
  }
  return { fixed, votes, offsets, foreign }
}

/** The row of the person whose figures a row carries instead of its own; -1 where it carries its own, or nobody's. */
function carriedBy(beside: BesideLast, { fixed, votes }: Traces): Int32Array {
  const carried = new Int32Array(beside.rows.length).fill(-1)
  for (const [row, of] of votes) {
    let best: string | null = null
    for (const [member_id, points] of of)
      if (points >= enough && points > (best === null ? 0 : (of.get(best) ?? 0)) && beside.rowOf(member_id) >= 0) best = member_id
    if (best === null) continue
    const theirs = beside.rowOf(best)
    let telling = 0
    let same = 0
    let own = 0
    let stays = 0
    for (const place of fixed) {
      const was = beside.was(row, place) ?? 0
      const other = beside.of(best, place) ?? 0
      if (was === other) continue
      telling += 1
      if (beside.now(row, place) === other) same += 1
      if (beside.now(row, place) === was && was !== 0) own += 1
      if (beside.now(theirs, place) === other && other !== 0) stays += 1
    }
    // Somebody whose pay is raised to that of a colleague, who keeps it, has not got the colleague's row.
    if (telling > 0 && same * 5 >= telling * 3 && own * 5 <= telling && stays * 5 <= telling) carried[row] = theirs
  }
  return carried
}

type Run = { readonly from: number; readonly to: number; readonly offset: number; readonly places: number[] }

/** So many different distances are followed; a sheet that was sorted has one for every row. */
const most_offsets = 20

/** Rows one after the other, each with the figures of the one that is equally far away, in the columns that tell. */
function blocks(beside: BesideLast, { fixed }: Traces, carried: Int32Array): Run[] {
  const counts = new Map<number, number>()
  for (const [row, theirs] of carried.entries()) if (theirs >= 0) counts.set(theirs - row, (counts.get(theirs - row) ?? 0) + 1)
  const offsets = [...counts]
    .filter(([, count]) => count >= 3)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, most_offsets)
  const runs: Run[] = []
  for (const [offset] of offsets) {
    /** Where nothing is rare a row may still go on with what began above. */
    const goesOn = (row: number): boolean => {
      const their = beside.rows[row] && beside.rows[row + offset]?.member_id
      if (!their) return false
      const same = fixed.filter((place) => beside.now(row, place) === (beside.of(their, place) ?? 0)).length
      return fixed.length > 0 && same * 5 >= fixed.length * 3
    }
    const isOwn = (row: number) => fixed.every((place) => beside.now(row, place) === beside.was(row, place))
    let from = -1
    let to = -1
    let sure = 0
    const end = () => {
      if (sure >= 3) {
        while (goesOn(from - 1) && !isOwn(from - 1)) from -= 1
        while (goesOn(to + 1) && !isOwn(to + 1)) to += 1
        runs.push({ from, to, offset, places: [] })
      }
      from = -1
      sure = 0
    }
    for (let row = 0; row < carried.length; row++)
      if (row + offset >= 0 && carried[row] === row + offset) {
        if (from < 0) from = row
        to = row
        sure += 1
      } else if (from >= 0 && !goesOn(row)) end()
    end()
  }
  return runs
}

/** The same in single columns: a cell was deleted, or inserted, and the others moved up or down. */
function slips(beside: BesideLast, { offsets, foreign }: Traces, inBlock: ReadonlySet<number>): Run[] {
  const runs: Run[] = []
  for (const [place, of] of offsets.entries()) {
    const likely = [...of]
      .filter(([, count]) => count >= 3)
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 5)
    for (const [offset] of likely) {
      let rows: number[] = []
      const end = () => {
        const values = new Set(rows.map((row) => beside.now(row, place)))
        if (rows.length >= 3 && values.size >= 3)
          merge(runs, { from: rows[0] ?? 0, to: rows.at(-1) ?? 0, offset, places: [place] })
        rows = []
      }
      for (let row = 0; row < beside.rows.length; row++) {
        const their = beside.rows[row + offset]?.member_id
        // Where neighbours got the same, a row tells nothing and parts nothing.
        if (!their || inBlock.has(row) || beside.now(row, place) !== beside.of(their, place)) end()
        else if (foreign[place]?.[row] && !beside.rows[row]?.skipped) rows.push(row)
      }
      end()
    }
  }
  return runs
}

/** Columns that slipped by as much in about the same rows are one mistake. */
function merge(runs: Run[], fresh: Run): void {
  const known = runs.find((run) => run.offset === fresh.offset && run.from <= fresh.to && fresh.from <= run.to)
  if (!known) runs.push(fresh)
  else
    runs.splice(runs.indexOf(known), 1, {
      from: Math.min(known.from, fresh.from),
      to: Math.max(known.to, fresh.to),
      offset: known.offset,
      places: [...new Set([...known.places, ...fresh.places])],
    })
}

const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 11)}…` : text || '没有姓名的一行')

/** Rows that carry somebody else's figures, and which rows they are. */
export function rowProblems(beside: BesideLast): { found: Found[]; rows: Set<number> } {
  const traces = tracesOf(beside)
  const carried = carriedBy(beside, traces)
  const found: Found[] = []
  const rows = new Set<number>()
  const whole = blocks(beside, traces, carried)
  for (const { from, to } of whole) for (let row = from; row <= to; row++) rows.add(row)
  for (const run of [...whole, ...slips(beside, traces, new Set(rows))]) {
    for (let row = run.from; row <= run.to; row++) rows.add(row)
    const problem = shifted(beside, run)
    if (problem) found.push(problem)
  }
  for (const [row, theirs] of carried.entries()) {
    if (theirs < 0 || rows.has(row)) continue
    rows.add(row)
    // Two who changed places are one mistake, told at the upper one.
    if (carried[theirs] === row && theirs < row && !beside.rows[theirs]?.skipped) continue
    const problem = swapped(beside, row, theirs, carried[theirs] === row)
    if (problem) found.push(problem)
  }
  return { found, rows }
}

function shifted(beside: BesideLast, { from, to, offset, places }: Run): Found | null {
  const first = beside.rows.slice(from, to + 1).find(({ skipped }) => !skipped)
  const last = beside.rows[to]
  const whose = beside.rows[from + offset]
  if (!first || !last || !whose) return null
  const labels = places.map((place) => `「${beside.places[place]?.label}」`)
  const what = labels.length ? labels.slice(0, 3).join('') + (labels.length > 3 ? `等 ${labels.length} 列` : '') : '金额'
  return {
    row: first.row,
    name: first.name,
    column: places.length ? (beside.places[places[0] ?? 0]?.key ?? null) : null,
    level: 'error',
    kind: 'shifted_rows',
    message: `第 ${rowText(first.row)}–${rowText(last.row)} 行的${what}整体错位：每一行都是${offset > 0 ? '下方' : '上方'}${Math.abs(offset) === 1 ? '相邻一行' : `第 ${Math.abs(offset)} 行`}的人上月的数，例如「${short(first.name)}」这一行是「${short(whose.name)}」的；请在表里对齐后重新上传，确认无误才接受`,
    fix: ['accept'],
  }
}

function swapped(beside: BesideLast, at: number, theirs: number, both: boolean): Found | null {
  const row = beside.rows[at]
  const other = beside.rows[theirs]
  if (!row || !other || row.skipped) return null
  const said = `「${short(row.name)}」（第 ${rowText(row.row)} 行）`
  const message = both
    ? `${said}和「${short(other.name)}」（第 ${rowText(other.row)} 行）的金额像是对调了：各自与对方上月的相同，与自己上月的不同；请核对，确认无误才接受`
    : `${said}的金额是「${short(other.name)}」（第 ${rowText(other.row)} 行）上月的，与本人上月的不同，可能错行；请核对，确认无误才接受`
  return { row: row.row, name: row.name, column: null, level: 'error', kind: 'swapped_rows', message, fix: ['accept', 'skip'] }
}
