import { Form } from 'antd'
import { editUserScope } from '../../../server/contract/corp/role.ts'
import { useCall } from '../../api.ts'
import { FormDialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import type { Admin } from './rights.ts'
import { type ChosenScope, ScopeField, scopeRule } from './scope.tsx'

/** Where somebody manages from now on. */
export function ScopeDialog({ admin, onClose }: { admin: Admin; onClose: () => void }) {
  const edit = useCall(editUserScope, { handles: (error) => error.field !== undefined })
  const { all, department_ids } = admin.scope
  return (
    <FormDialog<{ scope: ChosenScope }>
      open
      title={`修改 ${admin.name} 的管理范围`}
      action="保存范围"
      initial={{ scope: { all, department_ids } }}
      onSubmit={async ({ scope }) => {
        await edit.mutateAsync({ user_id: admin.user_id, scope })
        toast.done(`已修改 ${admin.name} 的管理范围`)
      }}
      onClose={onClose}
    >
      <Form.Item name="scope" label="管理范围" required rules={[scopeRule]}>
        <ScopeField />
      </Form.Item>
      <p className="ui-hint">范围缩小时，他会立即退出登录；重新登录后只能看到新范围内的员工和工资条。</p>
    </FormDialog>
  )
}
