import { Checkbox, Form } from 'antd'
import { useState } from 'react'
import { addAmin, insertRole } from '../../../server/contract/access/administrators.ts'
import { type Power, powerLabels } from '../../../server/contract/access.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { useCurrentUser, useIsAgency } from '../../session.ts'
import { changeMessages } from '../auth/account/change-messages.ts'
import { MemberPicker, type SelectedMember } from '../directory/member-picker.tsx'
import { agencyPowerDescriptions, canGrantPower, type GrantablePower, grantablePowers, powerDescriptions } from './rights.ts'
import styles from './role.module.css'
import { emptyScope, ScopeField, type SelectedScope, scopeRule } from './scope.tsx'

type AddAdminForm = { member_ids: SelectedMember[]; power: GrantablePower[]; scope: SelectedScope }

const needsScope = (power: readonly Power[] | undefined) => Boolean(power?.includes('2') || power?.includes('3'))
const getDisabledReason = ({ POWER }: SelectedMember) => (POWER.includes('4') ? '系统管理员已有全部权限' : null)
const formatPowers = (power: readonly Power[]) => power.map((item) => powerLabels[item]).join('、')

/** Makes one or several members administrators: who, which powers, which scope. */
export function AddAdminDialog({ preset, onClose }: { preset: GrantablePower | undefined; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const options = { key, handles: (error: { field?: string | undefined }) => error.field !== undefined }
  const addOne = useCallMutation(insertRole, options)
  const addSeveral = useCallMutation(addAmin, options)
  const submit = async ({ member_ids: people, power, scope }: AddAdminForm) => {
    const grant = { power, scope: needsScope(power) ? scope : emptyScope }
    const [first] = people
    if (people.length === 1 && first) await addOne.mutateAsync({ member_id: first.ID, ...grant })
    else await addSeveral.mutateAsync({ member_ids: people.map(({ ID }) => ID), ...grant })
    toast.success(
      people.length === 1 ? `${first?.NAME} 已成为${formatPowers(power)}` : `${people.length} 人已成为${formatPowers(power)}`,
    )
  }
  return (
    <FormDialog<AddAdminForm>
      open
      width={600}
      title={preset ? `添加${powerLabels[preset]}` : '添加管理员'}
      action="添加"
      initial={{ member_ids: [], power: preset ? [preset] : [], scope: { all: false, department_ids: [] } }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item
        name="member_ids"
        label="成员"
        required
        rules={[{ type: 'array', min: 1, message: changeMessages.transfer.noMember }]}
      >
        <MembersField />
      </Form.Item>
      <Form.Item<AddAdminForm> noStyle shouldUpdate>
        {({ getFieldsValue }) => <ExistingAdminsNote {...getFieldsValue()} />}
      </Form.Item>
      <Form.Item name="power" label="权限" required rules={[{ type: 'array', min: 1, message: '请选择至少一种权限' }]}>
        <PowersField />
      </Form.Item>
      <Form.Item<AddAdminForm> noStyle dependencies={['power']}>
        {({ getFieldsValue }) =>
          needsScope(getFieldsValue().power) && (
            <Form.Item name="scope" label="管理范围" required rules={[scopeRule]}>
              <ScopeField />
            </Form.Item>
          )
        }
      </Form.Item>
    </FormDialog>
  )
}

/** The picker as a form field; the form passes value and onChange. */
const MembersField = ({ value = [], onChange }: { value?: SelectedMember[]; onChange?: (people: SelectedMember[]) => void }) => (
  <div className={styles.people}>
    <MemberPicker
      multiple
      label="成员"
      value={value}
      onChange={(people) => onChange?.(people)}
      getDisabledReason={getDisabledReason}
    />
  </div>
)

/** The powers with their descriptions. The form's own attributes are for inputs and are not passed to the group. */
function PowersField({ value = [], onChange }: { value?: GrantablePower[]; onChange?: (power: GrantablePower[]) => void }) {
  const own = useCurrentUser()?.power ?? []
  const isAgency = useIsAgency()
  const descriptions = isAgency ? agencyPowerDescriptions : powerDescriptions
  return (
    <Checkbox.Group<GrantablePower> className={styles.powers} value={value} onChange={(power) => onChange?.(power)}>
      {grantablePowers.map((power) => {
        const result = canGrantPower({ power: own, isAgency }, power)
        return (
          <Checkbox key={power} value={power} disabled={result !== true}>
            {powerLabels[power]}
            <small>{result === true ? descriptions[power].allowed.join('；') : result}</small>
          </Checkbox>
        )
      })}
    </Checkbox.Group>
  )
}

/** Existing administrators keep their powers, but their scope is replaced by the new one. */
function ExistingAdminsNote({ member_ids = [], power = [] }: Partial<AddAdminForm>) {
  const existing = needsScope(power) ? member_ids.filter(({ POWER }) => needsScope(POWER)) : []
  if (existing.length === 0) return null
  return (
    <p className={styles.note} role="status">
      {existing.map(({ NAME }) => NAME).join('、')} 已是管理员：原有权限保留，管理范围会改为下面选择的范围。
    </p>
  )
}
