import { useNavigate } from '@tanstack/react-router'
import { Select } from 'antd'
import { useState } from 'react'
import { type ImportInFile, importMemberFile } from '../../../../server/contract/people/import.ts'
import { useCall } from '../../../api.ts'
import styles from './import.module.css'
import { listed, sheetsSaid, together } from './sheet-words.ts'

/** Which sheets of the file are read, which are not, and the choice of others: one of them, or all with the same columns as one list. */
export function FileSheets({ info: { import_id, sheets } }: { info: ImportInFile }) {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  const read = useCall(importMemberFile, {
    handles: (error) => {
      setProblem(error.message)
      return true
    },
    // Its figures are others: none of them is chosen.
    onSuccess: () => void navigate({ to: '/companyMember', search: { view: 'import' } }),
  })
  if (sheets.length < 2 && sheets.every(({ read: isRead }) => isRead)) return null
  const { said, left, hint, joint, value } = sheetsSaid(sheets)
  const choose = (chosen: string) => {
    setProblem(null)
    const names = chosen === together ? joint.map(({ name }) => name) : [chosen]
    read.mutate({ import_id, sheet: names.join('\n') })
  }
  return (
    <section className={`ui-card ${styles.sheets}`} aria-label="名单">
      <div>
        <p>
          {said} {left && <strong>{left}</strong>}
        </p>
        {hint && <p className="ui-hint">{hint}</p>}
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
      </div>
      <Select
        aria-label="读哪份名单"
        value={value}
        placeholder="改读一份名单"
        loading={read.isPending}
        disabled={read.isPending}
        popupMatchSelectWidth={false}
        options={[
          ...(joint.length > 1
            ? [
                {
                  value: together,
                  label: `${joint.length} 份合在一起（${listed(joint.reduce((sum, { people }) => sum + people, 0))} 人）`,
                },
              ]
            : []),
          ...sheets.map(({ name, people }) => ({ value: name, label: `只读「${name}」（${listed(people)} 人）` })),
        ]}
        onChange={choose}
      />
    </section>
  )
}
