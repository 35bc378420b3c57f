/**
 * A QR code (ISO/IEC 18004) as an SVG: bytes, error correction M (a seventh of it may be damaged), versions 1 to 10, which hold 213
 * bytes: more than any join address. Own, because a picture is all that is needed of it and no package does less.
 */

/** For correction level M, by version: check bytes a block, and blocks. */
const blocksOf: readonly (readonly [check: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
]
/** By version: where alignment patterns have their middles. */
const alignmentOf: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
]
const sizeOf = (version: number): number => 17 + 4 * version

/** Modules that carry data: all, less the finders, timing, alignment, format and version. */
function bytesOf(version: number): number {
  const middles = alignmentOf[version - 1]?.length ?? 0
  const alignment = middles === 0 ? 0 : 25 * middles ** 2 - 10 * middles - 55
  return Math.floor((16 * version ** 2 + 128 * version + 64 - alignment - (version >= 7 ? 36 : 0)) / 8)
}

/** Multiplication in the field of 256 elements over x⁸+x⁴+x³+x²+1. */
function times(x: number, y: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((y >>> bit) & 1) * x
  }
  return product
}

/** Reed and Solomon's check bytes: the remainder by (x − 1)(x − 2)(x − 4)… */
function checkBytes(data: readonly number[], count: number): number[] {
  const divisor: number[] = Array.from({ length: count }, (_, at) => (at === count - 1 ? 1 : 0))
  let root = 1
  for (let step = 0; step < count; step += 1) {
    for (let at = 0; at < count; at += 1) divisor[at] = times(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0)
    root = times(root, 2)
  }
  const rest = Array.from({ length: count }, () => 0)
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let at = 0; at < count; at += 1) rest[at] = (rest[at] ?? 0) ^ times(divisor[at] ?? 0, factor)
  }
  return rest
}

/** Text as the bytes of the smallest version that holds it: head, padding, blocks, check bytes, all woven together. */
function codewords(text: string): { version: number; bytes: number[] } {
  const data = [...new TextEncoder().encode(text)]
  for (let version = 1; version <= blocksOf.length; version += 1) {
    const [check, blocks] = blocksOf[version - 1] ?? [0, 1]
    const room = bytesOf(version) - check * blocks
    const lengthBits = version < 10 ? 8 : 16
    if (4 + lengthBits + data.length * 8 > room * 8) continue
    // Byte mode, the length, the bytes, and four bits that end them: a whole number of bytes.
    const bits = [0, 1, 0, 0, ...bitsOf(data.length, lengthBits), ...data.flatMap((byte) => bitsOf(byte, 8)), 0, 0, 0, 0]
    const whole = Array.from({ length: bits.length / 8 }, (_, at) => parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2))
    for (let pad = 0xec; whole.length < room; pad ^= 0xec ^ 0x11) whole.push(pad)
    return { version, bytes: weave(whole, check, blocks) }
  }
  throw new RangeError('the text is too long for a QR code of this kind')
}
const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => (value >>> (count - 1 - at)) & 1)

/** The last blocks are one byte longer where the bytes do not divide. */
function weave(whole: readonly number[], check: number, blocks: number): number[] {
  const short = Math.floor(whole.length / blocks)
  const firstLong = blocks - (whole.length % blocks)
  const parts: number[][] = []
  for (let block = 0, from = 0; block < blocks; block += 1) {
    const length = short + (block >= firstLong ? 1 : 0)
    parts.push(whole.slice(from, from + length))
    from += length
  }
  const columns = (rows: readonly (readonly number[])[]): number[] =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }).flatMap((_, at) =>
      rows.flatMap((row) => (at < row.length ? [row[at] ?? 0] : [])),
    )
  return [...columns(parts), ...columns(parts.map((part) => checkBytes(part, check)))]
}

type Grid = (0 | 1)[][]
/** Draws a module; `fixed` are those that are no data. */
type Paper = {
  readonly size: number
  readonly grid: Grid
  readonly fixed: boolean[][]
  set(row: number, column: number, dark: boolean): void
}

