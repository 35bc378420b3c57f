/** Examples of the calls below /api/v1, by the name of the call: in the API document, the reference page and the collection. */

type Example = { readonly request: Readonly<Record<string, unknown>>; readonly response: unknown }

const ids = {
  employee: '0198c0de-0001-7000-8000-000000000001',
  department: '0198c0de-0002-7000-8000-000000000002',
  batch: '0198c0de-0003-7000-8000-000000000003',
  plan: '0198c0de-0004-7000-8000-000000000004',
  payslip: '0198c0de-0005-7000-8000-000000000005',
  webhook: '0198c0de-0006-7000-8000-000000000006',
  event: '0198c0de-0007-7000-8000-000000000007',
}
const employee = { employee_id: ids.employee, external_id: 'HR-1001', employee_no: '1001', name: '王小明' }
const batch = { batch_id: ids.batch, external_id: 'PAY-2026-11' }
const page = <T>(...data: T[]) => ({ data, next_cursor: null })
const byBatch = { batch_id: ids.batch }
const totals = { people: 1, gross_fen: 1_200_000, tax_fen: 12_000, net_fen: 980_000 }
const question = {
  question_id: 'role:c9',
  kind: 'role',
  required: true,
  message: '「补贴」是应发还是扣款？',
  column: 'c9',
  rows: [],
  choices: [{ value: 'earning', label: '应发' }],
  suggested: 'earning',
  answer: null,
}
const wageSheet = {
  ...batch,
  status: 'draft',
  file_name: '2026年11月工资表.xlsx',
  title: null,
  month: null,
  kind: null,
  suggested_title: '2026年11月工资表',
  suggested_month: '2026-11',
  rows: 1,
  columns: [{ key: 'c1', label: '姓名', role: 'name', kind: 'text' }],
  questions: [question],
  warnings: [],
}
const payslip = {
  payslip_id: ids.payslip,
  batch_id: ids.batch,
  batch_external_id: 'PAY-2026-11',
  employee,
  status: 'viewed',
  version: 1,
  has_feedback: false,
  sent_at: '2026-11-10T10:00:00+08:00',
  viewed_at: '2026-11-10T12:30:00+08:00',
  confirmed_at: null,
}

