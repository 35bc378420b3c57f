/** What can be done with one slip of a batch, and why not. */
import { sendSingle } from '../../../../server/contract/slip/slip.ts'
import { can } from '../../../../server/contract/words/states.ts'
import { useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import type { RowAct } from '../../../ui/table/row-menu.tsx'
import type { Again } from '../batch/again-dialog.tsx'
import { choiceWords, type ExportChoice, useExport } from '../batch/export-jobs.ts'
import type { SlipLine } from '../words.ts'
import type { DetailDialog } from './dialogs.tsx'

/** Whether somebody is asked once more, or why not. */
export const mayAgain = ({ status, channel }: Pick<SlipLine, 'status' | 'channel'>): true | string =>
  status === 'failed' || (channel === 'link' ? '没有消息渠道，请直接把链接发给本人' : can.remind(status))

/** Once more: what was taken back or failed is sent, whoever has not looked is reminded. */
const againAct = (
  { line, batch_id }: { line: SlipLine; batch_id: string },
  again: (one: { salary_id: string }) => void,
  sendAgain: (what: Again) => void,
): RowAct =>
  line.status === 'withdrawn'
    ? { key: 'again', label: '重新发送', onClick: () => sendAgain({ only: 'withdrawn', batch_id, count: 1, one: line }) }
    : {
        key: 'again',
        label: line.status === 'failed' ? '重发' : '提醒',
        verdict: mayAgain(line),
        onClick: () => again({ salary_id: line.salary_id }),
      }

const evidenceActs = (begin: (what: ExportChoice) => void): RowAct[] =>
  (['paper', 'paper_small', 'paper_large', 'evidence'] as const).map((key) => ({
    key,
    label: choiceWords[key],
    group: '导出证据',
    onClick: () => begin(key),
  }))
const withdrawAct = ({ status }: SlipLine, onClick: () => void): RowAct => ({
  key: 'withdraw',
  label: '撤回',
  danger: true,
  verdict: can.withdraw(status),
  onClick,
})

/** `open` shows the slip beside the list, `ask` a dialog. */
export function useLineActs(
  { batch_id, title }: { batch_id: string; title: string },
  { open, ask }: { open: (line: SlipLine) => void; ask: (dialog: DetailDialog) => void },
): (line: SlipLine) => RowAct[] {
  const { begin } = useExport()
  const again = useCall(sendSingle, { onSuccess: ({ queued }) => toast.done(queued ? '已安排发送' : '没有需要发送的') })
  return (line) => [
    { key: 'open', label: '查看工资条', onClick: () => open(line) },
    { key: 'edit', label: '修改', verdict: can.edit(line.status), onClick: () => ask({ kind: 'edit', line }) },
    againAct({ line, batch_id }, again.mutate, (what) => ask({ kind: 'again', what })),
    ...evidenceActs((what) => begin({ batch_id, salary_id: line.salary_id, title: `${title} ${line.name}` }, what)),
    withdrawAct(line, () => ask({ kind: 'withdraw', what: { salary_id: line.salary_id, title, name: line.name } })),
  ]
}
