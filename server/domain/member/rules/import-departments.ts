/** Which department a row of a roster means, and which ones an import would have to make. */
import { most_levels } from '../../../contract/people/hanging.ts'
import { tidy } from '../../../rules/text.ts'

export interface PlacedDepartment {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}
/** From the top, without the company itself, which is said only where it is meant. */
type Way = readonly string[]
export type Placed = { readonly way: Way; readonly isNew: boolean } | { readonly why: string }

const longest_name = 50
const keyOfWay = (way: Way): string => way.map(wordKey).join('\n')
const wordKey = (name: string): string => tidy(name).toLowerCase()

interface Spot {
  way: Way
  mine: boolean
  /** Another one differs from it in capitals or blanks only: a sheet cannot say which of them it means. */
  twin?: boolean
}
interface Places {
  /** By the whole way. */
  whole: Map<string, Spot>
  /** By every end of a way: 研发/前端 and 前端. */
  ends: Map<string, Spot[]>
  root: string
  /** Below which what is nowhere yet is made; null where that must be said. */
  top: Spot | null
}

/** The way of each department by its id. */
export function waysOf(tree: readonly PlacedDepartment[]): Map<string, Way> {
  const byId = new Map(tree.map((one) => [one.id, one]))
  const ways = new Map<string, Way>()
  const wayOf = (one: PlacedDepartment, depth = 0): Way => {
    const known = ways.get(one.id)
    if (known) return known
    const parent = one.parent_id === null || depth > most_levels ? undefined : byId.get(one.parent_id)
    const above = parent && parent.parent_id !== null ? wayOf(parent, depth + 1) : []
    const way = [...above, one.name]
    ways.set(one.id, way)
    return way
  }
  for (const one of tree) wayOf(one)
  return ways
}

function placesOf(tree: readonly PlacedDepartment[], mine: ReadonlySet<string> | null): Places {
  const ways = waysOf(tree)
  const root = tree.find(({ parent_id }) => parent_id === null)
  const places: Places = { whole: new Map(), ends: new Map(), root: root?.name ?? '', top: null }
  const spots = new Map(
    tree.map((one): [string, Spot] => [one.id, { way: ways.get(one.id) ?? [one.name], mine: mine === null || mine.has(one.id) }]),
  )
  for (const [id, spot] of spots) if (id !== root?.id) add(places, spot)
  const highest = mine === null ? [] : tree.filter((one) => mine.has(one.id) && !mine.has(one.parent_id ?? ''))
  const [only] = highest
  if (mine === null || (root && mine.has(root.id))) places.top = { way: [], mine: true }
  else if (only && highest.length === 1) places.top = spots.get(only.id) ?? null
  return places
}

function add(places: Places, spot: Spot): void {
  const before = places.whole.get(keyOfWay(spot.way))
  if (before) before.twin = spot.twin = true
  // Of two of them the one that may be touched, so that nobody hears of the other.
  if (!before?.mine) places.whole.set(keyOfWay(spot.way), spot)
  for (let from = 0; from < spot.way.length; from++) {
    const key = keyOfWay(spot.way.slice(from))
    const same = places.ends.get(key)
    if (same) same.push(spot)
    else places.ends.set(key, [spot])
  }
}

/**
 * Where each way leads. `mine`: the departments that may be touched, null for all. What is elsewhere is not told from what is nowhere. What one
 * row makes counts for the others, so that a name that is clear today is the same department tomorrow.
 */
export function placeDepartments(
  wanted: readonly Way[],
  tree: readonly PlacedDepartment[],
  mine: ReadonlySet<string> | null,
): (way: Way) => Placed {
  const places = placesOf(tree, mine)
  // People of one department have one and the same way.
  const keys = new Map<Way, string>()
  const keyOf = (way: Way): string => {
    let key = keys.get(way)
    if (key === undefined) keys.set(way, (key = keyOfWay(way)))
    return key
  }
  const distinct = new Map<string, Way>()
  for (const way of new Set(wanted)) distinct.set(keyOf(way), way)
  const first = [...distinct.values()].map((way) => place(way, places))
  const made = new Map<string, Way>()
  for (const one of first)
    if ('way' in one && one.isNew)
      for (let to = 1; to <= one.way.length; to++) {
        const head = to === one.way.length ? one.way : one.way.slice(0, to)
        made.set(keyOfWay(head), head)
      }
  for (const [key, way] of made) if (!places.whole.has(key)) add(places, { way, mine: true })
  const found = new Map<string, Placed>()
  for (const [at, [key, way]] of [...distinct].entries()) {
    const before = first[at]
    const now = place(way, places)
    if (!before || 'why' in before || 'why' in now) found.set(key, 'why' in now ? now : (before ?? now))
    else found.set(key, { way: now.way, isNew: made.has(keyOfWay(now.way)) })
  }
  const known = new Map([...keys].map(([way, key]) => [way, found.get(key)]))
  return (way) => known.get(way) ?? found.get(keyOf(way)) ?? place(way, places)
}

const there = (spot: Spot): Placed =>
  spot.twin ? { why: `有几个部门都叫「${shown(spot.way)}」，只差大小写或空格，请先给它们改名` } : { way: spot.way, isNew: false }

const shown = (way: Way): string => way.join('/')

function place(given: Way, places: Places): Placed {
  const said = given.map(tidy).filter((part) => part !== '')
  const isRoot = wordKey(said[0] ?? '') === wordKey(places.root) && places.root !== ''
  const elsewhere = { why: `部门「${shown(said)}」不在您的管理范围，请核对` }
  if (said.length === 0 || (said.length === 1 && isRoot)) return places.top ? there(places.top) : elsewhere
  const way = isRoot ? said.slice(1) : said
  const whole = places.whole.get(keyOfWay(way))
  if (whole?.mine) return there(whole)
  const ends = (places.ends.get(keyOfWay(way)) ?? []).filter((one) => one.mine)
  const [only, other] = ends
  if (only && other) return { why: `有 ${ends.length} 个「${shown(way)}」，请写完整，例如「${shown(only.way)}」` }
  if (only) return there(only)
  if (whole) return elsewhere
  return beyond(way, places) ?? elsewhere
}

/** Below what there is of the way; else below the highest that may be touched. */
function beyond(way: Way, places: Places): Placed | null {
  for (let to = way.length - 1; to > 0; to--) {
    const head = way.slice(0, to)
    const ends = (places.ends.get(keyOfWay(head)) ?? []).filter((one) => one.mine)
    const whole = places.whole.get(keyOfWay(head))
    const [only, other] = whole?.mine ? [whole] : ends
    if (only && other) return { why: `有 ${ends.length} 个「${shown(head)}」，请写完整，例如「${shown(only.way)}」` }
    if (only?.twin) return there(only)
    if (only) return fitting([...only.way, ...way.slice(to)])
    if (whole) return null
  }
  if (places.top?.twin) return there(places.top)
  return places.top ? fitting([...places.top.way, ...way]) : null
}

function fitting(way: Way): Placed {
  const long = way.find((name) => [...name].length > longest_name)
  if (long) return { why: `部门名称最多 ${longest_name} 个字：「${[...long].slice(0, 20).join('')}…」` }
  return way.length < most_levels ? { way, isNew: true } : { why: `部门最多 ${most_levels} 级：「${shown(way)}」` }
}
