/**
 * The child process in which a file is opened. It may read only this code, has no environment, no secrets and a small
 * heap, so that a parser vulnerability stays inside it. Input: the file on stdin. Output: one JSON line per message on
 * stdout.
 */

import type { Annotations } from '../annotate/annotate.ts'
import { readDeductionLists } from '../profiles/deduction/deduction.ts'
import { type MemberAmountKind, readMemberAmountList } from '../profiles/member-amounts/member-amounts.ts'
import { packRoster } from '../profiles/roster/packed-roster.ts'
import type { RolesByLetter } from '../profiles/roster/result.ts'
import { recognizeRoster } from '../profiles/roster/roster.ts'
import { recognizeWorkbook } from '../profiles/wage/recognize-workbook.ts'
import { readWithholdingResult } from '../profiles/withheld/withheld.ts'
import { readGrids } from '../read/read-grids.ts'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'
import { type ReaderResponse, streamRowPages, toSheetLayout } from './response.ts'

/**
 * The request in the first line of the input: wage sheets to read together (one is selected if none is named), a
 * roster, the deduction lists, the result file of the withholding client, a list of amounts per member, or the file
 * annotated with its issues.
 */
export type ReadRequest =
  | { readonly sheets?: readonly string[] | undefined }
  | { readonly deductions: true }
  | { readonly withheld: true }
  | { readonly member_amounts: MemberAmountKind }
  | { readonly roster: { readonly sheets?: readonly string[] | undefined; readonly roles?: RolesByLetter | undefined } }
  | Annotations

/** Resolves when the line has been written: a caller that does not await it would buffer all lines in memory. */
const writeLine = (line: string) => new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve()))
const respond = (answer: ReaderResponse) => writeLine(JSON.stringify(answer))

async function main() {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  // The child was never used.
  if (chunks.length === 0) return
  const input = Buffer.concat(chunks)
  chunks.length = 0
  const end = input.indexOf(10)
  const request = JSON.parse(input.toString('utf8', 0, end)) as ReadRequest
  const file = input.subarray(end + 1)
  if ('issues' in request) return respondAnnotated(file, request)
  const grids = await readGrids(file)
  if ('deductions' in request) return respond({ deductions: readDeductionLists(grids) })
  if ('withheld' in request) return respond({ withheld: readWithholdingResult(grids) })
  if ('member_amounts' in request) return respond({ member_amounts: readMemberAmountList(request.member_amounts, grids) })
  if ('roster' in request) {
    const { rows, ...roster } = recognizeRoster(grids, request.roster.sheets, request.roster.roles)
    return respond({ roster, packed: packRoster(rows) })
  }
  const { recognition, grids: read } = recognizeWorkbook(grids, request.sheets)
  // The requested sheets do not exist or cannot be read together.
  if (read.length === 0) throw new UnreadableSheetError(recognition.reason ?? unreadableMessages.no_data)
  await respond({ recognition, sheetLayout: toSheetLayout(read, recognition) })
  for (const page of streamRowPages(read, recognition)) await writeLine(page)
  await respond({ end: true })
}

/** Outputs an .xlsx file. */
async function respondAnnotated(file: Buffer, written: Annotations) {
  const { annotateWorkbook } = await import('../annotate/annotate.ts')
  process.stdout.write(annotateWorkbook(await readGrids(file), written))
}

main().catch(async (error: unknown) => {
  await respond({ unreadable: error instanceof UnreadableSheetError ? error.message : unreadableMessages.damaged })
})
