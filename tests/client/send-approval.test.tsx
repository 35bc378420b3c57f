/** A sending that a second administrator approves: which button is the next step, and what the approver reads. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { SendOptions } from '../../server/contract/payslips/send.ts'
import type { Approval } from '../../src/features/approvals/labels.ts'
import { MobileApprovals, pendingApprovalsQuery } from '../../src/features/company/home/mobile/approvals.tsx'
import { SendApprovalNotice, SendButton } from '../../src/features/sheets/send/approval.tsx'

const time = '2026-10-20T02:00:00.000Z'
const client = new QueryClient()
const render = (node: ReactElement): string =>
  renderToStaticMarkup(<QueryClientProvider client={client}>{node}</QueryClientProvider>)
const getPrimaryButtons = (html: string): string[] =>
  [...html.matchAll(/<button[^>]*ant-btn-primary[^>]*>(.*?)<\/button>/g)].map(([, content = '']) =>
    content.replace(/<[^>]+>/g, ''),
  )

test.each<['waiting' | 'approved' | 'returned' | 'void' | null, string[]]>([
  [null, ['提交审批 3 人']],
  ['waiting', []],
  ['approved', ['发送 3 人']],
  ['returned', ['提交审批 3 人']],
  ['void', ['提交审批 3 人']],
])('shows the next step of an approval that is %s as the only primary button: %j', (status, expected) => {
  const approval = status && {
    status,
    approval_no: 'A1',
    plan_id: 'plan',
    people: 3,
    scheduled_at: null,
    is_own: true,
    requested_by: '林晚秋',
    requested_at: time,
    decided_by: '沈知遥',
    reason: '',
  }
  const html = render(
    <>
      <SendApprovalNotice batch_id="batch" approval={approval} onSent={() => undefined} />
      <SendButton
        plan={{ count: 3, needs_approval: true }}
        options={{ rows: null, channels: ['sms'], when: null } as unknown as SendOptions}
        approval={approval}
        people={3}
        allowed
        loading={false}
        onClick={() => undefined}
      />
    </>,
  )
  expect(getPrimaryButtons(html)).toEqual(expected)
  expect(html).toContain('提交审批')
})

test('names the applicant and the accepted warnings on the card of a phone', () => {
  const approval: Approval = {
    approval_no: 'A1',
    kind: 'send',
    applicant: '林晚秋',
    summary: '申请发送「十月工资」22 人；其中 22 人本月已发过',
    created_at: time,
    status: 0,
    reason: '',
    decided_at: null,
    decided_by: null,
    is_own: false,
    can_decide: true,
    batches: 0,
  }
  client.setQueryData(pendingApprovalsQuery.queryKey, { list: [approval], page: { page: 1, pagesize: 20, total: 1 } })
  const text = render(<MobileApprovals />).replace(/<[^>]+>/g, '')
  expect(text).toContain(`林晚秋 ${approval.summary}`)
})
