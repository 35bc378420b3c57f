import { Button, Checkbox, Select } from 'antd'
import { useState } from 'react'
import type { SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import styles from './upload.module.css'

const told = (sheet: SheetInfo['sheets'][number]) => `${sheet.name}（${sheet.rows} 行${sheet.hidden ? '，隐藏' : ''}）`

/** Which sheets of the file: one of them, or several that have the same header. */
export function SheetPicker(props: { info: SheetInfo; busy: boolean; onSheets: (names: string[]) => void }) {
  const { info, busy, onSheets } = props
  const { sheets } = info
  const chosen = sheets.filter((sheet) => sheet.chosen)
  const alike = sheets.filter((sheet) => (sheet.chosen || sheet.like) && sheet.rows > 0)
  const [ticked, setTicked] = useState<string[] | null>(null)
  if (sheets.length < 2) return null
  return (
    <>
      <Select
        aria-label="选择工作表"
        value={chosen.length === 1 ? (chosen[0]?.name ?? null) : null}
        placeholder={`${chosen.length} 张工作表`}
        loading={busy}
        style={{ minWidth: 160, maxWidth: 280 }}
        popupMatchSelectWidth={false}
        options={sheets.map((sheet) => ({ value: sheet.name, label: told(sheet) }))}
        onChange={(name: string | null) => name !== null && onSheets([name])}
      />
      {alike.length > 1 && (
        <Button
          disabled={busy}
          onClick={() => setTicked(alike.filter(({ hidden, chosen: is }) => is || !hidden).map(({ name }) => name))}
        >
          合并工作表
        </Button>
      )}
      <Dialog
        open={ticked !== null}
        title="把哪些工作表合并成一批？"
        action={`合并这 ${ticked?.length ?? 0} 张工作表`}
        verdict={(ticked?.length ?? 0) > 0 || '请至少选一张'}
        busy={busy}
        onConfirm={() => {
          // In the order of the file, whatever the order of the ticks.
          onSheets(alike.map(({ name }) => name).filter((name) => ticked?.includes(name)))
          setTicked(null)
        }}
        onClose={() => setTicked(null)}
      >
        <p className="ui-label">这些工作表的表头相同。每个人仍然各收一张工资条；同一个人出现两次，下一步会提醒。</p>
        <Checkbox.Group
          className={styles.sheetTicks}
          value={ticked ?? []}
          options={alike.map((sheet) => ({ value: sheet.name, label: told(sheet) }))}
          onChange={(names) => setTicked(names.map(String))}
        />
      </Dialog>
    </>
  )
}
