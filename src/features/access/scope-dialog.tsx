import { Form } from 'antd'
import { editUserScope } from '../../../server/contract/access/administrators.ts'
import { useCallMutation } from '../../api.ts'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { useIsAgency } from '../../session.ts'
import type { Admin } from './rights.ts'
import { ScopeField, type SelectedScope, scopeRule } from './scope.tsx'

export function AdminScopeDialog({ admin, onClose }: { admin: Admin; onClose: () => void }) {
  const edit = useCallMutation(editUserScope, { handles: (error) => error.field !== undefined })
  const isAgency = useIsAgency()
  const { all, department_ids } = admin.scope
  return (
    <FormDialog<{ scope: SelectedScope }>
      open
      title={`修改 ${admin.name} 的管理范围`}
      action="保存范围"
      initial={{ scope: { all, department_ids } }}
      onSubmit={async ({ scope }) => {
        await edit.mutateAsync({ user_id: admin.user_id, scope })
        toast.success(`已修改 ${admin.name} 的管理范围`)
      }}
      onClose={onClose}
    >
      <Form.Item name="scope" label="管理范围" required rules={[scopeRule]}>
        <ScopeField />
      </Form.Item>
      <p className="ui-hint">
        {isAgency
          ? '范围缩小时，他会立即退出登录；重新登录后只能看到新范围内的同事。'
          : '范围缩小时，他会立即退出登录；重新登录后只能看到新范围内的员工和工资条。'}
      </p>
    </FormDialog>
  )
}
