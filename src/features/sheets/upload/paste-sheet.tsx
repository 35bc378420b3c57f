import { Input } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { isAmountText } from '../../../components/value/money.tsx'
import { createPastedFile, fillMergedCells, findMergesInHtml, isTableData, parsePastedText } from './pasted-cells.ts'
import styles from './upload.module.css'

export type PastedCells = string[][]
const previewSize = { rows: 6, columns: 8 }

/** Handles content copied in Excel and pasted anywhere on the page: a file, or cells. Input fields keep their own paste. */
export function usePasteTable(isEnabled: boolean, handlers: { file: (file: File) => void; cells: (cells: PastedCells) => void }) {
  const handlePaste = useEffectEvent((event: ClipboardEvent) => {
    const { clipboardData, target } = event
    if (!isEnabled || !clipboardData) return
    if (target instanceof HTMLElement && target.closest('input, textarea, [contenteditable="true"], [role="dialog"]')) return
    const text = clipboardData.getData('text/plain')
    const cells = parsePastedText(text)
    // Excel adds a picture of the cells to the clipboard: the cells take precedence.
    const [file] = clipboardData.files
    if (isTableData(cells))
      handlers.cells(fillMergedCells(cells, findMergesInHtml(clipboardData.getData('text/html'), cells.length)))
    else if (file) handlers.file(file)
    else return
    event.preventDefault()
  })
  // The page has no field for it, so the listener is on the document.
  useEffect(() => {
    const listener = (event: ClipboardEvent) => handlePaste(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}

/** Shows pasted content before it is uploaded; without content it offers a field to paste into. */
export function PasteDialog(props: {
  open: boolean
  cells: PastedCells | null
  onClose: () => void
  onFile: (file: File) => void
}) {
  return <PasteDialogContent key={props.open ? 'open' : 'closed'} {...props} />
}

function PasteDialogContent({ open, cells: pastedCells, onClose, onFile }: Parameters<typeof PasteDialog>[0]) {
  const [text, setText] = useState('')
  const [typedCells, setTypedCells] = useState<PastedCells | null>(null)
  const cells = pastedCells ?? typedCells ?? []
  const isReady = isTableData(cells)
  return (
    <Dialog
      open={open}
      title={pastedCells ? '用粘贴的表格？' : '粘贴表格'}
      width={760}
      action={isReady ? `识别这 ${formatCount(cells.length)} 行` : '识别'}
      allowed={isReady || '请先粘贴至少两行，连同列名一起'}
      onConfirm={() => onFile(createPastedFile(cells))}
      onClose={onClose}
    >
      <div className="ui-stack">
        {!pastedCells && (
          <Input.TextArea
            aria-label="粘贴表格"
            value={text}
            rows={isReady ? 3 : 8}
            placeholder="在 Excel 或 WPS 里选中整张表（连同列名），复制，再粘贴到这里"
            onPaste={(event) => {
              const html = event.clipboardData.getData('text/html')
              const parsed = parsePastedText(event.clipboardData.getData('text/plain'))
              if (text === '' && isTableData(parsed))
                setTypedCells(fillMergedCells(parsed, findMergesInHtml(html, parsed.length)))
            }}
            onChange={(event) => {
              const next = event.target.value
              const parsed = parsePastedText(next)
              // Merged cells from the paste stay valid while the text is the pasted one.
              setText(next)
              setTypedCells((previous) => (previous && text === '' && previous.length === parsed.length ? previous : parsed))
            }}
          />
        )}
        {isReady && <CellsPreview cells={cells} />}
        {!isReady && text.trim() !== '' && (
          <p role="status">这里只有一格文字，还不是表格。请在 Excel、WPS 里连同列名一起选中、复制，再粘贴到这里。</p>
        )}
      </div>
    </Dialog>
  )
}

function CellsPreview({ cells }: { cells: PastedCells }) {
  const width = Math.max(...cells.map((row) => row.length))
  return (
    <div className={styles.paste}>
      <table>
        <caption>
          {formatCount(cells.length)} 行 {width} 列
          {cells.length > previewSize.rows && `，前 ${formatCount(previewSize.rows)} 行是`}
        </caption>
        <tbody>
          {cells.slice(0, previewSize.rows).map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines of a text have no other name
            <tr key={index}>
              {Array.from({ length: Math.min(width, previewSize.columns) }, (_, col) => (
                // oxlint-disable-next-line react/no-array-index-key -- nor have their cells
                <td key={col} data-amount={isAmountText(row[col] ?? '') || undefined}>
                  {row[col] ?? ''}
                </td>
              ))}
              {width > previewSize.columns && <td>…</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
