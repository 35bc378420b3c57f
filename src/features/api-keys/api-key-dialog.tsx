import { Checkbox, Form, Input, Radio } from 'antd'
import { hasPower } from '../../../server/contract/access.ts'
import {
  type ApiKeyScope,
  apiKeyLifetimes,
  apiKeyScopePowers,
  apiKeyScopes,
  createApiKey,
} from '../../../server/contract/api-keys/api-keys.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toAccessSubject, useCurrentUser } from '../../session.ts'
import styles from '../webhooks/webhook.module.css'
import { apiKeyScopeLabels } from './labels.ts'

type Lifetime = (typeof apiKeyLifetimes)[number]
type ApiKeyForm = { name: string; scopes: ApiKeyScope[]; valid_days: Lifetime; addresses: string }

const lifetimeLabels: Readonly<Record<Lifetime, string>> = { 30: '30 天', 90: '90 天', 365: '1 年', 730: '2 年' }

/** Creates a key. The administrator can only give what they have. */
export function ApiKeyDialog({ onKey, onClose }: { onKey: (key: string) => void; onClose: () => void }) {
  const currentUser = useCurrentUser()
  const powers = currentUser ? toAccessSubject(currentUser).power : []
  const create = useCallMutation(createApiKey, {
    handles: (error) => error.field !== undefined,
    onSuccess: ({ key }) => onKey(key),
  })
  const scopeOptions = apiKeyScopes.map((scope) => {
    const canGive = hasPower(powers, [apiKeyScopePowers[scope]])
    return { value: scope, label: `${apiKeyScopeLabels[scope]}${canGive ? '' : '（您没有这项权限）'}`, disabled: !canGive }
  })
  return (
    <FormDialog<ApiKeyForm>
      open
      title="创建接口密钥"
      action="创建"
      initial={{ name: '', scopes: [], valid_days: 365, addresses: '' }}
      onSubmit={({ addresses, ...values }) =>
        create.mutateAsync({ ...values, addresses: addresses.split(/[\s,，]+/).filter((text) => text !== '') })
      }
      onClose={onClose}
    >
      <FormField
        name="name"
        label="名称"
        help="哪个系统使用，操作记录里会写这个名称"
        required="请填写名称"
        maxLength={30}
        placeholder="例如：人事系统"
      />
      <Form.Item name="scopes" label="允许做什么" rules={[{ type: 'array', min: 1, message: '请至少选择一项权限' }]}>
        <Checkbox.Group options={scopeOptions} className={styles.events} />
      </Form.Item>
      <Form.Item name="valid_days" label="有效期">
        <Radio.Group options={apiKeyLifetimes.map((days) => ({ value: days, label: lifetimeLabels[days] }))} />
      </Form.Item>
      <Form.Item name="addresses" label="允许的 IP 地址" extra="每行一个地址或网段，例如 203.0.113.0/24；不填则不限制">
        <Input.TextArea rows={3} />
      </Form.Item>
    </FormDialog>
  )
}
