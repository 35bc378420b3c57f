import { DatePicker, Form, Radio } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs, { type Dayjs } from 'dayjs'
import 'dayjs/locale/zh-cn'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import { exportChoiceLabels, useEvidenceExport } from '../batch/export-jobs.ts'

type EvidenceMember = { readonly member_id: string; readonly name: string }
const evidenceKinds = ['evidence', 'paper', 'paper_small', 'paper_large'] as const
type EvidenceForm = { from: Dayjs; to: Dayjs; kind: (typeof evidenceKinds)[number] }

const kindHints: Record<EvidenceForm['kind'], string> = {
  evidence: '收件人不用登录、不用联网，就能用核验程序确认内容没有改动过。',
  paper: 'A4 纸，供阅读、打印和提交；用二维码核验回执。',
  paper_small: 'A5 纸，供阅读、打印和提交；用二维码核验回执。',
  paper_large: 'A4 纸、大字，供阅读、打印和提交；用二维码核验回执。',
}

/** Requests evidence of one employee, or of all, over a range of months. Mounted only while open. */
export function EvidenceDialog({
  of: member,
  month,
  onClose,
}: {
  of?: EvidenceMember
  month?: string | undefined
  onClose: () => void
}) {
  const startExport = useEvidenceExport()
  const last = month ? dayjs(`${month}-01`) : dayjs().subtract(1, 'month').startOf('month')
  return (
    <FormDialog<EvidenceForm>
      open
      title={member ? `导出 ${member.name} 的证据` : '导出全部员工的证据'}
      action="导出"
      initial={{ from: member ? last.startOf('year') : last, to: last, kind: 'evidence' }}
      onSubmit={({ from, to, kind }) =>
        startExport(
          { from: from.format('YYYY-MM'), to: to.format('YYYY-MM'), ...(member ? { member_id: member.member_id } : {}) },
          kind,
          member?.name,
        )
      }
      onClose={onClose}
    >
      <MonthItem name="from" label="从工资月份" />
      <MonthItem name="to" label="到工资月份" />
      <Form.Item name="kind" label="格式">
        <Radio.Group
          style={{ display: 'grid', gap: 8 }}
          options={evidenceKinds.map((value) => ({ value, label: exportChoiceLabels[value] }))}
        />
      </Form.Item>
      <KindHint />
      <p className="ui-hint">
        {member ? '包括他在这些月份里' : '包括这些月份里'}由您负责或共享给您的全部批次，<strong>含工资金额</strong>，请妥善保管。
      </p>
    </FormDialog>
  )
}

function KindHint() {
  const kind: EvidenceForm['kind'] | undefined = Form.useWatch('kind')
  return <p className="ui-hint">{kindHints[kind ?? 'evidence']}</p>
}

const MonthItem = (props: { name: 'from' | 'to'; label: string }) => (
  <Form.Item {...props} rules={[{ required: true, message: '请选择月份' }]}>
    <DatePicker
      picker="month"
      {...(zhCN.DatePicker ? { locale: zhCN.DatePicker } : {})}
      allowClear={false}
      style={{ width: '100%' }}
    />
  </Form.Item>
)
