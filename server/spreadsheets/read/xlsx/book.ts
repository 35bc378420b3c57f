/** Reads a workbook (.xlsx .xlsm) to grids. Its sheets are unpacked and read in chunks, so that none is in memory as text. */
import { clipMerges, type Grid } from '../../grid.ts'
import { trimRows } from '../trim.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'
import type { GuardedEntry } from '../zip-guard.ts'
import { SharedStrings } from './strings.ts'
import { readStyles } from './styles.ts'
import { type WorkbookContext, Worksheet } from './worksheet.ts'
import { forEachTag, type XmlScanner } from './xml.ts'

type PartLink = { readonly type: string; readonly target: string }
type SheetEntry = { readonly name: string; readonly link: PartLink | undefined; readonly hidden: boolean }

export async function readXlsxWorkbook(entries: readonly GuardedEntry[]): Promise<Grid[]> {
  const byName = new Map(entries.map((part) => [part.name.toLowerCase(), part]))
  const at = (name: string) => byName.get(name.toLowerCase())
  const start = [...readLinks(at('_rels/.rels'), '').values()].find(({ type }) => type === 'officeDocument')
  const workbook = start && at(start.target)
  if (!workbook) throw new UnreadableSheetError(unreadableMessages.damaged)
  const slash = workbook.name.lastIndexOf('/') + 1
  const [folder, file] = [workbook.name.slice(0, slash), workbook.name.slice(slash)]
  const links = readLinks(at(`${folder}_rels/${file}.rels`), folder)
  const { sheets, from1904 } = readSheetList(workbook, links)
  const getEntry = (type: string) => {
    const link = [...links.values()].find((one) => one.type === type)
    return link && at(link.target)
  }

  const strings = new SharedStrings()
  const texts = getEntry('sharedStrings')
  if (texts) await scanPart(texts, strings)
  const book: WorkbookContext = { sharedStrings: strings.texts, styles: readStyles(getEntry('styles')?.read()), from1904 }
  const grids: Grid[] = []
  const read = new Set<GuardedEntry>()
  for (const { name, link, hidden } of sheets) {
    const part = link && at(link.target)
    if (!part) {
      grids.push(createBrokenSheet(name, hidden))
      continue
    }
    // Each sheet has its own part; a repeated reference would allow a file to be read any number of times.
    if (read.has(part)) throw new UnreadableSheetError(unreadableMessages.damaged)
    read.add(part)
    const sheet = new Worksheet(book)
    await scanPart(part, sheet)
    trimRows(sheet.rows)
    const { rows, marks, hidden_rows, hidden_columns, widths } = sheet
    const merges = clipMerges(sheet.merges, rows.length, sheetLimits.columns)
    grids.push({ name, hidden, rows, marks, merges, hidden_rows, hidden_columns, widths })
  }
  if (grids.length > 0 && grids.every(({ broken }) => broken)) throw new UnreadableSheetError(unreadableMessages.damaged)
  return grids
}

/** The sheet's link is broken: the other sheets are read nevertheless, and a warning names this one. */
const createBrokenSheet = (name: string, hidden: boolean): Grid => ({
  name,
  hidden,
  broken: true,
  rows: [],
  marks: new Map(),
  merges: [],
  hidden_rows: new Set(),
  hidden_columns: new Set(),
})

/** Small parts are read at once, because turns of the event loop would cost more than the chunk. */
const smallPartBytes = 512 * 1024

async function scanPart(part: GuardedEntry, scanner: XmlScanner): Promise<void> {
  if (part.size <= smallPartBytes) scanner.push(part.read())
  else for await (const piece of part.chunks()) scanner.push(piece)
  scanner.end()
}

/** Returns the relationships of a part by id, with targets as part names. */
function readLinks(part: GuardedEntry | undefined, folder: string): Map<string, PartLink> {
  const links = new Map<string, PartLink>()
  if (!part) return links
  forEachTag(part.read(), {
    open(name, attribute) {
      if (name !== 'Relationship') return
      const type = attribute('Type') ?? ''
      const target = resolveTarget(folder, attribute('Target') ?? '')
      links.set(attribute('Id') ?? '', { type: type.slice(type.lastIndexOf('/') + 1), target })
    },
  })
  return links
}

function resolveTarget(folder: string, target: string): string {
  if (/^[/\\]/.test(target)) return target.slice(1).replaceAll('\\', '/')
  const path: string[] = []
  for (const step of `${folder}${target}`.split(/[/\\]/))
    if (step === '..') path.pop()
    else if (step !== '.' && step !== '') path.push(step)
  return path.join('/')
}

/** Lists the sheets in order; chart sheets have no cells and are omitted. */
function readSheetList(
  workbook: GuardedEntry,
  links: ReadonlyMap<string, PartLink>,
): { sheets: SheetEntry[]; from1904: boolean } {
  const sheets: SheetEntry[] = []
  let from1904 = false
  forEachTag(workbook.read(), {
    open(tag, attribute) {
      // An extension element of the same name does not concern dates.
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
