/**
 * XML from bytes, piece by piece. A sheet is millions of tiny elements: no string is made of the whole and none of a tag, so that a
 * hundred thousand rows are read in the memory of their values. What XML allows and no spreadsheet writes (a DTD) stays outside.
 */
import { UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'

/** A tag or a text that is longer than this is no sheet's. */
const maxTokenBytes = 4 * 1024 * 1024
const maxAttributes = 48

/** Names of one letter, the bulk of a sheet, without making a string each time. */
const singleLetterNames = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
/** So are those of two and three, `si` and `row`, by their bytes. */
const shortNames = new Map<number, string>()
const maxShortNames = 500
const isWhitespace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decodeEntities = (text: string) =>
  text.replace(/&(#x[0-9a-f]+|#[0-9]+|[a-z]+);/gi, (entity, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? entity
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })

/** XML knows one end of a line. */
const normalizeLineEnds = (text: string) => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** `_x000D_` in a text of a workbook stands for the character of that number. */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

export abstract class XmlScanner {
  /** What is looked at; places in it hold until the called function returns. */
  protected bytes: Buffer = Buffer.alloc(0)
  /** Whether texts are told at all. */
  protected listening = false
  private rest: Buffer = Buffer.alloc(0)
  /** Where the rest and the next piece lie behind one another: one room for all pieces. */
  private capacity: Buffer = Buffer.alloc(0)
  /** Of each attribute of the tag at hand: where its name begins and ends, where its value begins and ends. */
  private readonly positions = new Int32Array(maxAttributes * 4)
  private count = 0
  /** Tags that are open: a sheet that was cut ends with some. */
  private depth = 0

  /** Names come without their prefix. */
  protected abstract open(name: string): void
  protected abstract close(name: string): void
  protected abstract text(from: number, to: number, last: boolean): void

  push(piece: Buffer): void {
    this.bytes = this.rest.length > 0 ? this.joined(piece) : piece
    this.rest = this.bytes.subarray(this.scan())
    if (this.rest.length > maxTokenBytes) throw new UnreadableSheetError(unreadableMessages.damaged)
  }

  private joined(piece: Buffer): Buffer {
    const { rest } = this
    const length = rest.length + piece.length
    const room = this.capacity.length < length ? Buffer.allocUnsafeSlow(length * 2) : this.capacity
    // It may lie further back in the same room.
    rest.copy(room)
    piece.copy(room, rest.length)
    this.capacity = room
    return room.subarray(0, length)
  }

  end(): void {
    if (this.rest.includes(60) || this.depth !== 0) throw new UnreadableSheetError(unreadableMessages.damaged)
    this.bytes = this.rest = Buffer.alloc(0)
  }

  /** The text between two places, its entities replaced. */
  protected decoded(from: number, to: number): string {
    const text = normalizeLineEnds(this.bytes.toString('utf8', from, to))
    return text.includes('&') ? decodeEntities(text) : text
  }

  /** The index of an attribute of the tag at hand; -1 without it. */
  protected find(name: string): number {
    const { bytes, positions } = this
    for (let at = 0; at < this.count; at++) {
      const from = positions[at * 4] ?? 0
      const to = positions[at * 4 + 1] ?? 0
      if (to - from !== name.length || bytes[from] !== name.charCodeAt(0)) continue
      let same = 1
      while (same < name.length && bytes[from + same] === name.charCodeAt(same)) same++
      if (same === name.length) return at
    }
    return -1
  }
  protected from = (attribute: number) => this.positions[attribute * 4 + 2] ?? 0
  protected to = (attribute: number) => this.positions[attribute * 4 + 3] ?? 0

  protected attribute(name: string): string | undefined {
    const at = this.find(name)
    return at < 0 ? undefined : this.decoded(this.from(at), this.to(at))
  }
  protected isOn(name: string): boolean {
    const value = this.attribute(name)
    return value === '1' || value === 'true'
  }

  /** Goes over all that is complete and answers where the rest begins. */
  private scan(): number {
    const { bytes } = this
    const end = bytes.length
    let at = 0
    while (at < end) {
      if (bytes[at] !== 60) {
        let to = at + 1
        while (to < end && bytes[to] !== 60) to++
        if (this.listening) {
          // The sign after "<" tells whether more of this text may follow.
          if (to + 1 >= end) return at
          this.text(at, to, bytes[to + 1] === 47)
        }
        at = to
        continue
      }
      const sign = bytes[at + 1]
      if (sign === undefined) return at
      const next = sign === 47 ? this.closing(at) : sign === 33 || sign === 63 ? this.skipComment(at) : this.opening(at)
      if (next < 0) return at
      at = next
    }
    return at
  }

  private closing(start: number): number {
    const { bytes } = this
    const end = bytes.length
    let to = start + 2
    while (to < end && bytes[to] !== 62) to++
    if (to === end) return -1
    let last = to
    while (isWhitespace(bytes[last - 1])) last--
    this.close(this.name(start + 2, last))
    if (--this.depth < 0) throw new UnreadableSheetError(unreadableMessages.damaged)
    return to + 1
  }

  /** A comment, a declaration, or text in CDATA. */
  private skipComment(start: number): number {
    const { bytes } = this
    const begins = (text: string) => bytes.toString('latin1', start, start + text.length) === text
    const mayBegin = bytes.length - start < 9
    const [open, close] = begins('<!--')
      ? ['<!--', '-->']
      : begins('<![CDATA[')
        ? ['<![CDATA[', ']]>']
        : mayBegin
          ? ['', '']
          : ['<?', '?>']
    // What else begins so is a DTD, wherever it stands.
    if (open === '<?' && bytes[start + 1] !== 63) throw new UnreadableSheetError(unreadableMessages.damaged)
    const to = open === '' ? -1 : bytes.indexOf(close, start + open.length, 'latin1')
    if (to < 0) return -1
    if (open === '<![CDATA[' && this.listening) this.verbatim(normalizeLineEnds(bytes.toString('utf8', start + open.length, to)))
    return to + close.length
  }
  /** Text in which nothing is escaped. */
  protected abstract verbatim(text: string): void

  private opening(start: number): number {
    const { bytes, positions } = this
    const end = bytes.length
    let at = start + 1
    let sign = 0
    while (at < end) {
      sign = bytes[at] ?? 0
      if (sign === 62 || sign === 47 || isWhitespace(sign)) break
      at++
    }
    const named = at
    this.count = 0
    while (at < end) {
      sign = bytes[at] ?? 0
      if (isWhitespace(sign)) at++
      else if (sign === 62) {
        this.depth++
        this.open(this.name(start + 1, named))
        return at + 1
      } else if (sign === 47 && bytes[at + 1] === 62) {
        const name = this.name(start + 1, named)
        this.open(name)
        this.close(name)
        return at + 2
      } else {
        let from = at
        while (at < end && (sign = bytes[at] ?? 0) !== 61 && sign !== 62 && !isWhitespace(sign)) {
          at++
          if (sign === 58) from = at
        }
        const to = at
        while (isWhitespace(bytes[at])) at++
        if (bytes[at] !== 61) {
          // A name without a value, or a slash that closes nothing.
          if (at === to && from === to) at++
          continue
        }
        at++
        while (isWhitespace(bytes[at])) at++
        const quote = bytes[at]
        if (quote !== 34 && quote !== 39) {
          if (at < end) throw new UnreadableSheetError(unreadableMessages.damaged)
          break
        }
        const value = ++at
        while (at < end && bytes[at] !== quote) at++
        if (this.count < maxAttributes) {
          const position = this.count++ * 4
          positions[position] = from
          positions[position + 1] = to
          positions[position + 2] = value
          positions[position + 3] = at
        }
        at++
      }
    }
    return -1
  }

  private name(from: number, to: number): string {
    const { bytes } = this
    const length = to - from
    if (length === 1) return singleLetterNames[bytes[from] ?? 0] ?? '?'
    const third = length === 3 ? (bytes[from + 2] ?? 0) : 0
    const key = (length << 24) | (third << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from] ?? 0)
    const existing = length > 3 ? undefined : shortNames.get(key)
    if (existing !== undefined) return existing
    const full = bytes.toString('latin1', from, to)
    const name = full.slice(full.indexOf(':') + 1)
    if (length < 4 && shortNames.size < maxShortNames) shortNames.set(key, name)
    return name
  }
}

/** Goes over a small part, tag by tag. */
export function forEachTag(
  part: Buffer,
  client: { open(name: string, attribute: GetAttribute): void; close?(name: string): void },
): void {
  const scanner = new (class extends XmlScanner {
    private readonly read = (name: string) => this.attribute(name)
    protected override open = (name: string) => client.open(name, this.read)
    protected override close = (name: string) => client.close?.(name)
    protected override text = () => {}
    protected override verbatim = () => {}
  })()
  scanner.push(part)
  scanner.end()
}
export type GetAttribute = (name: string) => string | undefined
