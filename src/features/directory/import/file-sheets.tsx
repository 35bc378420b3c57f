import { useNavigate, useSearch } from '@tanstack/react-router'
import { Select } from 'antd'
import { useState } from 'react'
import { type ImportWithSheets, importMemberFile } from '../../../../server/contract/directory/import.ts'
import { useCallMutation } from '../../../api.ts'
import styles from './import.module.css'
import { allSheetsValue, describeSheets, formatCount } from './sheet-labels.ts'

/** Which sheets of the file were read, and the selection of others: one, or all with the same columns as one list. */
export function SheetSelection({ info: { import_id, sheets } }: { info: ImportWithSheets }) {
  const navigate = useNavigate()
  const { batch } = useSearch({ from: '/_desk/_people/companyMember' })
  const [errorText, setErrorText] = useState<string | null>(null)
  const rereadFile = useCallMutation(importMemberFile, {
    handles: (error) => {
      setErrorText(error.message)
      return true
    },
    // The new sheets have other counts, so no filter stays selected.
    onSuccess: () => void navigate({ to: '/companyMember', search: { view: 'import', batch } }),
  })
  if (sheets.length < 2 && sheets.every(({ is_included: isRead }) => isRead)) return null
  const { message: summary, left: skipped, hint, joint: combinable, value } = describeSheets(sheets)
  const selectSheet = (selected: string) => {
    setErrorText(null)
    const names = selected === allSheetsValue ? combinable.map(({ name }) => name) : [selected]
    rereadFile.mutate({ import_id, sheet: names.join('\n') })
  }
  return (
    <section className={`ui-card ${styles.sheets}`} aria-label="名单">
      <div>
        <p>
          {summary} {skipped && <strong>{skipped}</strong>}
        </p>
        {hint && <p className="ui-hint">{hint}</p>}
        {errorText && (
          <p role="alert" className={styles.problem}>
            {errorText}
          </p>
        )}
      </div>
      <Select
        aria-label="读哪份名单"
        value={value}
        placeholder="改读一份名单"
        loading={rereadFile.isPending}
        disabled={rereadFile.isPending}
        popupMatchSelectWidth={false}
        options={[
          ...(combinable.length > 1
            ? [
                {
                  value: allSheetsValue,
                  label: `${combinable.length} 份合在一起（${formatCount(combinable.reduce((sum, { member_count }) => sum + member_count, 0))} 人）`,
                },
              ]
            : []),
          ...sheets.map(({ name, member_count }) => ({
            value: name,
            label: `只读「${name}」（${formatCount(member_count)} 人）`,
          })),
        ]}
        onChange={selectSheet}
      />
    </section>
  )
}