function paperOf(version: number): Paper {
  const size = sizeOf(version)
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
  const fixed = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const set = (row: number, column: number, dark: boolean): void => {
    const [line, mark] = [grid[row], fixed[row]]
    if (!line || !mark || column < 0 || column >= size) return
    line[column] = dark ? 1 : 0
    mark[column] = true
  }
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  /** Rings around a middle: dark where the distance is none of `light`. */
  const rings = (row: number, column: number, reach: number, light: readonly number[]): void => {
    for (let y = -reach; y <= reach; y += 1)
      for (let x = -reach; x <= reach; x += 1) set(row + y, column + x, !light.includes(Math.max(Math.abs(x), Math.abs(y))))
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    rings(row, column, 4, [2, 4])
  const middles = alignmentOf[version - 1] ?? []
  const last = size - 7
  for (const row of middles)
    for (const column of middles)
      if (!((row === 6 && (column === 6 || column === last)) || (row === last && column === 6))) rings(row, column, 2, [1])
  return { size, grid, fixed, set }
}

/** `value` with the remainder of its division by a generator after it: the BCH codes of format and version. */
function guarded(value: number, bits: number, generator: number): number {
  let rest = value
  for (let step = 0; step < bits; step += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator)
  return (value << bits) | rest
}

function drawFormat({ size, set }: Paper, version: number, mask: number): void {
  // Level M is 0 in the two bits before the mask.
  const format = guarded(mask, 10, 0x537) ^ 0x5412
  const bit = (at: number): boolean => ((format >>> at) & 1) === 1
  for (let at = 0; at <= 5; at += 1) set(at, 8, bit(at))
  set(7, 8, bit(6))
  set(8, 8, bit(7))
  set(8, 7, bit(8))
  for (let at = 9; at < 15; at += 1) set(8, 14 - at, bit(at))
  for (let at = 0; at < 8; at += 1) set(8, size - 1 - at, bit(at))
  for (let at = 8; at < 15; at += 1) set(size - 15 + at, 8, bit(at))
  set(size - 8, 8, true)
  if (version < 7) return
  const about = guarded(version, 12, 0x1f25)
  for (let at = 0; at < 18; at += 1) {
    const dark = ((about >>> at) & 1) === 1
    const [near, far] = [Math.floor(at / 3), size - 11 + (at % 3)]
    set(near, far, dark)
    set(far, near, dark)
  }
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Two columns at a time from the right, up and down, around what is fixed. */
function drawData({ size, grid, fixed }: Paper, bytes: readonly number[], mask: number): void {
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const upward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1) {
      const row = upward ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        const line = grid[row]
        if (!line || fixed[row]?.[column]) continue
        const dark = (((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
        line[column] = dark !== masks[mask]?.(row, column) ? 1 : 0
        bit += 1
      }
    }
  }
}

/** How hard a picture is to read: long runs, large blots, what looks like a finder, too much of one colour. */
function penalty(grid: Grid): number {
  const rows = grid.map((line) => line.join(''))
  const columns = grid.map((_, at) => grid.map((line) => line[at] ?? 0).join(''))
  let sum = 0
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2
    for (const _ of line.matchAll(/(?=10111010000|00001011101)/g)) sum += 40
  }
  for (let row = 1; row < grid.length; row += 1)
    for (let column = 1; column < grid.length; column += 1) {
      const [above, here] = [grid[row - 1], grid[row]]
      const dark = (here?.[column] ?? 0) + (here?.[column - 1] ?? 0) + (above?.[column] ?? 0) + (above?.[column - 1] ?? 0)
      if (dark % 4 === 0) sum += 3
    }
  const share = rows.join('').replaceAll('0', '').length / grid.length ** 2
  return sum + Math.floor(Math.abs(share * 100 - 50) / 5) * 10
}

/** The modules of the code, rows of 0 and 1 (dark), and the mask that was chosen. */
export function qrModules(text: string): { grid: Grid; version: number; mask: number } {
  const { version, bytes } = codewords(text)
  const [best] = masks
    .map((_, mask) => {
      const paper = paperOf(version)
      drawFormat(paper, version, mask)
      drawData(paper, bytes, mask)
      return { grid: paper.grid, version, mask, penalty: penalty(paper.grid) }
    })
    .toSorted((a, b) => a.penalty - b.penalty)
  if (!best) throw new RangeError('no mask')
  return best
}

/** The picture: black on white whatever the page's colours, with the quiet margin of four modules that readers need. */
export function qrSvg(text: string): string {
  const { grid } = qrModules(text)
  const side = grid.length + 8
  const path = grid
    .flatMap((line, row) =>
      [...line.join('').matchAll(/1+/g)].map((run) => `M${run.index + 4} ${row + 4}h${run[0].length}v1h-${run[0].length}z`),
    )
    .join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`
}
