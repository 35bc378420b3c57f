import { Button, Select } from 'antd'
import { useState } from 'react'
import { type ImportInFile, type ImportRole, importMemberFile, rosterRoles } from '../../../../server/contract/people/import.ts'
import { useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import styles from './import.module.css'
import { roleWords } from './words.ts'

const options = rosterRoles.map((value) => ({ value, label: roleWords[value] }))
const once: readonly ImportRole[] = [
  'name',
  'mobile',
  'employee_no',
  'id_card',
  'bank_account',
  'email',
  'position',
  'entry_date',
  'status',
]

/** What each column is for, in one place; kept for the next roster with this header. */
export function Columns({ info }: { info: ImportInFile }) {
  const [roles, setRoles] = useState<Record<string, ImportRole> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const read = useCall(importMemberFile, {
    handles: (error) => {
      setProblem(error.message)
      return true
    },
    onSuccess: () => setRoles(null),
  })
  const said = Object.values(roles ?? {})
  const twice = once.find((role) => said.filter((one) => one === role).length > 1)
  const named = said.some((role) => role === 'name' || role === 'given_name' || role === 'family_name')
  const verdict = twice ? `有两列都是「${roleWords[twice]}」，请只留一列` : named || '请指明哪一列是姓名'
  const save = () => {
    setProblem(null)
    const text = Object.entries(roles ?? {})
      .map(([letter, role]) => `${letter}=${role}`)
      .join('\n')
    const names = info.sheets.flatMap(({ name, read: isRead }) => (isRead ? [name] : []))
    read.mutate({ import_id: info.import_id, sheet: names.length > 0 ? names.join('\n') : info.sheet, roles: text })
  }
  return (
    <>
      <Button
        onClick={() => {
          setProblem(null)
          setRoles(Object.fromEntries(info.columns.map(({ letter, role }) => [letter, role])))
        }}
      >
        列的含义
      </Button>
      <Dialog
        open={roles !== null}
        title="每一列是什么？"
        action="重新识别"
        verdict={verdict}
        busy={read.isPending}
        onConfirm={save}
        onClose={() => setRoles(null)}
      >
        <p className="ui-label">下次导入表头相同的花名册，直接按这里的选择识别。</p>
        <ul className={styles.columns}>
          {info.columns.map(({ letter, label }) => (
            <li key={letter}>
              <span>
                <b>{letter}</b> {label || '没有列名'}
              </span>
              <Select
                aria-label={`${letter} 列 ${label}`}
                value={roles?.[letter] ?? 'info'}
                options={options}
                onChange={(role: ImportRole) => setRoles((before) => ({ ...before, [letter]: role }))}
              />
            </li>
          ))}
        </ul>
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
      </Dialog>
    </>
  )
}
