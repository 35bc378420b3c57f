/**
 * Tokenizes tags and texts of XML and HTML without building a tree. XML is strict: every tag must be closed by its own
 * name, and a DTD or a custom entity is rejected, so that a truncated file is never accepted as a complete one. HTML is
 * as lenient as browsers.
 */
import { UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'

export interface Tag {
  /** The name without prefix, in lower case for HTML. */
  name: string
  /** Attributes by name without prefix, in lower case for HTML. */
  attributes: ReadonlyMap<string, string>
  /** A closing tag, `</name>`. */
  closing: boolean
  /** A self-closing tag, `<name/>`, without a separate closing tag. */
  empty: boolean
}

const maxTagLength = 65_536
const maxAttributes = 200
const maxDepth = 100

const xmlEntities: Record<string, string | undefined> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const htmlEntities: Record<string, string | undefined> = {
  ...xmlEntities,
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  yen: '¥',
  middot: '·',
  times: '×',
  minus: '-',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  ldquo: '“',
  rdquo: '”',
  permil: '‰',
}

const createDamagedError = () => new UnreadableSheetError(unreadableMessages.damaged)

/** Strict if `xml`. Texts are decoded; a text may be split into several tokens. */
export function* parseMarkup(source: string, xml: boolean): Generator<Tag | string> {
  const open: string[] = []
  let at = 0
  while (at < source.length) {
    const start = source.indexOf('<', at)
    const end = start < 0 ? source.length : start
    if (end > at) yield decodeEntities(source.slice(at, end), xml)
    if (start < 0) break
    if (source.startsWith('<!--', start)) at = findAfter(source, '-->', start + 4)
    else if (source.startsWith('<![CDATA[', start)) {
      at = findAfter(source, ']]>', start)
      yield source.slice(start + 9, at - 3)
    } else if (source.startsWith('<?', start)) at = findAfter(source, '?>', start)
    else if (source.startsWith('<!', start)) {
      // Browsers skip a doctype and Office's conditional comments; in a workbook it could only be a DTD.
      if (xml) throw createDamagedError()
      at = findAfter(source, '>', start)
    } else if (!/[A-Za-z_/\u0080-\uffff]/.test(source[start + 1] ?? '')) {
      if (xml) throw createDamagedError()
      // Skips repeated `<` characters at once; the last one may begin a tag.
      at = start + 1
      while (source.charCodeAt(at) === 60 && source.charCodeAt(at + 1) === 60) at++
      yield source.slice(start, at)
    } else {
      at = findTagEnd(source, start)
      const tag = parseTag(source.slice(start + 1, at - 1), xml)
      if (xml) checkNesting(open, tag)
      yield tag
      // The content of a script or style is not markup.
      if (!xml && !tag.closing && (tag.name === 'script' || tag.name === 'style')) {
        const close = /<\/(?:script|style)/gi
        close.lastIndex = at
        at = close.exec(source)?.index ?? source.length
      }
    }
  }
  if (open.length > 0) throw createDamagedError()
}

function findAfter(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  if (at < 0) throw createDamagedError()
  return at + mark.length
}

/** Returns the position after the `>` of a tag, ignoring quoted ones. */
function findTagEnd(source: string, start: number): number {
  const last = Math.min(source.length, start + maxTagLength)
  let quote = 0
  for (let at = start + 1; at < last; at++) {
    const sign = source.charCodeAt(at)
    if (quote !== 0) {
      if (sign === quote) quote = 0
    } else if (sign === 34 || sign === 39) quote = sign
    else if (sign === 62) return at + 1
  }
  throw createDamagedError()
}

const noAttributes: ReadonlyMap<string, string> = new Map()

function parseTag(inside: string, xml: boolean): Tag {
  const closing = inside.startsWith('/')
  const empty = !closing && inside.endsWith('/')
  const text = closing ? inside.slice(1) : empty ? inside.slice(0, -1) : inside
  const space = text.search(/[\s/]/)
  const name = getLocalName(space < 0 ? text : text.slice(0, space))
  const attributes = space < 0 ? noAttributes : parseAttributes(text.slice(space), xml)
  return { name: xml ? name : name.toLowerCase(), attributes, closing, empty }
}

function parseAttributes(text: string, xml: boolean): Map<string, string> {
  const attributes = new Map<string, string>()
  const pairs = /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g
  for (let pair = pairs.exec(text); pair; pair = pairs.exec(text)) {
    if (attributes.size >= maxAttributes) throw createDamagedError()
    const [, key = '', double, single, bare] = pair
    const existing = xml ? key : key.toLowerCase()
    // Attribute namespaces are distinguished by their prefixes: x: and o: differ from ss:.
    attributes.set(existing.replace(/^ss:/, ''), decodeEntities(double ?? single ?? bare ?? '', xml))
  }
  return attributes
}

const getLocalName = (name: string) => name.slice(name.indexOf(':') + 1)

function checkNesting(open: string[], { name, closing, empty }: Tag): void {
  if (closing) {
    if (open.pop() !== name) throw createDamagedError()
  } else if (!empty) {
    open.push(name)
    if (open.length > maxDepth) throw createDamagedError()
  }
}

const entityPattern = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]\w{1,30}));?/g

function decodeEntities(text: string, xml: boolean): string {
  if (!text.includes('&')) return text
  if (xml && /&(?!#?\w{1,31};)/.test(text)) throw createDamagedError()
  return text.replace(entityPattern, (full, decimal?: string, hex?: string, name?: string) => {
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : null
    if (code !== null && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code)
    const sign = name === undefined ? undefined : (xml ? xmlEntities : htmlEntities)[name]
    if (sign === undefined && xml) throw createDamagedError()
    return sign ?? full
  })
}
