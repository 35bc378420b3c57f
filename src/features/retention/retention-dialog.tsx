import { Form, InputNumber, Switch } from 'antd'
import type { CallOutput } from '../../../server/contract/call.ts'
import {
  type getRetention,
  maxRetentionMonths,
  minRetentionMonths,
  type RetentionKind,
  retentionKinds,
  saveRetention,
} from '../../../server/contract/retention/retention.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { retentionLabels, retentionMeanings } from './labels.ts'

/** Without a reason while its field is hidden. */
type RetentionForm = Record<RetentionKind, number | null> & { legal_hold: boolean; hold_reason?: string }

export function RetentionDialog(props: {
  retention: CallOutput<typeof getRetention>
  onSettled: () => void
  onClose: () => void
}) {
  const { rules, legal_hold, hold_reason, revision } = props.retention
  const save = useCallMutation(saveRetention, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.success('保存期限已更新，今晚起按新的期限删除'),
    onSettled: props.onSettled,
  })
  return (
    <FormDialog<RetentionForm>
      open
      title="修改保存期限"
      action="保存"
      initial={{ ...rules, legal_hold, hold_reason }}
      onSubmit={({ legal_hold: isOnHold, hold_reason: reason = '', ...months }) =>
        save.mutateAsync({ rules: months, legal_hold: isOnHold, hold_reason: isOnHold ? reason : '', revision })
      }
      onClose={props.onClose}
    >
      {retentionKinds.map((kind) => (
        <Form.Item key={kind} name={kind} label={retentionLabels[kind]} extra={retentionMeanings[kind]}>
          <InputNumber
            min={minRetentionMonths[kind]}
            max={maxRetentionMonths}
            precision={0}
            placeholder="留空：一直保存"
            suffix="个月"
            style={{ width: '100%' }}
          />
        </Form.Item>
      ))}
      <Form.Item
        name="legal_hold"
        label="暂停一切删除"
        valuePropName="checked"
        extra="发生劳动争议、诉讼或检查时打开；关闭前不会删除任何数据"
      >
        <Switch />
      </Form.Item>
      <Form.Item noStyle dependencies={['legal_hold']}>
        {({ getFieldValue }) =>
          getFieldValue('legal_hold') === true && (
            <FormField
              name="hold_reason"
              label="暂停的原因"
              required="请写明为什么暂停删除，例如劳动争议或税务检查"
              maxLength={200}
            />
          )
        }
      </Form.Item>
    </FormDialog>
  )
}
