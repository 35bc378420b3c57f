import { Form } from 'antd'
import type { CallRequest } from '../../../server/contract/call.ts'
import { type Department, editMemberInfo, insertMember } from '../../../server/contract/directory/members.ts'
import { emailPattern } from '../../../server/contract/shared/email.ts'
import { mobilePattern } from '../../../server/contract/shared/phone.ts'
import { useCallMutation } from '../../api.ts'
import { DateField } from '../../components/form/date-field.tsx'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { TreePicker } from '../../components/tree/tree-picker.tsx'
import type { Member } from './labels.ts'
import styles from './member.module.css'

type MemberForm = Required<Pick<CallRequest<typeof insertMember>, 'name' | 'mobile'>> &
  Pick<
    CallRequest<typeof insertMember>,
    'employee_no' | 'position' | 'department_ids' | 'entry_date' | 'id_card' | 'bank_account' | 'email'
  >

const toFormValues = (member: Member): MemberForm => ({
  name: member.NAME,
  mobile: member.MOBILE,
  email: member.EMAIL,
  employee_no: member.EMPLOYEE_NO,
  position: member.POSITION,
  department_ids: member.DEPARTMENTS.map((department) => department.ID),
  entry_date: member.ENTRY_DATE?.slice(0, 10) ?? null,
})
const isSameValue = (a: unknown, b: unknown) => JSON.stringify(a ?? '') === JSON.stringify(b ?? '')
/** Returns only changed fields: an untouched field is never overwritten. */
const getChanges = (previous: MemberForm, current: MemberForm) =>
  Object.fromEntries(
    Object.entries(current).filter(([name, value]) => !isSameValue(value, previous[name as keyof MemberForm])),
  ) as Partial<MemberForm>

const mobileRegex = new RegExp(mobilePattern)

/** Adds or edits a member. */
export function MemberDialog(props: {
  member: Member | null
  tree: readonly Department[]
  department: string | undefined
  onClose: () => void
}) {
  const { member, tree, department, onClose } = props
  const handles = { handles: (error: { field?: string | undefined }) => error.field !== undefined }
  const add = useCallMutation(insertMember, handles)
  const edit = useCallMutation(editMemberInfo, handles)
  const initial = member && toFormValues(member)

  const submit = async (values: MemberForm) => {
    const id_card = values.id_card || undefined
    const bank_account = values.bank_account || undefined
    if (initial) {
      const changes = getChanges(initial, { ...values, id_card, bank_account })
      if (Object.keys(changes).length > 0) await edit.mutateAsync({ id: member.ID, ...changes })
      toast.success(`已保存 ${values.name} 的资料`)
    } else {
      await add.mutateAsync({ ...values, id_card, bank_account })
      toast.success(`已添加 ${values.name}`)
    }
  }
  return (
    <FormDialog<MemberForm>
      open
      title={member ? `编辑 ${member.NAME}` : '添加员工'}
      action={member ? '保存' : '添加'}
      initial={initial ?? { department_ids: department ? [department] : [] }}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={styles.pair}>
        <FormField name="name" label="姓名" required="请填写姓名" maxLength={50} autoFocus />
        <FormField
          name="mobile"
          label="手机号"
          kind="tel"
          help={member ? '更换后原手机号不能再登录；本人确认之前，新手机号看不到也收不到工资条' : '员工用它登录查看工资条'}
          // A member may have no phone, or a foreign one: an unchanged value is not an error.
          required={initial?.mobile === '' ? undefined : '手机号不能为空'}
          rules={[
            {
              validator: async (_, value: string | undefined) => {
                if (value && value !== initial?.mobile && !mobileRegex.test(value)) throw new Error('手机号格式有误，请重新输入')
              },
            },
          ]}
          maxLength={20}
        />
      </div>
      <Form.Item name="department_ids" label="部门">
        <TreePicker multiple tree={tree} />
      </Form.Item>
      <MoreFields exists={member !== null} />
    </FormDialog>
  )
}

/** Fields that a payslip does not need. `isExisting`: the member exists, and encrypted values are not shown. */
function MoreFields({ exists: isExisting }: { exists: boolean }) {
  return (
    <div className={styles.pair}>
      <FormField name="position" label="岗位" maxLength={50} />
      <FormField name="employee_no" label="工号" maxLength={30} />
      <FormField
        name="email"
        label="邮箱"
        kind="email"
        rules={[
          { pattern: emailPattern, transform: (text: string) => text.trim(), message: '邮箱格式有误，应写作 name@example.com' },
        ]}
        maxLength={200}
      />
      <Form.Item name="entry_date" label="入职日期">
        <DateField />
      </Form.Item>
      <FormField
        name="id_card"
        label="身份证号"
        help={isExisting ? '不填则不修改' : '护照、通行证号码也填在这里'}
        maxLength={18}
      />
      <FormField
        name="bank_account"
        label="银行卡号"
        kind="digits"
        {...(isExisting ? { help: '不填则不修改' } : {})}
        maxLength={40}
      />
    </div>
  )
}
