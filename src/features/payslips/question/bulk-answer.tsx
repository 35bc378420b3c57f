import { useQuery } from '@tanstack/react-query'
import { Button, Checkbox, Input, Segmented } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import {
  answerFeedback,
  type getFeedBackDetail,
  getFeedBackList,
  maxBulkAnswers,
} from '../../../../server/contract/payslips/feedback.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { Modal } from '../../../components/overlay/layers.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import styles from './inbox.module.css'

type FeedbackDetail = CallOutput<typeof getFeedBackDetail>
const maxLength = 500

type BulkAnswerDraft = { readonly content: string; readonly selectedIds: ReadonlySet<string>; readonly key: string }
/** Only the thread at hand is selected: that others ask the same is for the administrator to judge. */
const createDraft = (id: string): BulkAnswerDraft => ({ content: '', selectedIds: new Set([id]), key: createIdempotencyKey() })

/** Sends one answer to all who asked about the same item: recipients are selected first; each gets it in their thread. */
export function BulkAnswerDialog({ thread, onClose }: { thread: FeedbackDetail; onClose: () => void }) {
  const { id, batch_id, about, title } = thread
  const [includesAllLines, setIncludesAllLines] = useState(false)
  // A retry after a lost response is the same intent; another text or other recipients are a new one.
  const [{ content, selectedIds, key }, setDraft] = useState(() => createDraft(id))
  const updateDraft = (next: Partial<BulkAnswerDraft>) =>
    setDraft((previous) => ({ ...previous, ...next, key: createIdempotencyKey() }))
  const setSelectedIds = (next: ReadonlySet<string>) => updateDraft({ selectedIds: next })
  const threads = useQuery({
    ...callQuery(getFeedBackList, {
      batch_id,
      ...(includesAllLines ? {} : { line: about?.key ?? '' }),
      status: 'open',
      pagesize: maxBulkAnswers,
    }),
    gcTime: 0,
  })
  const list = threads.data?.list ?? []
  const included = list.filter((one) => selectedIds.has(one.id))
  const answer = useCallMutation(answerFeedback, {
    key,
    onSuccess: ({ answered }) => {
      toast.success(`已回复 ${answered} 人`)
      onClose()
    },
  })
  const send = (resolve: boolean) => answer.mutate({ ids: included.map((one) => one.id), content, resolve })
  const isDisabled = content.trim() === '' || included.length === 0
  return (
    <Modal
      open
      title="批量回复"
      width={520}
      onCancel={onClose}
      footer={[
        <Button key="resolve" disabled={isDisabled || answer.isPending} onClick={() => send(true)}>
          回复并解决
        </Button>,
        <Button key="reply" type="primary" disabled={isDisabled} loading={answer.isPending} onClick={() => send(false)}>
          回复 {included.length} 人
        </Button>,
      ]}
    >
      <p className="ui-label">{title}。每个人只在自己的工资条里看到这条回复，看不到别人。</p>
      <Segmented
        className={styles.manyScope}
        aria-label="范围"
        value={includesAllLines ? 'all' : 'line'}
        options={[
          { value: 'line', label: about ? `问「${about.label}」的` : '问整张工资条的' },
          { value: 'all', label: '这一批全部待处理' },
        ]}
        onChange={(scope) => {
          setIncludesAllLines(scope === 'all')
          setSelectedIds(new Set([id]))
        }}
      />
      {threads.data ? (
        <RecipientList list={list} showsLines={includesAllLines} selectedIds={selectedIds} onSelect={setSelectedIds} />
      ) : threads.error ? (
        <ErrorState error={threads.error} retry={() => void threads.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      {(threads.data?.page.total ?? 0) > maxBulkAnswers && (
        <p className="ui-hint">一次最多 {maxBulkAnswers} 人，回复后可以继续。</p>
      )}
      <div className={styles.manyText}>
        <Input.TextArea
          aria-label="回复内容"
          placeholder="回复将分别发送给所选员工"
          value={content}
          maxLength={maxLength}
          showCount
          autoSize={{ minRows: 3, maxRows: 8 }}
          onChange={(event) => updateDraft({ content: event.target.value })}
        />
      </div>
    </Modal>
  )
}

type RecipientListProps = {
  list: CallOutput<typeof getFeedBackList>['list']
  /** Whether they ask about different payslip items. */
  showsLines: boolean
  selectedIds: ReadonlySet<string>
  onSelect: (next: ReadonlySet<string>) => void
}
/** The open questions, each with its last message; those that are not selected stay open. */
function RecipientList({ list, showsLines, selectedIds, onSelect }: RecipientListProps) {
  const toggle = (id: string, isSelected: boolean) => {
    const next = new Set(selectedIds)
    if (isSelected) next.add(id)
    else next.delete(id)
    onSelect(next)
  }
  return (
    <ul className={styles.manyList}>
      {list.map(({ id, name, about, last_message }) => (
        <li key={id}>
          <Checkbox checked={selectedIds.has(id)} onChange={(event) => toggle(id, event.target.checked)}>
            <strong>{name}</strong> {showsLines && <small>{about?.label ?? '整张工资条'}</small>}
            <span>{last_message}</span>
          </Checkbox>
        </li>
      ))}
    </ul>
  )
}
