/**
 * Streaming XML scanner on bytes. A sheet consists of millions of tiny elements: no string is created for the whole or
 * for a tag, so that a hundred thousand rows are read with the memory of their values. XML features that no spreadsheet
 * uses (a DTD) are rejected.
 */
import { UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'

/** Maximum length; no tag or text of a sheet is longer. */
const maxTokenBytes = 4 * 1024 * 1024
const maxAttributes = 48

/** Names of one letter make up most of a sheet and are compared without creating a string each time. */
const singleLetterNames = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
/** Interns names of two and three letters, such as `si` and `row`, by their bytes. */
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

/** Normalizes line ends as XML requires. */
const normalizeLineEnds = (text: string) => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** Decodes `_x000D_`, which stands for the character with that number in a workbook text. */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

export abstract class XmlScanner {
  /** The current bytes; positions in it are valid until the called method returns. */
  protected bytes: Buffer = Buffer.alloc(0)
  /** Whether texts are reported. */
  protected listening = false
  private rest: Buffer = Buffer.alloc(0)
  /** Buffer in which the rest and the next chunk are joined; reused for all chunks. */
  private capacity: Buffer = Buffer.alloc(0)
  /** Positions of each attribute of the current tag: start and end of its name, start and end of its value. */
  private readonly positions = new Int32Array(maxAttributes * 4)
  private count = 0
  /** Number of open tags: a truncated sheet ends with open ones. */
  private depth = 0

  /** Names are given without their prefix. */
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
    // The rest may be located further back in the same buffer.
    rest.copy(room)
    piece.copy(room, rest.length)
    this.capacity = room
    return room.subarray(0, length)
  }

  end(): void {
    if (this.rest.includes(60) || this.depth !== 0) throw new UnreadableSheetError(unreadableMessages.damaged)
    this.bytes = this.rest = Buffer.alloc(0)
  }

  /** Returns the text between two positions with its entities decoded. */
  protected decoded(from: number, to: number): string {
    const text = normalizeLineEnds(this.bytes.toString('utf8', from, to))
    return text.includes('&') ? decodeEntities(text) : text
  }

  /** Returns the index of an attribute of the current tag; -1 if it is missing. */
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

  /** Scans all complete tokens and returns the start of the rest. */
  private scan(): number {
    const { bytes } = this
    const end = bytes.length
    let at = 0
    while (at < end) {
      if (bytes[at] !== 60) {
        let to = at + 1
        while (to < end && bytes[to] !== 60) to++
        if (this.listening) {
          // The character after "<" tells whether this text may continue.
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

  /** Skips a comment, a declaration, or handles CDATA text. */
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
    // Anything else that begins like this is a DTD, at any position.
    if (open === '<?' && bytes[start + 1] !== 63) throw new UnreadableSheetError(unreadableMessages.damaged)
    const to = open === '' ? -1 : bytes.indexOf(close, start + open.length, 'latin1')
    if (to < 0) return -1
    if (open === '<![CDATA[' && this.listening) this.verbatim(normalizeLineEnds(bytes.toString('utf8', start + open.length, to)))
    return to + close.length
  }
  /** Handles text without escapes. */
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
          // Matches a name without a value, or a stray slash.
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

/** Calls back for each tag of a small part. */
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
