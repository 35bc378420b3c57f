/** Every way in which amounts can shift against the names. */
import type { Random } from '../random.ts'
import type { Item, PaidLine, Pay } from './pay-months.ts'

export type Slip = { readonly name: string; slip(lines: PaidLine[], random: Random, keys: readonly Item[]): void }
const put = (lines: PaidLine[], pays: readonly Pay[]) => lines.forEach((line, at) => (line.pay = pays[at] ?? line.pay))
const turned = <T>(list: readonly T[], by: number): T[] => list.map((_, at) => list[(at + by) % list.length] as T)
const getPays = (lines: readonly PaidLine[]) => lines.map(({ pay }) => pay)

export const slips: Slip[] = [
  { name: 'shift', slip: (lines, { below }) => put(lines, turned(getPays(lines), 1 + below(lines.length - 1))) },
  { name: 'shift by one', slip: (lines, { chance }) => put(lines, turned(getPays(lines), chance(0.5) ? 1 : lines.length - 1)) },
  {
    name: 'swap',
    slip: (lines, { below }) => {
      const [one, other] = [below(lines.length), below(lines.length)]
      const pays = getPays(lines)
      const [a, b] = [pays[one] as Pay, pays[other] as Pay]
      pays[one] = b
      pays[other] = a
      put(lines, pays)
    },
  },
  {
    name: 'names sorted',
    slip(lines) {
      const sorted = lines
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ owner, name, mobile }) => ({ owner, name, mobile }))
      lines.forEach((line, at) => Object.assign(line, sorted[at]))
    },
  },
  {
    name: 'figures sorted',
    slip: (lines) =>
      put(
        lines,
        getPays(lines).toSorted((a, b) => a.base - b.base),
      ),
  },
  {
    name: 'block shift',
    slip: (lines, { below }) => {
      const size = Math.min(lines.length, 4 + below(lines.length))
      const from = below(lines.length - size + 1)
      const pays = getPays(lines)
      put(lines, [...pays.slice(0, from), ...turned(pays.slice(from, from + size), 1), ...pays.slice(from + size)])
    },
  },
  {
    name: 'columns shifted',
    slip: (lines, { below, pick }, keys) => {
      const some: Item[] = pick([['base'], ['pension', 'medical', 'fund'], ['base', 'post', 'age']])
      const pays = getPays(lines)
      const others = turned(pays, 1 + below(3))
      put(
        lines,
        pays.map((pay, at) => ({
          ...pay,
          ...Object.fromEntries(some.filter((item) => keys.includes(item)).map((item) => [item, others[at]?.[item] ?? 0])),
        })),
      )
    },
  },
  {
    name: 'a block of columns shifted',
    slip: (lines, { below }, keys) => {
      const from = below(Math.max(1, lines.length - 6))
      const pays = getPays(lines)
      put(
        lines,
        pays.map((pay, at) => {
          const other = at >= from ? (pays[at + 1] ?? pays[from]) : pay
          const moved = (['base', 'pension', 'fund'] as const).filter((item) => keys.includes(item))
          return { ...pay, ...Object.fromEntries(moved.map((item) => [item, other?.[item] ?? 0])) }
        }),
      )
    },
  },
]
