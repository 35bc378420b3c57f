import { Button, Select } from 'antd'
import { useState } from 'react'
import {
  type ImportWithSheets,
  importMemberFile,
  type RosterColumnRole,
  rosterColumnRoles,
} from '../../../../server/contract/directory/import.ts'
import { useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import styles from './import.module.css'
import { importRoleLabels } from './labels.ts'

const roleOptions = rosterColumnRoles.map((value) => ({ value, label: importRoleLabels[value] }))
const uniqueRoles: readonly RosterColumnRole[] = [
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

/** The role of each column, in one place; stored for the next roster with this header. */
export function ColumnRolesDialog({ info }: { info: ImportWithSheets }) {
  const [roles, setRoles] = useState<Record<string, RosterColumnRole> | null>(null)
  const [errorText, setErrorText] = useState<string | null>(null)
  const rereadFile = useCallMutation(importMemberFile, {
    handles: (error) => {
      setErrorText(error.message)
      return true
    },
    onSuccess: () => setRoles(null),
  })
  const selectedRoles = Object.values(roles ?? {})
  const duplicateRole = uniqueRoles.find((role) => selectedRoles.filter((other) => other === role).length > 1)
  const hasName = selectedRoles.some((role) => role === 'name' || role === 'given_name' || role === 'family_name')
  const canSave = duplicateRole ? `有两列都是「${importRoleLabels[duplicateRole]}」，请只留一列` : hasName || '请指明哪一列是姓名'
  const save = () => {
    setErrorText(null)
    const text = Object.entries(roles ?? {})
      .map(([letter, role]) => `${letter}=${role}`)
      .join('\n')
    const names = info.sheets.flatMap(({ name, is_included: isRead }) => (isRead ? [name] : []))
    rereadFile.mutate({ import_id: info.import_id, sheet: names.length > 0 ? names.join('\n') : info.sheet, roles: text })
  }
  return (
    <>
      <Button
        onClick={() => {
          setErrorText(null)
          setRoles(Object.fromEntries(info.columns.map(({ letter, role }) => [letter, role])))
        }}
      >
        列对应
      </Button>
      <Dialog
        open={roles !== null}
        title="核对列对应关系"
        action="重新识别"
        allowed={canSave}
        busy={rereadFile.isPending}
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
                options={roleOptions}
                onChange={(role: RosterColumnRole) => setRoles((previous) => ({ ...previous, [letter]: role }))}
              />
            </li>
          ))}
        </ul>
        {errorText && (
          <p role="alert" className={styles.problem}>
            {errorText}
          </p>
        )}
      </Dialog>
    </>
  )
}