export const versionedExamples: Readonly<Record<string, Example>> = {
  listEmployees: {
    request: { limit: 100 },
    response: page({
      ...employee,
      mobile: '13800001001',
      email: '',
      position: '工程师',
      entry_date: '2024-03-01',
      terminated_on: null,
      status: 'active',
      departments: [{ department_id: ids.department, external_id: 'D-10', name: '研发部' }],
      phone_unconfirmed: false,
    }),
  },
  upsertEmployees: {
    request: {
      employees: [
        {
          external_id: 'HR-1001',
          employee_no: '1001',
          name: '王小明',
          mobile: '13800001001',
          department_external_ids: ['D-10'],
          entry_date: '2024-03-01',
        },
      ],
    },
    response: { data: [{ ...employee, outcome: 'created' }] },
  },
  terminateEmployee: { request: { external_id: 'HR-1001', terminated_on: '2026-11-20' }, response: employee },
  listDepartments: {
    request: { limit: 100 },
    response: page({
      department_id: ids.department,
      external_id: 'D-10',
      name: '研发部',
      parent_id: null,
      employee_count: 12,
    }),
  },
  upsertDepartments: {
    request: { departments: [{ external_id: 'D-10', name: '研发部' }] },
    response: { data: [{ department_id: ids.department, external_id: 'D-10', outcome: 'created' }] },
  },
  uploadWageSheet: { request: { external_id: 'PAY-2026-11' }, response: wageSheet },
  getWageSheet: { request: byBatch, response: wageSheet },
  answerWageSheet: {
    request: {
      ...byBatch,
      title: '2026年11月工资',
      month: '2026-11',
      answers: [{ question_id: 'role:c9', value: 'earning' }],
    },
    response: { ...batch, complete: true, missing: [], open_question_count: 0, unmatched_row_count: 0 },
  },
  checkWageSheet: {
    request: byBatch,
    response: {
      ...batch,
      status: 'checked',
      ready: true,
      row_count: 1,
      skipped_row_count: 0,
      error_count: 0,
      warning_count: 0,
      totals,
      previous: { ...totals, title: '2026年10月工资', month: '2026-10' },
    },
  },
  listWageSheetIssues: {
    request: { ...byBatch, level: 'error' },
    response: page({
      issue_id: '5:no_name:c1',
      row: 5,
      name: '',
      column: 'c1',
      level: 'error',
      kind: 'no_name',
      message: '没有姓名',
      value: '',
      fixes: ['skip'],
      candidates: [],
    }),
  },
  resolveWageSheetIssues: {
    request: { ...byBatch, resolutions: [{ issue_id: '5:no_name:c1', fix: 'skip' }] },
    response: { ...batch, status: 'checked', resolved_count: 1, remaining_count: 0, error_count: 0, warning_count: 0 },
  },
  listBatches: {
    request: { month: '2026-11' },
    response: page({
      ...batch,
      title: '2026年11月工资',
      month: '2026-11',
      kind: 'monthly',
      status: 'sent',
      people: 1,
      sent: 1,
      viewed: 1,
      confirmed: 0,
      failed: 0,
      scheduled_at: null,
      created_at: '2026-11-09T18:00:00+08:00',
    }),
  },
  getBatch: {
    request: byBatch,
    response: {
      ...batch,
      title: '2026年11月工资',
      status: 'sent',
      total: 1,
      queued: 0,
      sent: 1,
      failed: 0,
      unknown: 0,
      withdrawn: 0,
      viewed: 1,
      confirmed: 0,
      scheduled_at: null,
      undo_seconds: null,
      approval: null,
    },
  },
  planBatch: {
    request: { ...byBatch, channels: ['platform', 'sms'] },
    response: {
      ...batch,
      plan_id: ids.plan,
      recipient_count: 1,
      by_channel: { platform: 1, sms: 0, email: 0, link: 0 },
      sms_needed: 0,
      sms_left: 1000,
      unreachable: [],
      blocked: [],
      sms_insufficient: [],
      spot_checks: [],
      needs_approval: false,
      approval_reason: null,
    },
  },
  sendBatchTest: {
    request: { ...byBatch, channels: ['sms', 'link'] },
    response: {
      ...batch,
      test_send_id: '0198c0de-0010-7000-8000-000000000010',
      recipient: employee,
      deliveries: [{ channel: 'sms', delivery_status: 'queued' }],
      link: 'https://pay.company.cn/t/0198c0de00107000800000000000001',
      expires_at: '2026-11-11T10:00:00+08:00',
    },
  },
  sendPlannedBatch: {
    request: { ...byBatch, plan_id: ids.plan, spot_checked: true },
    response: { ...batch, outcome: 'sent', status: 'sending' },
  },
  scheduleBatch: {
    request: { ...byBatch, scheduled_at: '2026-11-10T10:00:00+08:00' },
    response: { ...batch, scheduled_at: '2026-11-10T10:00:00+08:00' },
  },
  withdrawBatch: {
    request: { ...byBatch, reason: '金额有误，稍后重发' },
    response: { ...batch, withdrawn: 1, not_sent: 0, in_flight: 0 },
  },
  listDeliveries: {
    request: byBatch,
    response: page({
      payslip_id: ids.payslip,
      employee,
      channel: 'platform',
      delivery_status: 'accepted',
      message: null,
      sent_at: '2026-11-10T10:00:00+08:00',
      delivered_at: null,
    }),
  },
  listPayslips: { request: { batch_id: ids.batch }, response: page(payslip) },
  getPayslip: { request: { payslip_id: ids.payslip }, response: payslip },
  listPayslipReceipts: {
    request: { payslip_id: ids.payslip },
    response: {
      data: [
        {
          version: 1,
          current: true,
          kind: 'person',
          confirmed_at: '2026-11-10T12:31:00+08:00',
          file_name: '确认回执-王小明-2026-11-第1版.json',
          file: '{"format":"xinhan-receipt"}',
          url: 'https://pay.company.cn/m/verify#receipt',
        },
      ],
    },
  },
  listTaxResults: {
    request: { month: '2026-11' },
    response: {
      month: '2026-11',
      status: 'locked',
      ...page({
        employee,
        income_fen: 1_200_000,
        bonus_fen: 0,
        taxable_income_cumulative_fen: 3_000_000,
        tax_cumulative_fen: 90_000,
        tax_fen: 12_000,
        bonus_tax_fen: 0,
        reason: null,
      }),
    },
  },
  getApiKey: {
    request: {},
    response: {
      key_id: '0198c0de-0009-7000-8000-000000000009',
      name: '人事系统',
      scopes: ['roster.read', 'sheets.write'],
      expires_at: '2027-11-10T10:00:00+08:00',
    },
  },
  listWebhooks: {
    request: {},
    response: page({
      webhook_id: ids.webhook,
      url: 'https://hr.company.cn/xinhan',
      events: ['slip.viewed'],
      status: 'active',
      failing_since: null,
      waiting_event_count: 0,
    }),
  },
  createWebhook: {
    request: { url: 'https://hr.company.cn/xinhan', events: ['slip.viewed', 'slip.confirmed'] },
    response: { webhook_id: ids.webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  },
  removeWebhook: { request: { webhook_id: ids.webhook }, response: { webhook_id: ids.webhook } },
  sendTestEvent: { request: { webhook_id: ids.webhook }, response: { event_id: ids.event } },
  replayEvents: {
    request: { webhook_id: ids.webhook, from: '2026-11-10T00:00:00+08:00', to: '2026-11-11T00:00:00+08:00' },
    response: { event_count: 42 },
  },
}
