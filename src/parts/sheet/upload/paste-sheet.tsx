import { Input } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { isAmount } from '../../../ui/value/money.tsx'
import { cellsOf, fileOf, isTable, mergesIn, spread } from './pasted.ts'
import styles from './upload.module.css'

export type Pasted = string[][]
const few = { rows: 6, columns: 8 }

/** What was copied in Excel and pasted anywhere on the page: a file, or cells. Fields keep what is pasted into them. */
export function usePaste(on: boolean, take: { file: (file: File) => void; cells: (cells: Pasted) => void }) {
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    const { clipboardData, target } = event
    if (!on || !clipboardData) return
    if (target instanceof HTMLElement && target.closest('input, textarea, [contenteditable="true"], [role="dialog"]')) return
    const text = clipboardData.getData('text/plain')
    const cells = cellsOf(text)
    // Excel puts a picture of the cells beside them: the cells are meant.
    const [file] = clipboardData.files
    if (isTable(cells)) take.cells(spread(cells, mergesIn(clipboardData.getData('text/html'), cells.length)))
    else if (file) take.file(file)
    else return
    event.preventDefault()
  })
  // The page has no field for it: the document hears it.
  useEffect(() => {
    const hear = (event: ClipboardEvent) => pasted(event)
    document.addEventListener('paste', hear)
    return () => document.removeEventListener('paste', hear)
  }, [])
}

/** Shows what was pasted before it goes up; without any it is where one pastes. */
export function PasteDialog(props: { open: boolean; cells: Pasted | null; onClose: () => void; onFile: (file: File) => void }) {
  return <Dialogue key={props.open ? 'open' : 'closed'} {...props} />
}

function Dialogue({ open, cells: given, onClose, onFile }: Parameters<typeof PasteDialog>[0]) {
  const [text, setText] = useState('')
  const [own, setOwn] = useState<Pasted | null>(null)
  const cells = given ?? own ?? []
  const ready = isTable(cells)
  return (
    <Dialog
      open={open}
      title={given ? '用粘贴的表格？' : '粘贴表格'}
      width={760}
      action={ready ? `识别这 ${cells.length} 行` : '识别'}
      verdict={ready || '请先粘贴至少两行，连同列名一起'}
      onConfirm={() => onFile(fileOf(cells))}
      onClose={onClose}
    >
      <div className="ui-stack">
        {!given && (
          <Input.TextArea
            aria-label="粘贴表格"
            value={text}
            rows={ready ? 3 : 8}
            placeholder="在 Excel 或 WPS 里选中整张表（连同列名），复制，再粘贴到这里"
            onPaste={(event) => {
              const html = event.clipboardData.getData('text/html')
              const read = cellsOf(event.clipboardData.getData('text/plain'))
              if (text === '' && isTable(read)) setOwn(spread(read, mergesIn(html, read.length)))
            }}
            onChange={(event) => {
              const next = event.target.value
              const read = cellsOf(next)
              // What a paste just told about merged cells stays as long as the text is the pasted one.
              setText(next)
              setOwn((before) => (before && text === '' && before.length === read.length ? before : read))
            }}
          />
        )}
        {ready && <Preview cells={cells} />}
        {!ready && text.trim() !== '' && (
          <p role="status">这里只有一格文字，还不是表格。请在 Excel、WPS 里连同列名一起选中、复制，再粘贴到这里。</p>
        )}
      </div>
    </Dialog>
  )
}

function Preview({ cells }: { cells: Pasted }) {
  const width = Math.max(...cells.map((row) => row.length))
  return (
    <div className={styles.paste}>
      <table>
        <caption>
          {cells.length} 行 {width} 列{cells.length > few.rows && `，前 ${few.rows} 行是`}
        </caption>
        <tbody>
          {cells.slice(0, few.rows).map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines of a text have no other name
            <tr key={at}>
              {Array.from({ length: Math.min(width, few.columns) }, (_, col) => (
                // oxlint-disable-next-line react/no-array-index-key -- nor have their cells
                <td key={col} data-amount={isAmount(row[col] ?? '') || undefined}>
                  {row[col] ?? ''}
                </td>
              ))}
              {width > few.columns && <td>…</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
