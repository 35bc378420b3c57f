/** Handwriting as lines: a stroke is what is drawn between putting the finger down and lifting it. */
type Point = { readonly x: number; readonly y: number }

/** What the server takes; who writes for minutes has written enough. */
export const longest_path = 60_000
const short = (value: number): string => String(Math.round(value * 10) / 10)
const at = ({ x, y }: Point): string => `${short(x)} ${short(y)}`
const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/** Through the middles of what was measured, each point pulling the curve towards itself: smooth, and the same at any size. A dot is a short line. */
function strokePath(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  const last = rest.at(-1)
  if (!last) return `M${at(first)}L${at({ x: first.x + 0.1, y: first.y })}`
  const curves = rest.slice(0, -1).map((point, place) => `Q${at(point)} ${at(between(point, rest[place + 1] ?? last))}`)
  return `M${at(first)}${curves.join('')}L${at(last)}`
}

/** An SVG path of all strokes. */
export const pathOf = (strokes: readonly (readonly Point[])[]): string => strokes.map(strokePath).join('')

/** The box around a path, with room for the width of its line. */
export function boundsOf(path: string): { x: number; y: number; width: number; height: number } {
  const numbers = (path.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  const along = (offset: 0 | 1) => numbers.filter((_, place) => place % 2 === offset)
  const least = (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b), list[0] ?? 0)
  const most = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), list[0] ?? 0)
  const [xs, ys] = [along(0), along(1)]
  const room = 4
  const [x, y] = [least(xs) - room, least(ys) - room]
  return { x, y, width: most(xs) + room - x, height: most(ys) + room - y }
}
