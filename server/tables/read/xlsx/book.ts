/** A workbook (.xlsx .xlsm) to grids. Its sheets are unpacked and read piece by piece, so that none is in memory as text. */
import { clipMerges, type Grid } from '../../grid.ts'
import { trim } from '../trim.ts'
import { limits, SheetUnreadable, sentences } from '../unreadable.ts'
import type { GuardedPart } from '../zip-guard.ts'
import { SharedStrings } from './strings.ts'
import { readStyles } from './styles.ts'
import { type Book, Worksheet } from './worksheet.ts'
import { eachTag, type XmlScanner } from './xml.ts'

type Link = { readonly type: string; readonly target: string }
type Listed = { readonly name: string; readonly link: Link | undefined; readonly hidden: boolean }

export async function readBook(parts: readonly GuardedPart[]): Promise<Grid[]> {
  const byName = new Map(parts.map((part) => [part.name.toLowerCase(), part]))
  const at = (name: string) => byName.get(name.toLowerCase())
  const start = [...linksOf(at('_rels/.rels'), '').values()].find(({ type }) => type === 'officeDocument')
  const workbook = start && at(start.target)
  if (!workbook) throw new SheetUnreadable(sentences.damaged)
  const slash = workbook.name.lastIndexOf('/') + 1
  const [folder, file] = [workbook.name.slice(0, slash), workbook.name.slice(slash)]
  const links = linksOf(at(`${folder}_rels/${file}.rels`), folder)
  const { sheets, from1904 } = listOf(workbook, links)
  const partOf = (type: string) => {
    const link = [...links.values()].find((one) => one.type === type)
    return link && at(link.target)
  }

  const strings = new SharedStrings()
  const texts = partOf('sharedStrings')
  if (texts) await scan(texts, strings)
  const book: Book = { texts: strings.texts, styles: readStyles(partOf('styles')?.read()), from1904 }
  const grids: Grid[] = []
  const read = new Set<GuardedPart>()
  for (const { name, link, hidden } of sheets) {
    const part = link && at(link.target)
    if (!part) {
      grids.push(brokenSheet(name, hidden))
      continue
    }
    // Each sheet has a part of its own; one that is named again would be read again, as often as somebody likes.
    if (read.has(part)) throw new SheetUnreadable(sentences.damaged)
    read.add(part)
    const sheet = new Worksheet(book)
    await scan(part, sheet)
    trim(sheet.rows)
    const { rows, marks, hidden_rows, hidden_columns, widths } = sheet
    const merges = clipMerges(sheet.merges, rows.length, limits.columns)
    grids.push({ name, hidden, rows, marks, merges, hidden_rows, hidden_columns, widths })
  }
  if (grids.length > 0 && grids.every(({ broken }) => broken)) throw new SheetUnreadable(sentences.damaged)
  return grids
}

/** Its link leads nowhere: the others are read all the same, and it is said that this one was not. */
const brokenSheet = (name: string, hidden: boolean): Grid => ({
  name,
  hidden,
  broken: true,
  rows: [],
  marks: new Map(),
  merges: [],
  hidden_rows: new Set(),
  hidden_columns: new Set(),
})

/** Small parts at once; turns of the event loop would cost more than the piece. */
const small = 512 * 1024

async function scan(part: GuardedPart, scanner: XmlScanner): Promise<void> {
  if (part.size <= small) scanner.push(part.read())
  else for await (const piece of part.pieces()) scanner.push(piece)
  scanner.end()
}

/** What a part links to, by the link's id; targets as names of parts. */
function linksOf(part: GuardedPart | undefined, folder: string): Map<string, Link> {
  const links = new Map<string, Link>()
  if (!part) return links
  eachTag(part.read(), {
    open(name, attribute) {
      if (name !== 'Relationship') return
      const type = attribute('Type') ?? ''
      const target = resolved(folder, attribute('Target') ?? '')
      links.set(attribute('Id') ?? '', { type: type.slice(type.lastIndexOf('/') + 1), target })
    },
  })
  return links
}

function resolved(folder: string, target: string): string {
  if (/^[/\\]/.test(target)) return target.slice(1).replaceAll('\\', '/')
  const path: string[] = []
  for (const step of `${folder}${target}`.split(/[/\\]/))
    if (step === '..') path.pop()
    else if (step !== '.' && step !== '') path.push(step)
  return path.join('/')
}

/** The sheets in their order; a sheet that is only a chart has no cells and is left out. */
function listOf(workbook: GuardedPart, links: ReadonlyMap<string, Link>): { sheets: Listed[]; from1904: boolean } {
  const sheets: Listed[] = []
  let from1904 = false
  eachTag(workbook.read(), {
    open(tag, attribute) {
      // An extension of the same name says nothing of dates.
      if (tag === 'workbookPr') from1904 ||= ['1', 'true'].includes(attribute('date1904') ?? '')
      if (tag !== 'sheet') return
      const name = attribute('name') ?? ''
      const link = links.get(attribute('id') ?? '')
      if (name === '') return
      if (!link || link.type === 'worksheet')
        sheets.push({ name, link, hidden: /^(?:h|veryH)idden$/.test(attribute('state') ?? '') })
    },
  })
  return { sheets, from1904 }
}
