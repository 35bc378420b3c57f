import { Form, Radio } from 'antd'
import type { CallOutput } from '../../../server/contract/call.ts'
import { createCompany } from '../../../server/contract/operator/billing.ts'
import { mobilePattern } from '../../../server/contract/shared/phone.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { Dialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { SecretDialog } from '../../components/overlay/secret-dialog.tsx'
import { formatDateTime } from '../../components/value/dates.ts'

export type CreatedCompany = CallOutput<typeof createCompany>
type CompanyFields = { corp_name: string; user_name: string; phone: string; corp_role: 10 | 20 }

/** Creates a company with its first administrator. */
export function CreateCompanyDialog(props: { onCreated: (company: CreatedCompany) => void; onClose: () => void }) {
  const create = useCallMutation(createCompany, { onSuccess: props.onCreated })
  return (
    <FormDialog<CompanyFields>
      open
      title="新建企业"
      action="创建并生成链接"
      initial={{ corp_role: 10 }}
      onSubmit={(values) => create.mutateAsync(values)}
      onClose={props.onClose}
    >
      <FormField name="corp_name" label="企业名称" required="请填写企业名称" maxLength={50} />
      <FormField name="user_name" label="第一位管理员的姓名" required="请填写管理员姓名" maxLength={30} />
      <FormField
        name="phone"
        label="管理员的手机号"
        kind="tel"
        rules={[{ required: true, pattern: new RegExp(mobilePattern), message: '请填写 11 位手机号' }]}
        maxLength={11}
      />
      <Form.Item name="corp_role" label="类型">
        <Radio.Group
          aria-label="类型"
          options={[
            { value: 10, label: '企业' },
            { value: 20, label: '代理企业' },
          ]}
        />
      </Form.Item>
    </FormDialog>
  )
}

/** Shows once the link with which the first administrator sets a password and signs in. */
export function SignInLinkDialog({ company: { is_new, link }, onClose }: { company: CreatedCompany; onClose: () => void }) {
  const title = is_new ? '企业已创建' : '企业已存在，链接已更新'
  if (link)
    return (
      <SecretDialog
        title={title}
        kind="链接"
        secret={link.url}
        note={`请通过可信渠道把链接交给这位管理员本人；只显示这一次，到 ${formatDateTime(link.expires_at)} 有效，只能用一次。`}
        done="我已转交"
        onClose={onClose}
      />
    )
  return (
    <Dialog open title={title} maskCloses={false} result={{ text: '知道了', onPress: onClose }} onClose={onClose}>
      <p>这个手机号在这里已有账号：请本人用原来的方式登录，即可看到这家企业。</p>
    </Dialog>
  )
}
