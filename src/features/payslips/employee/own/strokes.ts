/** Handwriting as lines: a stroke is what is drawn between touching down and lifting. */
type Point = { readonly x: number; readonly y: number }

/** The maximum that the server accepts; a signature is far shorter. */
export const maxPathLength = 60_000
const formatCoordinate = (value: number): string => String(Math.round(value * 10) / 10)
const formatPoint = ({ x, y }: Point): string => `${formatCoordinate(x)} ${formatCoordinate(y)}`
const getMidpoint = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/** Draws a curve through the midpoints of the measured points as control points. A dot becomes a short line. */
function toStrokePath(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  const last = rest.at(-1)
  if (!last) return `M${formatPoint(first)}L${formatPoint({ x: first.x + 0.1, y: first.y })}`
  const curves = rest
    .slice(0, -1)
    .map((point, index) => `Q${formatPoint(point)} ${formatPoint(getMidpoint(point, rest[index + 1] ?? last))}`)
  return `M${formatPoint(first)}${curves.join('')}L${formatPoint(last)}`
}

export const toSvgPath = (strokes: readonly (readonly Point[])[]): string => strokes.map(toStrokePath).join('')

/** Returns the bounding box of a path, including the line width. */
export function getPathBounds(path: string): { x: number; y: number; width: number; height: number } {
  const numbers = (path.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  const pickAxis = (offset: 0 | 1) => numbers.filter((_, index) => index % 2 === offset)
  const getMin = (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b), list[0] ?? 0)
  const getMax = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), list[0] ?? 0)
  const [xs, ys] = [pickAxis(0), pickAxis(1)]
  const padding = 4
  const [x, y] = [getMin(xs) - padding, getMin(ys) - padding]
  return { x, y, width: getMax(xs) + padding - x, height: getMax(ys) + padding - y }
}
