import { Button, Checkbox, Select } from 'antd'
import { useState } from 'react'
import type { WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './upload.module.css'

const formatSheetOption = (sheet: WageSheetInfo['sheets'][number]) =>
  `${sheet.name}（${formatCount(sheet.rows)} 行${sheet.hidden ? '，隐藏' : ''}）`

/** Selects sheets of the file: one, or several with the same header. */
export function SheetPicker(props: { info: WageSheetInfo; busy: boolean; onSheets: (names: string[]) => void }) {
  const { info, busy, onSheets } = props
  const { sheets } = info
  const selectedSheets = sheets.filter((sheet) => sheet.chosen)
  const combinable = sheets.filter((sheet) => (sheet.chosen || sheet.like) && sheet.rows > 0)
  const [selectedNames, setSelectedNames] = useState<string[] | null>(null)
  if (sheets.length < 2) return null
  return (
    <>
      <Select
        aria-label="选择工作表"
        value={selectedSheets.length === 1 ? (selectedSheets[0]?.name ?? null) : null}
        placeholder={`${selectedSheets.length} 张工作表`}
        loading={busy}
        style={{ minWidth: 160, maxWidth: 280 }}
        popupMatchSelectWidth={false}
        options={sheets.map((sheet) => ({ value: sheet.name, label: formatSheetOption(sheet) }))}
        onChange={(name: string | null) => name !== null && onSheets([name])}
      />
      {combinable.length > 1 && (
        <Button
          disabled={busy}
          onClick={() =>
            setSelectedNames(combinable.filter(({ hidden, chosen: isSelected }) => isSelected || !hidden).map(({ name }) => name))
          }
        >
          合并工作表
        </Button>
      )}
      <Dialog
        open={selectedNames !== null}
        title="把哪些工作表合并成一批？"
        action={`合并这 ${selectedNames?.length ?? 0} 张工作表`}
        allowed={(selectedNames?.length ?? 0) > 0 || '请至少选一张'}
        busy={busy}
        onConfirm={() => {
          // The selected sheets are in the order of the file, independent of the order of selection.
          onSheets(combinable.map(({ name }) => name).filter((name) => selectedNames?.includes(name)))
          setSelectedNames(null)
        }}
        onClose={() => setSelectedNames(null)}
      >
        <p className="ui-label">这些工作表的表头相同。每个人仍然各收一张工资条；同一个人出现两次，下一步会提醒。</p>
        <Checkbox.Group
          className={styles.sheetTicks}
          value={selectedNames ?? []}
          options={combinable.map((sheet) => ({ value: sheet.name, label: formatSheetOption(sheet) }))}
          onChange={(names) => setSelectedNames(names.map(String))}
        />
      </Dialog>
    </>
  )
}
