import { Checkbox, Form } from 'antd'
import { useState } from 'react'
import { addAmin, insertRole } from '../../../server/contract/corp/role.ts'
import { type Power, powerWords } from '../../../server/contract/who.ts'
import { intent, useCall } from '../../api.ts'
import { FormDialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { messages } from '../account/messages.ts'
import { MemberPicker, type PickedPerson } from '../member/member-picker.tsx'
import { about, type Given, givable } from './rights.ts'
import styles from './role.module.css'
import { type ChosenScope, noScope, ScopeField, scopeRule } from './scope.tsx'

type Values = { member_ids: PickedPerson[]; power: Given[]; scope: ChosenScope }

const needsScope = (power: readonly Power[] | undefined) => Boolean(power?.includes('2') || power?.includes('3'))
const cannot = ({ POWER }: PickedPerson) => (POWER.includes('4') ? '系统管理员已有全部权限' : null)
const wordsOf = (power: readonly Power[]) => power.map((each) => powerWords[each]).join('、')

/** One person or several become administrators: who, which powers, where. */
export function AddDialog({ preset, onClose }: { preset: Given | undefined; onClose: () => void }) {
  const [key] = useState(intent)
  const options = { key, handles: (error: { field?: string | undefined }) => error.field !== undefined }
  const one = useCall(insertRole, options)
  const several = useCall(addAmin, options)
  const submit = async ({ member_ids: people, power, scope }: Values) => {
    const given = { power, scope: needsScope(power) ? scope : noScope }
    const [first] = people
    if (people.length === 1 && first) await one.mutateAsync({ member_id: first.ID, ...given })
    else await several.mutateAsync({ member_ids: people.map(({ ID }) => ID), ...given })
    toast.done(people.length === 1 ? `${first?.NAME} 已成为${wordsOf(power)}` : `${people.length} 人已成为${wordsOf(power)}`)
  }
  return (
    <FormDialog<Values>
      open
      width={600}
      title={preset ? `添加${powerWords[preset]}` : '添加管理员'}
      action="添加"
      initial={{ member_ids: [], power: preset ? [preset] : [], scope: { all: false, department_ids: [] } }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item
        name="member_ids"
        label="成员"
        required
        rules={[{ type: 'array', min: 1, message: messages.transfer.no_member }]}
      >
        <People />
      </Form.Item>
      <Form.Item<Values> noStyle shouldUpdate>
        {({ getFieldsValue }) => <Already {...getFieldsValue()} />}
      </Form.Item>
      <Form.Item name="power" label="权限" required rules={[{ type: 'array', min: 1, message: '请选择至少一种权限' }]}>
        <Powers />
      </Form.Item>
      <Form.Item<Values> noStyle dependencies={['power']}>
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

/** The picker as a field: a form hands value and onChange in. */
const People = ({ value = [], onChange }: { value?: PickedPerson[]; onChange?: (people: PickedPerson[]) => void }) => (
  <div className={styles.people}>
    <MemberPicker multiple label="成员" value={value} onChange={(people) => onChange?.(people)} cannot={cannot} />
  </div>
)

/** Each power with what it may do. The form's own attributes are for inputs and stay away from the group. */
const Powers = ({ value = [], onChange }: { value?: Given[]; onChange?: (power: Given[]) => void }) => (
  <Checkbox.Group<Given> className={styles.powers} value={value} onChange={(power) => onChange?.(power)}>
    {givable.map((power) => (
      <Checkbox key={power} value={power}>
        {powerWords[power]}
        <small>{about[power].may.join('；')}</small>
      </Checkbox>
    ))}
  </Checkbox.Group>
)

/** Whoever is an administrator already keeps his powers, but his scope becomes the new one. */
function Already({ member_ids = [], power = [] }: Partial<Values>) {
  const known = needsScope(power) ? member_ids.filter(({ POWER }) => needsScope(POWER)) : []
  if (known.length === 0) return null
  return (
    <p className={styles.note} role="status">
      {known.map(({ NAME }) => NAME).join('、')} 已是管理员：原有权限保留，管理范围会改为下面选择的范围。
    </p>
  )
}
